package gemm

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// count returns the number of kernels of products that there are.
func (f *family) count() (n int) {
	t := f.table()
	const size = unsafe.Sizeof(exec.Lazy{})
	for _, all := range [][]exec.Lazy{unsafe.Slice((*exec.Lazy)(unsafe.Pointer(&t.kernels)), unsafe.Sizeof(t.kernels)/size), t.transposed[:], unsafe.Slice((*exec.Lazy)(unsafe.Pointer(&t.resumed)), unsafe.Sizeof(t.resumed)/size)} {
		for i := range all {
			if all[i].Load() != nil {
				n++
			}
		}
	}
	return n
}

// empty returns a family like f that has no kernels yet.
func (f *family) empty() *family {
	return &family{avx512: f.avx512, size: f.size, vector: f.vector, rows: f.rows, mul: f.mul, add: f.add, times: f.times, div: f.div, apart: f.apart, whole: f.whole, parts: f.parts, group: f.group, transposing: f.transposing}
}

// TestKernelsAreMadeBefore tests that no run makes a kernel: there might be no memory for it.
func TestKernelsAreMadeBefore(t *testing.T) {
	const m, n = 137, 53
	old3 := l3
	defer func() { l3 = old3 }()
	a, b, c := make([]uint64, m*(Section+1)), make([]uint64, n*(Section+1)), make([]uint64, m*n)
	places := []Matrix{{n, 1}, {1, m}}
	for _, isa := range isas()[1:] {
		for typ, old := range families[isa] {
			for _, save := range []Save{Set, Add, Mul} {
				for _, k := range []int{9, Block + 1, Section + 1} {
					for i := range 10 {
						p := Problem{Type: typ, M: m, N: n, K: k, Save: save, Scaled: save == Set, OffA: []int{0}, OffB: []int{0}, OffC: []int{0}}
						p.A, p.B, p.C = []Matrix{{k, 1}, {1, m}}[i&1], []Matrix{{n, 1}, {1, k}}[i>>1&1], places[i>>2&1]
						if k > Section && i < 6 || !testlevel.Wide() && (i+int(typ))%3 != 0 { // a few will do
							continue
						}
						if i == 7 {
							p.M, p.N, p.C = 9, 13, Matrix{2 * 13 * 2, 2}
							p.A, p.B = Matrix{k, 1}, Matrix{13, 1}
						}
						if i == 8 {
							p.M, p.C = 7, Matrix{n, 1}
							p.A, p.B = Matrix{k, 1}, Matrix{1, k}
						}
						if l3 = old3; i == 9 { // passes compute it
							if k != Block+1 {
								continue
							}
							l3 = func() int { return 1 << 10 }
							p.M, p.N, p.C = 8, 150, Matrix{150, 1}
							p.A, p.B = Matrix{k, 1}, Matrix{150, 1}
						}
						f := old.empty()
						families[isa][typ] = f
						bind := &ir.Binding{Scalars: []uint64{1, 1}, Bufs: []ir.BufBind{{Ptr: unsafe.Pointer(&a[0])}, {Ptr: unsafe.Pointer(&b[0])}, {Ptr: unsafe.Pointer(&c[0])}}}
						d := New(isa, p, bind, 2)
						before := f.count()
						units, _, _ := d.Units()
						d.Begin()
						w := d.NewWorker()
						w.Run(0, units)
						d.Finish(w)
						families[isa][typ] = old
						if after := f.count(); before == 0 || after != before {
							t.Fatalf("%s: %+v: there are %d kernels before the run and %d after it", isa, p, before, after)
						}
					}
				}
			}
		}
	}
}

