// Package cu binds the CUDA driver, NVRTC, cuBLAS and cuBLASLt without cgo: the
// libraries are opened at run time, if they are there. Names follow
// github.com/mumax/3/cuda/cu, but every call returns an error, and contexts are
// the primary ones of the devices.
//
//	err := cu.Init(0)                            // says what is missing, and where it was looked for
//	dev, err := cu.DeviceGet(0)
//	ctx, err := cu.DevicePrimaryCtxRetain(dev)
//	runtime.LockOSThread()                       // the current context belongs to the thread
//	err = cu.CtxSetCurrent(ctx)
//	p, err := cu.MemAlloc(1 << 20)
//
// Libraries are looked for once, at the first call: the driver in
// ONELOOP_LIBCUDA, then by the system's loader; NVRTC, cuBLAS and cuBLASLt in
// ONELOOP_LIBNVRTC, ONELOOP_LIBCUBLAS and ONELOOP_LIBCUBLASLT, then by the system's loader, in CUDA_HOME and CUDA_PATH,
// /usr/local/cuda*, conda's and pip's directories. A variable names a file or its directory, and nothing else
// is tried then. [Libraries] reports what was chosen and what was refused.
//
// A missing library or function is a *[NotFound] or *[MissingError], a failing
// call an *[Error]; nothing panics. Device addresses are [DevicePtr], an integer:
// they cannot be confused with host pointers. Nothing here is checked against
// misuse: a wrong size or address does what it does in C.
package cu
