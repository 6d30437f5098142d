package limits

import "golang.org/x/sys/unix"

// reserve returns memory in huge pages if the system has them, and a function
// that releases it.
func reserve(bytes int) ([]byte, func(), error) {
	const huge = 2 << 20
	bytes = (bytes + huge - 1) &^ (huge - 1)
	mem, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, err
	}
	_ = unix.Madvise(mem, unix.MADV_HUGEPAGE) // an error only costs speed
	return mem, func() { _ = unix.Munmap(mem) }, nil
}
