package exec

import (
	"testing"
	"unsafe"
)

// fakeMemory is memory that is never run. It counts the bytes that are cleaned. If cleaning
// is not nil, clean sends to it and waits for an answer.
type fakeMemory struct {
	cleaned  int
	cleaning chan struct{}
}

func (*fakeMemory) reserve(size int) ([]byte, unsafe.Pointer, error) {
	b := make([]byte, size)
	return b, unsafe.Pointer(unsafe.SliceData(b)), nil
}
func (*fakeMemory) free([]byte, unsafe.Pointer) error { return nil }
func (*fakeMemory) begin([]byte) error                { return nil }
func (*fakeMemory) end([]byte) error                  { return nil }

func (m *fakeMemory) clean(parts [][]byte) {
	for _, p := range parts {
		m.cleaned += len(p)
	}
	if m.cleaning != nil {
		m.cleaning <- struct{}{}
		<-m.cleaning
	}
}

// TestClean tests that memory of released code is used again only after it was cleaned,
// and that the arena cleans much at a time.
func TestClean(t *testing.T) {
	m := &fakeMemory{}
	a := &arena{mem: m, granule: codeAlign, limit: segmentSize}
	install := func() *Code {
		t.Helper()
		c, err := a.install(make([]byte, 1000))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const size = 1024
	used := map[uintptr]int{} // bytes that were cleaned when the code was released
	for i := range 10 * segmentSize / size {
		c := install()
		if at, ok := used[c.entry]; ok && at == m.cleaned {
			t.Fatalf("installation %d: the memory at %#x is used again, and was not cleaned", i, c.entry)
		}
		used[c.entry] = m.cleaned
		a.release(c)
		if want := (i + 1) * size / dirtyLimit * dirtyLimit; m.cleaned != want {
			t.Fatalf("installation %d: %d bytes have been cleaned, want %d", i, m.cleaned, want)
		}
	}
	// The last memory is cleaned earlier rather than not used.
	var codes []*Code
	a.release(install())
	for range segmentSize / size {
		codes = append(codes, install())
	}
	if _, err := a.install(make([]byte, 1000)); err != ErrFull {
		t.Errorf("error %v, want ErrFull", err)
	}
	for _, c := range codes {
		a.release(c)
	}
	if !a.segments[0].empty() {
		t.Errorf("free parts %v", a.segments[0].free)
	}
}

// TestCleanUnlocked tests that others can install code while an arena cleans.
func TestCleanUnlocked(t *testing.T) {
	m := &fakeMemory{cleaning: make(chan struct{})}
	a := &arena{mem: m, granule: codeAlign, limit: arenaLimit}
	big, err := a.install(make([]byte, dirtyLimit))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		a.release(big)
		close(done)
	}()
	<-m.cleaning
	if c, err := a.install(nothing()); err != nil || c.span.start < dirtyLimit {
		t.Errorf("%+v, %v", c, err)
	}
	m.cleaning <- struct{}{}
	<-done
	if c, err := a.install(nothing()); err != nil || c.span.start != 0 {
		t.Errorf("%+v, %v", c, err)
	}
}
