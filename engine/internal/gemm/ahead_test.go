package gemm

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim/scalar"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestStripsPrefetchLines tests that kernels prefetch all lines of the next strip that the strip before has not read, wherever
// in a line the rows begin.
func TestStripsPrefetchLines(t *testing.T) {
	const terms, size, step = 20, 4, 1000 // 1000 is no multiple of a line
	b := make([]byte, (terms+passAhead)*step+4*cacheLine)
	from := unsafe.Pointer(&b[0])
	line := func(at uintptr) uintptr { return at / cacheLine }
	check := func(fetched map[uintptr]bool, at uintptr, width int) {
		t.Helper()
		for x := line(at-1) + 1; x <= line(at+uintptr(width)-1); x++ {
			if !fetched[x] {
				t.Fatalf("%d bytes at %d of a line: not all lines are prefetched", width, at%cacheLine)
			}
		}
	}
	for _, width := range []int{32, 64, 96, 128} {
		for _, r := range []rate{sparse, even, each, dense} {
			p, q := placement{from: from, stepK: step, stepN: size}, sources{rate: r}
			q.addPacked(&p, width/size, width/size, 0, terms)
			fetched := map[uintptr]bool{}
			var a args
			for kernels := 1; kernels > 0; {
				kernels = q.take(&a, terms, 1000, 1, false)
				for i := range kernels * r.prefetches(terms) {
					at := a.ahead + uintptr(i/r.prefetches(terms)*a.tileAhead+i%r.prefetches(terms)*a.aheadStep)
					for n := 0; n < r.bytes(); n += cacheLine {
						fetched[line(at+uintptr(n))] = true
					}
				}
			}
			for k := range terms {
				check(fetched, uintptr(from)+uintptr(k*step+width), width)
			}
		}
		if width <= cacheLine { // kernels of one pass prefetch one line with each term
			for k := range terms {
				c := call{e: &machine{through: true}, strip: width}
				c.args.b, c.args.bs = unsafe.Add(from, k*step+width), step
				c.prefetch(1, 1)
				check(map[uintptr]bool{line(c.args.ahead): true}, uintptr(c.args.b)+passAhead*step, width)
			}
		}
	}
}

// follows is an engine that only notes its tiles, and those that follow them.
type follows struct {
	engine
	tiles, next []tile
}

func (f *follows) compute(t *tile, _ *scratch, _ func() bool) {
	f.tiles = append(f.tiles, *t)
	if t.next != nil {
		f.next = append(f.next, *t.next)
	}
}

// TestTilesThatFollow tests that tiles know the next one that a worker computes, whose operands it prefetches, if operands come from afar.
func TestTilesThatFollow(t *testing.T) {
	defer func(old func() int) { l2 = old }(l2)
	const m, n, k, batch = 50, 70, followed, 3
	x := make([]float32, batch*k*(m+n))
	p := Problem{Type: dtype.F32, M: m, N: n, K: k, A: Matrix{k, 1}, B: Matrix{n, 1}, OffA: []int{0, m * k, 2 * m * k}, OffB: []int{0, n * k, 2 * n * k}}
	for _, near := range []bool{false, true} {
		l2 = func() int { return 4*len(x) - 1 + scalar.FromBool[int](near) }
		bind := &ir.Binding{Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&x[0])}, {Ptr: unsafe.Pointer(&x[batch*k*m])}, {Ptr: unsafe.Pointer(&make([]float32, batch*m*n)[0])}}}
		d := New(isas()[len(isas())-1], p, bind, 1)
		f := &follows{engine: d.eng}
		d.eng, d.rows, d.cols, d.nr, d.nc, d.machine.cells = f, 30, 40, 2, 2, nil
		d.NewWorker().Run(1, 11)
		for i := range f.next {
			f.next[i].repeat, f.next[i].next, f.next[i].c, f.next[i].ldc, f.next[i].combination = f.tiles[i+1].repeat, f.tiles[i+1].next, f.tiles[i+1].c, f.tiles[i+1].ldc, f.tiles[i+1].combination
		}
		if len(f.tiles) != 10 || near && f.next != nil || !near && !slices.Equal(f.next, f.tiles[1:]) {
			t.Errorf("near %v: %+v follow %+v", near, f.next, f.tiles)
		}
	}
}

