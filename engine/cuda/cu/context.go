package cu

import "unsafe"

// A Context holds the state of a GPU for this process. It is current to an
// operating-system thread: a goroutine calls runtime.LockOSThread, then
// CtxSetCurrent, then what it has to do.
type Context uintptr

// DevicePrimaryCtxRetain is the context of a GPU that all libraries of the
// process share, made if it is not there.
func DevicePrimaryCtxRetain(d Device) (Context, error) {
	var c Context
	err := call(cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&c)), uintptr(d))
	return c, err
}

// DevicePrimaryCtxRelease gives back what DevicePrimaryCtxRetain gave.
func DevicePrimaryCtxRelease(d Device) error {
	return call(cuDevicePrimaryCtxRelease, uintptr(d))
}

// CtxSetCurrent makes c current to the calling thread.
func CtxSetCurrent(c Context) error { return call4(cuCtxSetCurrent, uintptr(c), 0, 0, 0) }

// CtxGetCurrent is the context current to the calling thread, or 0.
func CtxGetCurrent() (Context, error) {
	var c Context
	err := call(cuCtxGetCurrent, uintptr(unsafe.Pointer(&c)))
	return c, err
}

// CtxSynchronize waits for all work of the current context.
func CtxSynchronize() error { return call(cuCtxSynchronize) }

// CtxEnablePeerAccess lets kernels of the current context use memory of peer.
func CtxEnablePeerAccess(peer Context) error {
	return call(cuCtxEnablePeerAccess, uintptr(peer), 0)
}
