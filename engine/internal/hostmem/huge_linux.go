package hostmem

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// largeBlock is the smallest block with huge pages, in bytes. In a smaller one,
// too large a part is not a whole huge page.
const largeBlock = 4 << 20

// preferHugePages advises the system to use huge pages for b, which saves a walk
// of the page tables every 4 KiB. Nothing has to be undone when the garbage
// collector frees b, because this is only advice.
func preferHugePages(b []byte) {
	if len(b) < largeBlock {
		return
	}
	page := uintptr(os.Getpagesize())
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (page - 1)
	whole := (uintptr(len(b)) - skip) &^ (page - 1)
	_ = unix.Madvise(b[skip:skip+whole], unix.MADV_HUGEPAGE) // an error costs only speed
}