// TestFewRowsReadColumns tests that products of few rows read a right operand by columns as it is, and that results of few
// columns are computed as rows.
func TestFewRowsReadColumns(t *testing.T) {
	const long = 300
	for _, isa := range isas()[1:] {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
			for m := 2; m <= families[isa][typ].mostTransposed(); m++ {
				p := Problem{Type: typ, M: m, N: 30, K: long, A: Matrix{long, 1}, B: Matrix{1, long}, OffA: []int{0}, OffB: []int{0}}
				if d := New(isa, p, &ir.Binding{}, 1); !d.machine.transposed {
					t.Errorf("%s: %d rows of %v pack the right operand", isa, m, typ)
				}
			}
			p := Problem{Type: typ, M: long, N: 2, K: long, A: Matrix{long, 1}, B: Matrix{2, 1}, OffA: []int{0}, OffB: []int{0}}
			if d := New(isa, p, &ir.Binding{}, 1); d.a != 1 || !d.machine.transposed {
				t.Errorf("%s: two columns of %v are no rows", isa, typ)
			}
			if isa == "avx512" {
				narrow := func(rows, n, terms int, want bool) {
					p := Problem{Type: typ, M: rows, N: n, K: terms, A: Matrix{terms, 1}, B: Matrix{n, 1}, OffA: []int{0}, OffB: []int{0}}
					if d := New(isa, p, &ir.Binding{}, 1); d.machine.transposed != want {
						t.Errorf("%d columns of %v with %d terms are rows: %v", n, typ, terms, !want)
					}
				}
				narrow(64, 4, 64, true)
				narrow(64, 7, 64, true)
				narrow(64, 8, 48, typ == dtype.F32) // 8 of float64 fill a vector: they cost less than a transposition
				narrow(64, 8, 64, true)
				narrow(16, 4, 32, true)
				narrow(15, 4, 100, false)
				narrow(16, 4, 31, false)
				narrow(200, 10, 15, false)
				narrow(200, 10, 64, true)
				narrow(600, 8, 7, false)
				narrow(600, 2, 3, false)
				byColumns := Problem{Type: typ, M: 600, N: 11, K: 9, A: Matrix{1, 600}, B: Matrix{11, 1}, OffA: []int{0}, OffB: []int{0}}
				if d := New(isa, byColumns, &ir.Binding{}, 1); d.a != 0 {
					t.Errorf("11 columns of %v with 9 terms by columns are rows", typ)
				}
				narrow(600, 2, 4, true)
				narrow(2000, 10, 15, false)
				narrow(l3()/50, 4, 15, false)
				narrow(l3()/50, 4, 16, true)
				narrow(l3()/1000, 4, 400, false) // long rows from memory
				narrow(200, 12, 200, true)
				narrow(200, 13, 200, false)
				narrow(l3()/1000, 9, 200, false)
				p = Problem{Type: typ, M: 4, N: 64, K: long, A: Matrix{long, 1}, B: Matrix{1, 64 << 10}, OffA: []int{0}, OffB: []int{0}}
				if d := New(isa, p, &ir.Binding{}, 1); d.machine.width > ways && !d.machine.copiesB {
					t.Errorf("%d columns of %v share a set of the first-level cache", d.machine.width, typ)
				}
			}
			if isa != "avx2" {
				continue
			}
			p = Problem{Type: typ, M: 16, N: 3, K: long, A: Matrix{long, 1}, B: Matrix{1, long}, OffA: []int{0}, OffB: []int{0}}
			if d := New(isa, p, &ir.Binding{}, 1); d.a != 1 || !d.machine.transposed {
				t.Errorf("three columns of 16 rows of %v are no rows", typ)
			}
			p = Problem{Type: typ, M: 64, N: 8, K: 64, A: Matrix{1, 64}, B: Matrix{8, 1}, OffA: []int{0}, OffB: []int{0}}
			if d := New(isa, p, &ir.Binding{}, 1); d.a != 0 || d.machine.transposed {
				t.Errorf("eight columns of %v, which leave no lane empty, are rows", typ)
			}
		}
	}
}