// TestListed tests that products of many kernels are lists of at most four calls, up to a limit that lets a context end them.
func TestListed(t *testing.T) {
	for _, isa := range isas()[1:] {
		for _, m := range []int{1000, 1100} {
			p := Problem{Type: dtype.F32, M: m, N: 64, K: 60, A: Matrix{60, 1}, B: Matrix{64, 1}, OffA: []int{0}, OffB: []int{0}}
			d := New(isa, p, &ir.Binding{}, 1)
			if n := len(d.machine.cells); n > 4 || (n > 0) != (m*64*60 <= mostListed) {
				t.Errorf("%s, %d rows: %d calls", isa, m, n)
			}
		}
	}
}

// TestListsStop tests that a list of products looks at its context after at most 64 products and [mostListed] multiply-adds.
func TestListsStop(t *testing.T) {
	for _, isa := range isas()[1:] {
		for size, want := range map[int]int{120: 2, 80: 8, 10: 64} {
			const batch = 70
			p := Problem{Type: dtype.I32, M: size, N: size, K: size, A: Matrix{size, 1}, B: Matrix{size, 1}, OffA: make([]int, batch), OffB: make([]int, batch)}
			a, c := slices.Repeat([]int32{1}, size*size), make([]int32, batch*size*size)
			bufs := []ir.BufBind{{Ptr: unsafe.Pointer(&a[0])}, {Ptr: unsafe.Pointer(&a[0])}, {Ptr: unsafe.Pointer(&c[0])}}
			d, looks := New(isa, p, &ir.Binding{Bufs: bufs}, 1), 0
			d.stop = func() bool { looks++; return looks > 1 }
			d.NewWorker().Run(0, batch)
			if done := slices.Index(c, 0) / (size * size); len(d.machine.cells) == 0 || done != want {
				t.Errorf("%s, size %d: %d products, want %d", isa, size, done, want)
			}
		}
	}
}

// TestListsPrefetch tests that the kernels of a list prefetch the operands of later products, and nothing if there is one product.
func TestListsPrefetch(t *testing.T) {
	const size = 40
	for _, isa := range isas()[1:] {
		for batch := 1; batch <= 2; batch++ {
			p := Problem{Type: dtype.F64, M: size, N: size, K: size, A: Matrix{size, 1}, B: Matrix{size, 1}, OffA: []int{0, size * size}[:batch], OffB: []int{0, size * size}[:batch]}
			e := New(isa, p, &ir.Binding{}, 1).machine
			if fetches := e.later[0].step > 0; fetches != (batch > 1 && len(e.cells) > 0) {
				t.Errorf("%s: %d calls, %d products: kernels prefetch: %v", isa, len(e.cells), batch, fetches)
			}
		}
	}
}

// TestKernelsPrefetchResults tests that kernels prefetch all lines of the results that they store, wherever these begin within a line.
func TestKernelsPrefetchResults(t *testing.T) {
	for isa, kernels := range families {
		f := kernels[dtype.F32]
		for vecs := 1; vecs <= 2; vecs++ {
			w := writer{Asm: x86.New(), f: f, s: shape{rows: 4, vecs: vecs}}
			w.write()
			code, err := w.Code()
			if err != nil {
				t.Fatal(err)
			}
			var offsets []int
			for i := range len(code) - 4 { // prefetches at r11, or at r11 and a byte
				switch [4]byte(code[i:]) {
				case [4]byte{0x41, 0x0f, 0x18, 0x0b}:
					offsets = append(offsets, 0)
				case [4]byte{0x41, 0x0f, 0x18, 0x4b}:
					offsets = append(offsets, int(code[i+4]))
				}
			}
			width := vecs * f.vector
			for at := range cacheLine {
				lines := map[int]bool{}
				for _, x := range offsets {
					lines[(at+x)/cacheLine] = true
				}
				if want := (at+width-1)/cacheLine + 1; len(lines) != want {
					t.Fatalf("%s, %d vectors from byte %d of a line on: %d lines of %d are prefetched", isa, vecs, at, len(lines), want)
				}
			}
		}
	}
}
