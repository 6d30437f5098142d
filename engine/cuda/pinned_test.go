package cuda

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

func pin[T expr.Elem](t *testing.T, d driver.Device, n int) *Pinned[T] {
	t.Helper()
	p, err := Pin[T](d, n)
	check(t, err)
	return p
}

func bytesOf(x []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), 4*len(x))
}

// testPinned copies pinned memory on one stream while programs run on another. No
// goroutine and no buffer takes part in the copies.
func testPinned(t *testing.T, s *standIn) {
	d := open(t)
	in, out := pin[float32](t, d, 1000), pin[float32](t, d, 1000)
	x, y := zeros(t, d, 1000), zeros(t, d, 1000)
	p, err := engine.Compile(ctx, expr.Let(y, op.Add(x, x)))
	check(t, err)
	copies, err := d.NewStream()
	check(t, err)
	runs, err := d.NewStream()
	check(t, err)
	check(t, p.Run(ctx))
	for round := range 3 {
		for i := range in.Data() {
			in.Data()[i] = float32(i + round)
		}
		to, err := x.Array().Memory().MutableOnDevice()
		check(t, err)
		check(t, d.Upload(copies, to, bytesOf(in.Data())))
		runs.After(copies.Record())
		p.RunAsync(runs)
		copies.After(runs.Record())
		check(t, d.Download(copies, bytesOf(out.Data()), y.Array().Memory().Allocation()))
		c := copies.(*stream)
		c.mu.Lock()
		waits := round == 0 && c.running || c.stage.buf[0] != nil // Sync may leave a goroutine that ends
		c.mu.Unlock()
		if waits {
			t.Error("a copy of pinned memory waits for a goroutine or has a buffer")
		}
		check(t, copies.Sync(ctx))
		for i, got := range out.Data() {
			if want := float32(2 * (i + round)); got != want {
				t.Fatalf("element %d of round %d is %v, want %v", i, round, got, want)
			}
		}
	}
	check(t, copies.Close())
	check(t, runs.Close())
	host, err := engine.FromSlice(in.Data(), 10, 100)
	check(t, err)
	there, err := host.To(d)
	check(t, err)
	if there.At(1, 3) != 105 {
		t.Errorf("moved from pinned memory: %v", there.At(1, 3))
	}
	runtime.KeepAlive(host)
	data := in.Data()
	check(t, in.Free())
	check(t, in.Free())
	if pins.hold(bytesOf(data)) || !pins.hold(bytesOf(out.Data()[7:9])) || in.Data() != nil {
		t.Error("what is released counts as pinned, or what is pinned does not")
	}
	check(t, out.Free())
	check(t, pin[int64](t, d, 0).Free())
	testPinErrors(t, s, d)
}

func testPinErrors(t *testing.T, s *standIn, d driver.Device) {
	if _, err := Pin[int64](d, -1); !errors.Is(err, expr.ErrValue) {
		t.Errorf("a negative number of elements: %v", err)
	}
	if _, err := Pin[int64](d, 1<<(bitsOfInt-2)); !errors.Is(err, expr.ErrOutOfMemory) {
		t.Errorf("more than there can be: %v", err)
	}
	if _, err := Pin[int64](engine.CPU(), 1); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("memory pinned by the host: %v", err)
	}
	s.fail("cuMemHostAlloc", 0, cu.ERROR_OUT_OF_MEMORY)
	if _, err := Pin[int64](d, 1); !errors.Is(err, expr.ErrOutOfMemory) {
		t.Errorf("no memory to pin: %v", err)
	}
}

const bitsOfInt = 32 << (^uint(0) >> 63)

// spanned has a fixed address. Memory on a stack moves with it.
var spanned [100]byte

func TestSpans(t *testing.T) {
	all := spanned[:]
	at := uintptr(unsafe.Pointer(&all[0]))
	var s spans
	if s.hold(all[:1]) {
		t.Error("memory is pinned before any was added")
	}
	s.add(span{at + 50, 20})
	s.add(span{at + 10, 20})
	for _, x := range []struct {
		from, to int
		want     bool
	}{{10, 30, true}, {11, 30, true}, {29, 30, true}, {9, 11, false}, {10, 31, false}, {30, 31, false}, {25, 55, false}, {50, 70, true}, {69, 71, false}, {70, 71, false}} {
		if got := s.hold(all[x.from:x.to]); got != x.want {
			t.Errorf("bytes %d to %d are pinned: %v", x.from, x.to, got)
		}
	}
	s.remove(at + 10)
	if s.hold(all[10:20]) || !s.hold(all[50:70]) {
		t.Error("the wrong memory was removed")
	}
}
