// Package cuda runs programs on NVIDIA GPUs. Importing it registers the device:
//
//	import _ "github.com/oneloop/oneloop/engine/cuda"
//
//	gpu, err := engine.CUDA(0)   // expr.ErrDevice, and the reason, where there is none
//	x, err := here.To(gpu)
//	err = y.Assign(op.Exp(x))    // on the GPU, if y is there too
//
// Nothing is opened before the first call of engine.CUDA. Each fused loop
// becomes one CUDA C kernel (package cudagen), compiled by NVRTC at run time and
// kept: in memory, and as machine code in the user's cache directory
// (ONELOOP_CACHE names another, or is "off"). Matrix products of floats go to
// cuBLAS, with a bias to cuBLASLt, those of integers to a kernel of this package.
// Go functions do not run on a GPU: a program that has one is an error.
//
// ONELOOP_DEBUG=cuda prints the CUDA C of every kernel that is compiled; sync
// waits after each launch, so that a fault names its kernel.
package cuda