// TestSmallCaches tests products on machines whose second level is said to be tiny.
func TestSmallCaches(t *testing.T) {
	old, old3 := l2, l3
	defer func() { l2, l3 = old, old3 }()
	for _, size := range []int{1, 4 << 10, 64 << 10, 256 << 10} {
		l2 = func() int { return size }
		l3 = l2
		r := rand.New(rand.NewPCG(1, uint64(size)))
		try := func(m, n, k int, la, lb layout) {
			s := newSample(r, dtype.F64, m, n, k, 1, la, lb, r.NormFloat64, fma64)
			for _, isa := range isas() {
				s.check(t, isa, 1+r.IntN(3), r)
			}
		}
		try(40, 500, 0, layouts[0], layouts[0])                                                    // several blocks of rows
		try(23, 300, 1+r.IntN(64), layouts[r.IntN(4)], layouts[r.IntN(4)])                         // long rows of few terms
		try(130+r.IntN(200), 2+r.IntN(22), 17+r.IntN(400), layouts[r.IntN(4)], layouts[r.IntN(4)]) // one strip of many tiles
		try(13+r.IntN(30), 72+r.IntN(60), 129+r.IntN(300), layouts[1], layouts[r.IntN(4)])         // columns that are packed
		try(71+r.IntN(30), 33+r.IntN(32), 1+r.IntN(64), layouts[0], layouts[0])                    // rows of results share lines
		for m := 1; m < 16; m += 4 {
			try(m, 1+r.IntN(300), 1+r.IntN(300), layouts[r.IntN(4)], layouts[r.IntN(4)])
			try(10+r.IntN(60), 1+r.IntN(100), 1+r.IntN(2)*r.IntN(300), layouts[r.IntN(4)], layouts[r.IntN(3)])
			terms, columns := []Axis{{3, 400}, {7, 20}, {7, 1}}, []Axis{{2, 180}, {9, 20}, {5, 1}}
			testGrid(t, r, dtype.F64, 1+m, terms, columns, r.NormFloat64)
			testGrid(t, r, dtype.F32, 1+m, columns, terms, func() float32 { return float32(r.NormFloat64()) })
		}
	}
}

// TestShapes tests that few columns are one strip, where its sums fill the registers: each element of A is
// read once then. Rows of A that share a set of the first-level cache are no more than its ways.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		isa        string
		m, n, k    int
		shared     bool
		rows, vecs int
	}{
		{"avx2", 100000, 16, 20, false, 6, 2},
		{"avx2", 100000, 20, 20, false, 4, 3},
		{"avx2", 100000, 20, 200, false, 4, 3},
		{"avx2", 100000, 21, 20, false, 4, 3},
		{"avx2", 100000, 21, 200, false, 4, 3},
		{"avx2", 100000, 32, 20, false, 3, 4},
		{"avx2", 100000, 31, 20, false, 6, 2},
		{"avx2", 100000, 40, 20, false, 2, 5},
		{"avx2", 100000, 40, 200, false, 6, 2},
		{"avx2", 100000, 47, 20, false, 6, 2},
		{"avx2", 100000, 100, 20, false, 6, 2},
		{"avx2", 8, 100, 20, false, 4, 3},
		{"avx512", 12, 8, 4096, false, 12, 1},
		{"avx512", 12, 8, 4096, true, 6, 1},
		{"avx512", 64, 512, 4096, true, 13, 2},
		{"avx512", 100000, 100, 30, false, 3, 7}, // results that are far
		{"avx512", 100000, 90, 30, false, 4, 6},
		{"avx512", 100000, 90, 1, false, 2, 6},
		{"avx512", 100000, 96, 30, false, 14, 2}, // whole lines
		{"avx512", 200, 200, 4, false, 3, 7},     // wide results: strips of about one width
		{"avx512", 200, 200, 2, false, 2, 13},
		{"avx512", 500, 500, 8, false, 3, 8},
		{"avx512", 20, 300, 4, false, 10, 2}, // in the first-level cache
		{"avx512", 10, 2000, 40, false, 3, 9},
	} {
		f := families[c.isa][dtype.F32]
		if rows, vecs := f.shape(&Problem{M: c.m, N: c.n, K: c.k, A: Matrix{c.k, 1}, C: Matrix{c.n, 1}, OffA: []int{0}}, c.shared); rows != c.rows || vecs != c.vecs {
			t.Errorf("%s: %d x %d x %d: %d rows of %d vectors", c.isa, c.m, c.n, c.k, rows, vecs)
		}
	}
	columns := Problem{M: 10, N: 2000, K: 40, A: Matrix{40, 1}, C: Matrix{1, 10}, OffA: []int{0}}
	if rows, vecs := families["avx512"][dtype.F32].shape(&columns, false); rows != 10 || vecs != 2 {
		t.Errorf("columns of the result: %d rows of %d vectors", rows, vecs)
	}
	for _, c := range []struct{ k, rows, vecs int }{{20, 6, 4}, {storedTerms + 1, 13, 2}} {
		stack := Problem{M: 64, N: 64, K: c.k, A: Matrix{c.k, 1}, C: Matrix{64, 1}, OffA: make([]int, l2()/1000)}
		if rows, vecs := families["avx512"][dtype.F32].shape(&stack, false); rows != c.rows || vecs != c.vecs {
			t.Errorf("results of a stack of %d terms: %d rows of %d vectors", c.k, rows, vecs)
		}
	}
}

