package cu

// A Context holds the state of a GPU for this process. It is current to an
// operating-system thread. So a goroutine calls runtime.LockOSThread, then
// CtxSetCurrent, then the functions that need the context.
type Context uintptr

// DevicePrimaryCtxRetain returns the primary context of a GPU, which all
// libraries of the process share. It creates the context if there is none.
func DevicePrimaryCtxRetain(d Device) (Context, error) {
	return get[Context](cuDevicePrimaryCtxRetain, uintptr(d))
}

// DevicePrimaryCtxRelease undoes one DevicePrimaryCtxRetain.
func DevicePrimaryCtxRelease(d Device) error { return call(cuDevicePrimaryCtxRelease, uintptr(d)) }

// CtxSetCurrent makes c current to the calling thread.
func CtxSetCurrent(c Context) error { return call4(cuCtxSetCurrent, uintptr(c), 0, 0, 0) }

// CtxSynchronize waits until all work of the current context has ended.
func CtxSynchronize() error { return call(cuCtxSynchronize) }
