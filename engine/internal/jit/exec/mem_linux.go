package exec

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// dualMemory is a memory file mapped twice. No mapping ever changes its
// protection, so this works where that is forbidden (PR_SET_MDWE), and
// installing is a copy.
type dualMemory struct{}

func (dualMemory) reserve(size int) ([]byte, unsafe.Pointer, error) {
	fd, err := unix.MemfdCreate("oneloop-jit", unix.MFD_CLOEXEC|unix.MFD_EXEC)
	if err == unix.EINVAL { // before Linux 6.3, where files are executable anyway
		fd, err = unix.MemfdCreate("oneloop-jit", unix.MFD_CLOEXEC)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("memfd_create: %w", err)
	}
	defer unix.Close(fd) // the mappings hold the file
	if err := unix.Ftruncate(fd, int64(size)); err != nil {
		return nil, nil, fmt.Errorf("ftruncate: %w", err)
	}
	write, err := unix.MmapPtr(fd, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, fmt.Errorf("mmap: %w", err)
	}
	exec, err := unix.MmapPtr(fd, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_EXEC, unix.MAP_SHARED)
	if err != nil {
		_ = unix.MunmapPtr(write, uintptr(size))
		return nil, nil, fmt.Errorf("mmap: %w", err)
	}
	return unsafe.Slice((*byte)(write), size), exec, nil
}

func (dualMemory) free(write []byte, exec unsafe.Pointer) error {
	size := uintptr(len(write))
	if err := unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(write)), size); err != nil {
		return err
	}
	return unix.MunmapPtr(exec, size)
}

func (dualMemory) begin([]byte) error { return nil }

func (dualMemory) end([]byte) error { return nil }

// clean overwrites the code, and then has every processor that runs this process execute
// a serializing instruction. So other code can stand there as in memory that nobody has
// run (SDM vol. 3A, 9.1.3, cross-modifying code). Kernels that cannot do it (before
// 4.16) are left to the coherence that processors have in practice.
func (dualMemory) clean(parts [][]byte) {
	for _, p := range parts {
		for i := range p {
			p[i] = breakpoint
		}
	}
	registerSync()
	_, _, _ = unix.Syscall(unix.SYS_MEMBARRIER, membarrierSyncCore, 0, 0)
}

// Commands of membarrier(2): the "private expedited sync core" ones.
const (
	membarrierSyncCore         = 1 << 5
	membarrierRegisterSyncCore = 1 << 6
)

// registerSync takes about 10 ms in a process with several threads.
var registerSync = sync.OnceFunc(func() {
	_, _, _ = unix.Syscall(unix.SYS_MEMBARRIER, membarrierRegisterSyncCore, 0, 0)
})
