package cu

import (
	"runtime"
	"unsafe"
)

// A Module is loaded machine code.
type Module uintptr

// ModuleLoadData loads a cubin into the current context, or PTX, which the driver
// compiles.
func ModuleLoadData(image []byte) (Module, error) {
	b := append(image[:len(image):len(image)], 0) // PTX ends with a zero byte
	var m Module
	err := call(cuModuleLoadDataEx, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(unsafe.SliceData(b))), 0, 0, 0)
	return m, err
}

// Unload unloads the module. None of its kernels may be running or part of a
// graph.
func (m Module) Unload() error { return call(cuModuleUnload, uintptr(m)) }

// GetFunction returns a kernel of the module by its name.
func (m Module) GetFunction(name string) (Function, error) {
	var f Function
	err := call(cuModuleGetFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(cString(name))))
	return f, err
}

// A Function is a kernel.
type Function uintptr

// A FunctionAttribute is the number of a property of a kernel.
type FunctionAttribute int

// The properties of kernels.
const (
	FUNC_A_MAX_THREADS_PER_BLOCK         FunctionAttribute = 0
	FUNC_A_SHARED_SIZE_BYTES             FunctionAttribute = 1
	FUNC_A_LOCAL_SIZE_BYTES              FunctionAttribute = 3
	FUNC_A_NUM_REGS                      FunctionAttribute = 4
	FUNC_A_MAX_DYNAMIC_SHARED_SIZE_BYTES FunctionAttribute = 8
)

// GetAttribute returns a property of the kernel.
func (f Function) GetAttribute(a FunctionAttribute) (int, error) {
	v, err := get[int32](cuFuncGetAttribute, uintptr(a), uintptr(f))
	return int(v), err
}

// SetAttribute changes a property, such as the limit of dynamic shared memory.
func (f Function) SetAttribute(a FunctionAttribute, v int) error {
	return call(cuFuncSetAttribute, uintptr(f), uintptr(a), uintptr(v))
}

// MaxActiveBlocks returns how many thread blocks of the given number of threads a
// multiprocessor runs at once, each with shared bytes of dynamic shared memory.
func (f Function) MaxActiveBlocks(threads, shared int) (int, error) {
	n, err := get[int32](cuOccupancyMaxActiveBlocksPerMultiprocessor, uintptr(f), uintptr(threads), uintptr(shared))
	return int(n), err
}

// A Dim3 is an extent of a grid, in blocks, or of a block, in threads.
type Dim3 struct{ X, Y, Z int }

// A Launch is a prepared launch of a kernel with one argument, passed by value.
// Running it allocates nothing.
type Launch struct {
	args   [11]uintptr
	params [1]unsafe.Pointer
	arg    []byte
}

// NewLaunch prepares launches of f. The argument is the bytes that arg has at
// each launch; the Launch keeps arg.
func NewLaunch(f Function, grid, block Dim3, sharedMemBytes int, arg []byte) *Launch {
	l := &Launch{arg: arg}
	if len(arg) > 0 {
		l.params[0] = unsafe.Pointer(unsafe.SliceData(arg))
	}
	l.args = [11]uintptr{
		uintptr(f), uintptr(grid.X), uintptr(grid.Y), uintptr(grid.Z), uintptr(block.X), uintptr(block.Y), uintptr(block.Z),
		uintptr(sharedMemBytes), 0, uintptr(unsafe.Pointer(&l.params)), 0,
	}
	return l
}

// Run queues the kernel. One goroutine uses a Launch at a time.
func (l *Launch) Run(s Stream) error {
	l.args[8] = uintptr(s)
	err := call(cuLaunchKernel, l.args[:]...)
	runtime.KeepAlive(l)
	return err
}