// TestOneCall tests which products of few rows one call computes.
func TestOneCall(t *testing.T) {
	defer func(two, three func() int) { l2, l3 = two, three }(l2, l3)
	l2, l3 = func() int { return 1 << 20 }, func() int { return 32 << 20 }
	for _, x := range []struct {
		m, n, k int
		want    bool
	}{
		{6, 2000, 200, true},
		{6, 2000, 70, true},
		{6, 2000, 16, false},
		{6, 600, 70, false},   // B is near
		{6, 2048, 200, false}, // its rows share a set
		{6, 20000, 200, false},
		{30, 2000, 200, false},
	} {
		for _, isa := range isas()[1:] {
			p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.k, 1}, B: Matrix{x.n, 1}, OffA: origin, OffB: origin}
			if got := New(isa, p, &ir.Binding{}, 1).machine.through; got != x.want {
				t.Errorf("%s: one call computes %d x %d x %d: %v", isa, x.m, x.n, x.k, got)
			}
		}
	}
}

// TestUnevenRowsArePacked tests that rows of B that fill no vectors are packed for many rows of A, and no others of a small product.
func TestUnevenRowsArePacked(t *testing.T) {
	defer func(old func() int) { l2 = old }(l2)
	l2 = func() int { return 1 << 20 }
	for _, isa := range isas()[1:] {
		for m, n := range map[int]int{40: 300, 400: 300, 401: 320} {
			p := Problem{Type: dtype.F32, M: m, N: n, K: 8, A: Matrix{8, 1}, B: Matrix{n, 1}, OffA: []int{0}, OffB: []int{0}}
			if d := New(isa, p, &ir.Binding{}, 1); d.machine.packB != (m == 400) {
				t.Errorf("%s: %d x %d: B is packed: %v", isa, m, n, d.machine.packB)
			}
		}
	}
}

// TestFewTermsPrefetchResults tests which products of few terms prefetch results that come from memory, tile by tile.
func TestFewTermsPrefetchResults(t *testing.T) {
	if !slices.Contains(isas(), "avx2") {
		t.Skip("there is no AVX2")
	}
	old, oldStreamed := l2, streamed
	defer func() { l2, streamed = old, oldStreamed }()
	l2, streamed = func() int { return 512 << 10 }, func() int { return 8 << 20 }
	for _, x := range []struct {
		batch, m, n, k int
		want           rate
	}{
		{1, 1852, 929, 21, even},
		{100, 100, 100, 30, even},
		{100, 90, 90, 9, each},
		{1, 100, 100, 30, silent},   // the result stays in the second level
		{1, 20000, 111, 50, silent}, // the rows of a group stay there
		{100, 42, 202, 5, silent},   // there are fewer terms than rows
		{1, 1000, 929, 64, silent},  // each kernel prefetches its own results
		{1, 3000, 928, 21, silent},  // stores bypass the caches
	} {
		p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.k, 1}, B: Matrix{x.n, 1}, OffA: make([]int, x.batch), OffB: make([]int, x.batch)}
		d := New("avx2", p, &ir.Binding{}, 1)
		e := &d.machine
		e.stream = e.streams
		c := call{e: e, t: &tile{m: d.rows, n: d.cols, k: x.k}}
		c.args.k = x.k
		c.divide(d.rows)
		if got := c.resultRate(c.group()); got != x.want {
			t.Errorf("%d of %d x %d x %d prefetch at rate %d, not %d", x.batch, x.m, x.n, x.k, got, x.want)
		}
	}
}

