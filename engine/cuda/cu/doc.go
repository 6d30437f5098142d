// Package cu binds the CUDA driver, NVRTC, cuBLAS and cuBLASLt without cgo. It
// opens the libraries at run time, if they are there. Names follow
// github.com/mumax/3/cuda/cu, but every call returns an error, and contexts are
// the primary ones of the devices.
//
//	err := cu.Init(0)                            // the error names what is missing, and where it was searched
//	dev, err := cu.DeviceGet(0)
//	ctx, err := cu.DevicePrimaryCtxRetain(dev)
//	runtime.LockOSThread()                       // the current context belongs to the thread
//	err = cu.CtxSetCurrent(ctx)
//	p, err := cu.MemAlloc(1 << 20)
//
// The first call searches for a library. It tries the variable ONELOOP_LIBCUDA,
// ONELOOP_LIBNVRTC, ONELOOP_LIBCUBLAS or ONELOOP_LIBCUBLASLT: a file or its
// directory, and nothing else if it is set. Then it tries the system's loader.
// For NVRTC, cuBLAS and cuBLASLt it then tries CUDA_HOME, CUDA_PATH,
// /usr/local/cuda*, and the directories of conda and pip. [Libraries] reports
// which files were chosen and which were refused.
//
// A missing library is a *[NotFound], a missing function a *[MissingError], a
// failed call an *[Error]. No function panics. Device addresses are [DevicePtr],
// an integer type, so that they cannot be confused with host pointers. The
// package checks no sizes and no addresses: a wrong one has the effect that it
// has in C.
package cu
