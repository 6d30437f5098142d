package hostmem

import (
	"errors"
	"math"
	"runtime/debug"
	"testing"
	"unsafe"
)

func TestAllocate(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 1 << 20} {
		b, err := Allocate(n)
		if err != nil || len(b) != n {
			t.Fatalf("Allocate(%d): %d bytes, %v", n, len(b), err)
		}
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(b))); n > 0 && at%alignment != 0 {
			t.Errorf("Allocate(%d) is at %#x", n, at)
		}
	}
}

func TestRefuse(t *testing.T) {
	for _, n := range []int{-1, math.MinInt, math.MaxInt, MaxSize + 1, MaxSize} {
		b, err := Allocate(n)
		var e *Error
		if b != nil || !errors.As(err, &e) {
			t.Errorf("Allocate(%d): %d bytes, %v", n, len(b), err)
		}
	}
}

// TestGrant tests that Reserve refuses blocks that fit one by one and not
// together, although nothing touches them.
func TestGrant(t *testing.T) {
	old := available
	defer func() { available = old; grant.left.Store(0) }()
	grant.left.Store(0)
	total := 1 << 30
	available = func() int { return total }
	got := 0
	for {
		if err := Reserve(1 << 20); err != nil {
			break
		}
		got += 1 << 20
		total = 1<<30 - got
		if got > 1<<30 {
			t.Fatal("all blocks are granted")
		}
	}
	if got < 1<<29 {
		t.Errorf("%d bytes are granted of %d", got, 1<<30)
	}
}

// TestUntouched tests that blocks which nothing touches are counted: the system would
// grant any number of them.
func TestUntouched(t *testing.T) {
	if systemAvailable(0) == math.MaxInt {
		t.Skip("the system does not tell")
	}
	var keep [][]byte
	size := available() / 4
	if size < 1<<26 {
		t.Skip("there is little memory")
	}
	for range 40 { // other processes may give memory back meanwhile
		b, err := Allocate(size)
		if err != nil {
			keep = nil
			debug.FreeOSMemory()
			return
		}
		keep = append(keep, b)
	}
	t.Errorf("%d blocks of a quarter of the memory are granted", len(keep))
}

func TestMemoryLimit(t *testing.T) {
	defer func() { grant.left.Store(0) }()
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(mapped()) + 64<<20))
	grant.left.Store(0)
	if err := Reserve(1 << 30); err == nil {
		t.Error("a block above GOMEMLIMIT is granted")
	}
	if err := Reserve(8 << 20); err != nil {
		t.Error(err)
	}
}