// TestOneStripPrefetchesRows tests which products of one strip of columns are computed by one call, whose kernels prefetch rows of later tiles.
func TestOneStripPrefetchesRows(t *testing.T) {
	if !slices.Contains(isas(), "avx2") {
		t.Skip("there is no AVX2")
	}
	old, old3 := l2, l3
	defer func() { l2, l3 = old, old3 }()
	l2, l3 = func() int { return 512 << 10 }, func() int { return 32 << 20 }
	for _, x := range []struct {
		m, n, k, stride int
		want            rate
		ahead           bool
	}{
		{1000, 8, 100, 100, even, true},
		{1000, 8, 100, 0, each, true},      // A by columns
		{1000, 8, 868, 868, silent, true},  // parts of rows, which are near
		{5000, 8, 868, 868, silent, false}, // and which are not
		{1000, 8, 100, 101, silent, false}, // rows do not follow each other
		{1000, 8, 10, 10, silent, false},
		{24, 8, 100, 100, silent, false},
		{1000, 40, 100, 100, silent, false}, // three strips
	} {
		p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.stride, 1}, B: Matrix{x.n, 1}, OffA: []int{0}, OffB: []int{0}}
		if x.stride == 0 {
			p.A = Matrix{1, x.m}
		}
		d := New("avx2", p, &ir.Binding{}, 1)
		e := &d.machine
		c := call{e: e, t: &tile{m: d.rows, n: d.cols, k: x.k}, terms: min(x.k, Block), across: e.across, row: e.a.Row}
		c.args.k = c.terms
		c.divide(d.rows)
		if got, ahead := c.rowsRate(); got != x.want || ahead != x.ahead {
			t.Errorf("%d x %d x %d prefetch at rate %d, %v, not %d, %v", x.m, x.n, x.k, got, ahead, x.want, x.ahead)
		}
	}
}

// TestOrders tests in which order the kernels of a tile run.
func TestOrders(t *testing.T) {
	old, old3 := l2, l3
	defer func() { l2, l3 = old, old3 }()
	l2, l3 = func() int { return 512 << 10 }, func() int { return 32 << 20 }
	for _, isa := range isas()[1:] {
		for _, x := range []struct {
			m, n, k      int
			avx2, avx512 order
		}{
			{1024, 1024, 1024, eachStrip, eachStrip},
			{10, 20, 300, fewCalls, fewCalls},    // one strip
			{1000, 48, 20, eachGroup, onlyStrip}, // AVX-512 has one strip
			{1000, 8, 20, onlyStrip, fewCalls},   // rows of A follow each other; AVX-512 multiplies the transposes
			{2000, 16, 200, onlyStrip, onlyStrip},
			{1000, 8, 100, onlyStrip, eachStrip},  // the same with a larger B
			{500, 100, 60, eachGroup, eachGroup},  // B stays in the first level
			{500, 150, 100, eachGroup, eachStrip}, // B stays in the second level
			{3000, 900, 10, eachTile, eachGroup},  // stores of few terms take longer than reading B again
		} {
			p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.k, 1}, B: Matrix{x.n, 1}, OffA: []int{0}, OffB: []int{0}}
			d := New(isa, p, &ir.Binding{}, 1)
			e := &d.machine
			c := call{e: e, t: &tile{m: d.rows, n: d.cols, k: x.k}, terms: min(x.k, Block), across: e.across, row: e.a.Row}
			c.args.k = c.terms
			c.divide(e.step(d.rows, d.cols))
			want := map[string]order{"avx2": x.avx2, "avx512": x.avx512}
			if got := c.choose(); isa != "neon" && got != want[isa] {
				t.Errorf("%s, %d x %d x %d: order %d, not %d", isa, x.m, x.n, x.k, got, want[isa])
			}
		}
	}
}

// TestPacked tests which operands of AVX2 are packed because of where their elements lie.
func TestPacked(t *testing.T) {
	old := l2
	defer func() { l2 = old }()
	l2 = func() int { return 512 << 10 }
	for _, x := range []struct {
		m, n, k      int
		across       bool
		packA, packB bool
	}{
		{585, 152, 532, true, true, true}, // parts of many lines
		{585, 152, 100, true, false, true},
		{585, 100, 532, true, false, true}, // too few strips
		{300, 17, 100, false, false, true}, // rows that fill no vectors
		{300, 16, 100, false, false, false},
		{100, 17, 100, false, false, false},
	} {
		p := Problem{Type: dtype.F32, M: x.m, N: x.n, K: x.k, A: Matrix{x.k, 1}, B: Matrix{x.n, 1}, OffA: []int{0}, OffB: []int{0}}
		if x.across {
			p.A = Matrix{1, x.m}
		}
		var e machine
		e.init(families["avx2"][dtype.F32], &p, arithmetic{}, false)
		if e.packA != x.packA || e.packB != x.packB {
			t.Errorf("%d x %d x %d: A is packed: %v, B: %v", x.m, x.n, x.k, e.packA, e.packB)
		}
	}
	p := Problem{Type: dtype.F32, M: 20, N: 60, K: 40, A: Matrix{40, 1}, B: Matrix{1, 40}, OffA: []int{0}, OffB: []int{0}}
	if families["avx2"][dtype.F32].transposesFirst(&p, 2) {
		t.Error("a small B is packed by the kernels that read it")
	}
	if p.N = 6000; !families["avx2"][dtype.F32].transposesFirst(&p, 2) {
		t.Error("a large B is packed before its kernels")
	}
}

