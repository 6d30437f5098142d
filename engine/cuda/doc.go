// Package cuda runs programs on NVIDIA GPUs. Importing it registers the device:
//
//	import _ "github.com/oneloop/oneloop/engine/cuda"
//
//	gpu, err := engine.OpenDevice("cuda:0")   // expr.ErrDevice, and the reason, where there is none
//	x, err := here.To(gpu)
//	err = y.Assign(op.Exp(x))    // on the GPU, if y is there too
//
// The first call of engine.OpenDevice opens the libraries. Package cudagen writes a
// CUDA C++ source for each fused loop, and NVRTC compiles it at run time. The
// machine code stays in memory and in the user's cache directory (ONELOOP_CACHE
// names another, or is "off"). Matrix products of floats are calls of cuBLAS, or
// of cuBLASLt with a bias. Matrix products of integers are a kernel of this
// package, and those of floats where engine.Options.Products asks for the bits of the
// CPU; so are sorts, searches and scatters. Fourier transforms and Go functions of
// the user run on the CPU, between copies of their operands and results.
//
// [Pin] returns memory that copies on a stream use without the processor. [Elapsed] is
// the time that a GPU takes between two events of [RecordTime].
//
// ONELOOP_DEBUG=cuda prints the CUDA C++ of every kernel that is compiled.
// ONELOOP_DEBUG=sync waits after each launch, so that an error names its kernel.
package cuda
