package hostmem

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// largeBlock is the size from which memory is worth huge pages: below it, the
// part that is not a whole huge page is too large.
const largeBlock = 4 << 20

// preferHugePages asks the system for huge pages, which spare a walk of the page
// tables every 4 KiB. It is only advice, so that nothing has to be undone when the
// garbage collector takes the memory back, and memory of the caller is left alone.
func preferHugePages(b []byte) {
	if len(b) < largeBlock {
		return
	}
	page := uintptr(os.Getpagesize())
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (page - 1)
	whole := (uintptr(len(b)) - skip) &^ (page - 1)
	_ = unix.Madvise(b[skip:skip+whole], unix.MADV_HUGEPAGE) // without it everything works, too
}