// TestKernelsPack tests which kernels pack what they read: those of the first tile their strip of B, those of the first strip their rows of A.
func TestKernelsPack(t *testing.T) {
	defer func(old func() int) { l2 = old }(l2)
	l2 = func() int { return 512 << 10 }
	for _, isa := range isas()[1:] {
		for _, x := range []struct {
			a, b          Matrix
			half          dtype.Type
			strips, tiles bool
		}{
			{Matrix{300, 1}, Matrix{400, 1}, dtype.Invalid, true, isa == "avx512"},
			{Matrix{300, 1}, Matrix{1, 300}, dtype.Invalid, false, isa == "avx512"},
			{Matrix{1, 500}, Matrix{400, 1}, dtype.Invalid, true, false},
			{Matrix{300, 1}, Matrix{400, 1}, dtype.F16, true, false},
		} {
			p := Problem{Type: dtype.F32, HalfA: x.half, M: 500, N: 400, K: 300, A: x.a, B: x.b, OffA: []int{0}, OffB: []int{0}}
			d := New(isa, p, &ir.Binding{}, 1)
			c := call{e: &d.machine, t: &tile{m: 500, n: 400, k: 300}, terms: Block}
			c.divide(140)
			c.kernels()
			if c.packing[0] != nil != x.strips || c.copying[0] != nil != x.tiles {
				t.Errorf("%s, %v: kernels pack B: %v, A: %v", isa, x, c.packing[0] != nil, c.copying[0] != nil)
			}
		}
	}
}

// TestSmallProductsPrefetch tests from which size on the kernels of small products prefetch the operands of the next one.
func TestSmallProductsPrefetch(t *testing.T) {
	old := inHalves
	defer func() { inHalves = old }()
	for _, isa := range isas() {
		if isa == "interp" {
			continue
		}
		for _, two := range []bool{true, false} {
			inHalves = func() bool { return two }
			once := isa == "avx512" && !two
			for _, x := range []struct {
				n    int
				far  bool // the products do not stay in the third level
				want bool
			}{{16, false, false}, {24, false, once}, {32, false, once}, {5, true, once}, {15, true, once}, {16, true, false}} {
				products := 100
				if x.far {
					products += l3() / (4 * x.n * x.n)
				}
				off := make([]int, products)
				p := Problem{Type: dtype.F32, M: x.n, N: x.n, K: x.n, A: Matrix{x.n, 1}, B: Matrix{x.n, 1}, C: Matrix{x.n, 1}, OffA: off, OffB: off, OffC: off}
				d := New(isa, p, &ir.Binding{}, 1)
				for turn, l := range d.machine.later {
					if len(d.machine.cells) == 0 || l.step > 0 != x.want || x.want && l.second != (turn == 1) {
						t.Errorf("%s, halves %t: %d calls, %d products of %d, turn %d: %+v, want prefetches: %t", isa, two, len(d.machine.cells), products, x.n, turn, l, x.want)
					}
				}
			}
		}
	}
}

// TestStepsOfOneTerm tests that steps between terms choose nothing where there is one term.
func TestStepsOfOneTerm(t *testing.T) {
	for _, isa := range isas() {
		p := Problem{Type: dtype.F32, M: 300, N: 300, K: 1, A: Matrix{1, 1}, B: Matrix{300, 1}, OffA: origin, OffB: origin}
		want := New(isa, p, new(ir.Binding), 1)
		p.A.Col, p.B.Row = 300, 0
		if got := New(isa, p, new(ir.Binding), 1); got.p.A != want.p.A || got.p.B != want.p.B {
			t.Errorf("%s: %+v, want %+v", isa, got.p, want.p)
		}
	}
}
