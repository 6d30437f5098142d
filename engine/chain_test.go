package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan"
)

// A chained is a program that runs as a chain, for tests. Its statements store to
// new tensors.
type chained struct {
	name  string
	chain bool // whether there must be a chain
	make  func() (stmts []expr.Statement, outs []*engine.Tensor[float32])
}

func filled(seed int, dims ...int) *engine.Tensor[float32] {
	x := engine.Zeros[float32](dims...)
	for i := range x.Data() {
		x.Data()[i] = float32(math.Sin(float64((i + seed) * (i + 7))))
	}
	return x
}

func chainedPrograms(m, k, n int) []chained {
	type tensor = *engine.Tensor[float32]
	one := func(name string, chain bool, dims []int, f func() expr.Exp[float32]) chained {
		return chained{name, chain, func() ([]expr.Statement, []tensor) {
			y := filled(9, dims...)
			return []expr.Statement{expr.Let(y, f())}, []tensor{y}
		}}
	}
	x, w, b, w2 := filled(1, m, k), filled(2, k, n), filled(3, n), filled(4, n, k)
	q, key, v := filled(5, 3, m, k), filled(6, 3, n, k), filled(7, 3, n, k)
	mask := filled(8, m, n)
	return []chained{
		one("bias and activation", true, []int{m, n}, func() expr.Exp[float32] { return op.ReLU(op.Add(op.MatMul(x, w), b)) }),
		one("rows", true, []int{m, n}, func() expr.Exp[float32] { return op.Softmax(op.MatMul(x, w), -1) }),
		one("sums of rows", true, []int{m}, func() expr.Exp[float32] { return op.Sum(op.MatMul(x, w), op.Axis(1)) }),
		one("prologue", true, []int{m, n}, func() expr.Exp[float32] { return op.MatMul(op.Exp(x), w) }),
		one("prologue of a view", true, []int{m, n}, func() expr.Exp[float32] { return op.MatMul(op.Exp(op.T(filled(1, k, m))), w) }),
		one("two layers", true, []int{m, k}, func() expr.Exp[float32] {
			return op.MatMul(op.ReLU(op.Add(op.MatMul(x, w), b)), w2)
		}),
		one("attention", true, []int{3, m, k}, func() expr.Exp[float32] {
			s := op.Add(op.Scale(.125, op.MatMul(q, op.Transpose(key, 0, 2, 1))), mask)
			return op.MatMul(op.Softmax(s, -1), v)
		}),
		one("matrices", true, []int{5, k, n}, func() expr.Exp[float32] {
			return op.ReLU(op.Add(op.MatMul(filled(1, k, m), op.Exp(filled(2, 5, m, n))), filled(3, k, 1)))
		}),
		one("merged heads", true, []int{2, m, n}, func() expr.Exp[float32] {
			return op.ReLU(op.MatMul(op.Reshape(op.Transpose(filled(1, 2, 3, m, k), 0, 2, 1, 3), 2, m, 3*k), filled(2, 3*k, n)))
		}),
		one("matrices of merged heads", true, []int{5, m, n}, func() expr.Exp[float32] {
			x := op.Reshape(op.Transpose(filled(1, 5, 3, m, k), 0, 2, 1, 3), 5, m, 3*k)
			return op.ReLU(op.MatMul(x, op.Exp(filled(2, 5, 3*k, n))))
		}),
		one("windows", true, []int{5, 4, m, n}, func() expr.Exp[float32] {
			one := op.Window{Size: 1}
			x := op.Windows(op.Pad(filled(1, 5, 3, m, n), [][2]int{{}, {}, {1, 1}, {1, 1}}, 0), one, one, op.Window{Size: 3}, op.Window{Size: 3})
			y := op.Reshape(op.Transpose(x, 0, 1, 4, 5, 6, 7, 2, 3), 5, 27, m*n)
			return op.ReLU(op.Reshape(op.MatMul(filled(2, 4, 27), y), 5, 4, m, n))
		}),
		one("indexed rows", true, []int{m, n}, func() expr.Exp[float32] {
			i := engine.Zeros[int32](m)
			for k := range i.Data() {
				i.Data()[k] = int32(k * 7 % 11)
			}
			return op.ReLU(op.MatMul(op.Take(filled(1, 11, k), i, 0), w))
		}),
		one("gradient of a pool", true, []int{m, 2 * k, 7}, func() expr.Exp[float32] {
			images := filled(1, m, 2*k, 7)
			y := op.MaxPool(images, op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}})
			d, err := grad.VJP(y, filled(2, m, k, 4), expr.Exp[float32](images))
			if err != nil {
				panic(err)
			}
			return d[0]
		}),
		one("maxima of windows", true, []int{m, n}, func() expr.Exp[float32] {
			return op.MaxPool(filled(1, m+2, n+2), op.Sliding{Kernel: []int{3, 3}, Stride: []int{1, 1}})
		}),
		one("scan of a scan", true, []int{m, 5, k}, func() expr.Exp[float32] {
			return op.CumSum(op.CumSum(filled(1, m, 5, k), 2), 1)
		}),
		{"unpooled into a part of the target", true, func() ([]expr.Statement, []tensor) {
			y := filled(1, 7, m+3, k+1)
			images := op.Slice(y, op.Span{}, op.From(3), op.From(1))
			w := op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}}
			return []expr.Statement{expr.LetAdd(y, op.Pad(op.Unpool(images, op.MaxPool(images, w), filled(2, 7, (m+1)/2, (k+1)/2), w), [][2]int{{}, {3, 0}, {1, 0}}, 0))}, []tensor{y}
		}},
		{"several outputs", true, func() ([]expr.Statement, []tensor) {
			y, z := filled(1, m, n), filled(2, m, n)
			p := op.MatMul(x, w)
			return []expr.Statement{expr.Let(y, op.Sin(p)), expr.LetSub(z, op.Mul(p, y))}, []tensor{y, z}
		}},
		{"target read by the product", true, func() ([]expr.Statement, []tensor) {
			y := filled(1, m, n)
			return []expr.Statement{expr.Let(y, op.Tanh(op.MatMul(y, filled(2, n, n))))}, []tensor{y}
		}},
		{"target on the right", false, func() ([]expr.Statement, []tensor) {
			y := filled(1, m, m)
			return []expr.Statement{expr.Let(y, op.Tanh(op.MatMul(filled(2, m, m), y)))}, []tensor{y}
		}},
		{"residual", true, func() ([]expr.Statement, []tensor) {
			y := filled(1, m, n)
			return []expr.Statement{expr.LetAdd(y, op.ReLU(op.MatMul(y, filled(2, n, n))))}, []tensor{y}
		}},
		{"sums of columns", false, func() ([]expr.Statement, []tensor) {
			y := filled(1, n)
			return []expr.Statement{expr.Let(y, op.Sum(op.Exp(op.MatMul(x, w)), op.Axis(0)))}, []tensor{y}
		}},
		{"transposed", false, func() ([]expr.Statement, []tensor) {
			y := filled(1, n, m)
			return []expr.Statement{expr.Let(y, op.Exp(op.T(op.MatMul(x, w))))}, []tensor{y}
		}},
	}
}

// TestChainBits tests that a program has the same bits with chains and without, on
// each back end, with any number of threads, and in several runs.
func TestChainBits(t *testing.T) {
	for k, d := range [][3]int{{37, 20, 33}, {64, 300, 17}, {3, 5, 1}, {130, 8, 64}} {
		for l, c := range chainedPrograms(d[0], d[1], d[2]) {
			stmts, outs := c.make()
			var start, want [][]float32
			for _, y := range outs {
				start = append(start, slices.Clone(y.Data()))
			}
			run := func(o engine.Options) *engine.Program {
				for i, y := range outs {
					copy(y.Data(), start[i])
				}
				p, err := engine.CompileWith(context.Background(), o, stmts...)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if err := p.Run(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				return p
			}
			run(engine.Options{Backend: "interp", Threads: 1, Chains: engine.ChainsNever})
			for _, y := range outs {
				want = append(want, slices.Clone(y.Data()))
			}
			for _, backend := range engine.Backends() {
				for threads := 1; threads <= 3; threads++ {
					if (threads+k+l)%testlevel.Every(1, 3) != 0 {
						continue
					}
					p := run(engine.Options{Backend: backend, Threads: threads, Chains: engine.ChainsAlways})
					if is := strings.Contains(p.Explain(), "chain of"); is != c.chain && d[0] > 3 {
						t.Errorf("%s: chain %v, want %v\n%s", c.name, is, c.chain, p.Explain())
					}
					for i, y := range outs {
						for j, v := range y.Data() {
							if math.Float32bits(v) != math.Float32bits(want[i][j]) {
								t.Fatalf("%s %v, %s, %d threads: element %d is %v, want %v\n%s", c.name, d, backend, threads, j, v, want[i][j], p.Explain())
							}
						}
					}
				}
			}
		}
	}
}

// TestChainMemory tests that attention keeps at most an eighth of the scores, and
// that a second run allocates nothing.
func TestChainMemory(t *testing.T) {
	const heads, rows, width = 8, 1024, 64
	q, k, v := filled(1, heads, rows, width), filled(2, heads, rows, width), filled(3, heads, rows, width)
	scores := op.Add(op.Scale(.125, op.MatMul(q, op.Transpose(k, 0, 2, 1))), filled(4, rows, rows))
	y := engine.Zeros[float32](heads, rows, width)
	p, err := engine.CompileWith(context.Background(), engine.Options{Threads: 8}, expr.Let(y, op.MatMul(op.Softmax(scores, -1), v)))
	if err != nil {
		t.Fatal(err)
	}
	pl := p.Plan()
	if len(pl.Stages) != 1 || pl.Stages[0].Kind != plan.Chain || pl.Arena != 0 {
		t.Fatalf("attention is no chain:\n%s", p.Explain())
	}
	if all := heads * rows * rows * 4; 8*pl.Stages[0].OwnBytes > all/8 {
		t.Errorf("8 workers keep %d bytes each; the scores have %d", pl.Stages[0].OwnBytes, all)
	}
	if !strings.Contains(p.Explain(), "bytes for each worker") {
		t.Errorf("Explain does not tell the memory:\n%s", p.Explain())
	}
}

// TestLoopsChain tests that two loops are a chain, although there is no product, if the temporary between them is large.
func TestLoopsChain(t *testing.T) {
	for n, want := range map[int]bool{300: false, 1200: true} {
		p, err := engine.Compile(t.Context(), expr.Let(engine.Zeros[float32](n, n), op.MaxPool(engine.Zeros[float32](n+2, n+2), op.Sliding{Kernel: []int{3, 3}, Stride: []int{1, 1}})))
		if err != nil {
			t.Fatal(err)
		}
		pl := p.Plan()
		if got := len(pl.Stages) == 1 && pl.Arena == 0 && pl.Stages[0].OwnBytes <= 128<<10; got != want {
			t.Errorf("%d columns: a chain with little memory is %v:\n%s", n, got, p.Explain())
		}
	}
}

// TestPoolGradientChain tests that the gradient of a pool finds each position of a maximum in one loop, that workers keep the positions
// of a block, that one loop stores all elements of windows side by side, and that no border comes before what it is a border of. A block
// is some of the channels of an image, or some images without channels.
func TestPoolGradientChain(t *testing.T) {
	t.Run("images", func(t *testing.T) { poolGradientChain(t, 512, 56, 56) })
	t.Run("channels", func(t *testing.T) { poolGradientChain(t, 8, 64, 56, 56) })
}

func poolGradientChain(t *testing.T, dims ...int) {
	for name, c := range map[string]struct {
		s      op.Sliding
		stages int // the last one, and others for the first element inside of windows
	}{
		"steps of 2":   {op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}}, 6},
		"steps of 1":   {op.Sliding{Kernel: []int{3, 3}, Stride: []int{1, 1}, Padding: []int{1, 1}}, 8},
		"side by side": {op.Sliding{Kernel: []int{2, 2}, Stride: []int{2, 2}}, 1},
	} {
		x := expr.Exp[float32](filled(1, dims...))
		y := op.MaxPool(x, c.s)
		g, err := grad.VJP(y, filled(2, expr.NodeOf(y).Shape()...), x)
		if err != nil {
			t.Fatal(err)
		}
		p, err := engine.Compile(t.Context(), expr.Let(engine.Zeros[float32](dims...), g[0]))
		if err != nil {
			t.Fatal(err)
		}
		if pl := p.Plan(); len(pl.Stages) != c.stages || pl.Arena > 64<<10 || pl.Stages[c.stages-1].OwnBytes > 512<<10 || strings.Contains(p.Explain(), "too large for one loop") {
			t.Errorf("%s:\n%s", name, p.Explain())
		}
		var last *plan.Array
		for _, part := range p.Plan().Stages[c.stages-1].Parts {
			w := part.Writes[0]
			if last != nil && w.Mem == last.Mem && w.Temp == last.Temp && w.Bytes() > last.Bytes() {
				t.Errorf("%s: %v is stored before %v", name, last.Shape, w.Shape)
			}
			last = w
		}
	}
}

// TestChainOfChannels tests that chains whose blocks are some of the channels of an image store the same bits as loops, also where the
// last block of an image has fewer.
func TestChainOfChannels(t *testing.T) {
	x := expr.Exp[float32](filled(1, 3, 97, 31, 32))
	for _, s := range []op.Sliding{{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}}, {Kernel: []int{2, 3}, Stride: []int{1, 1}}} {
		y := op.MaxPool(x, s)
		g, err := grad.VJP(y, filled(2, expr.NodeOf(y).Shape()...), x)
		if err != nil {
			t.Fatal(err)
		}
		run := func(o engine.Options) ([]float32, *engine.Program) {
			out := engine.Zeros[float32](3, 97, 31, 32)
			p, err := engine.CompileWith(t.Context(), o, expr.Let(out, g[0]))
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			return out.Data(), p
		}
		want, _ := run(engine.Options{Backend: "interp", Threads: 1, Chains: engine.ChainsNever})
		for i, backend := range engine.Backends() {
			got, p := run(engine.Options{Backend: backend, Threads: 1 + i%3})
			last := p.Plan().Stages[len(p.Plan().Stages)-1]
			if last.Kind != plan.Chain || last.Blocks.Outer != 3 || last.Blocks.Extent%last.Blocks.Size == 0 {
				t.Errorf("%+v: no chain of some channels:\n%s", s, p.Explain())
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v, %s: other bits than loops", s, backend)
			}
		}
	}
}

// TestUnpoolRows tests that a loop reads each operand once, also one that views with other axes of size 1 read, and that one loop stores two
// rows whose elements have few bytes of operands.
func TestUnpoolRows(t *testing.T) {
	unpoolRows[float32](t, 16, 12, 12, 10)
	unpoolRows[float64](t, 8, 12, 6, 8, 8, 8, 6, 6)
}

// unpoolRows looks at the numbers of buffers of the loops of an unpooling.
func unpoolRows[T float32 | float64](t *testing.T, buffers ...int) {
	s := op.Sliding{Kernel: []int{3, 3}, Stride: []int{2, 2}, Padding: []int{1, 1}}
	x, pool, g := engine.Zeros[T](512, 56, 56), engine.Zeros[T](512, 28, 28), engine.Zeros[T](512, 28, 28)
	p, err := engine.Compile(t.Context(), expr.Let(engine.Zeros[T](512, 56, 56), op.Unpool[T](x, pool, g, s)))
	if err != nil {
		t.Fatal(err)
	}
	got := lists.Map(p.Plan().Stages[0].Parts, func(s *plan.Stage) int { return len(s.Kernel.Bufs) })
	if !slices.Equal(got, buffers) {
		t.Errorf("loops with %d buffers, want %d:\n%s", got, buffers, p.Explain())
	}
}

// TestPositionsConvertLate tests that positions of windows are stored before they are converted to int64.
func TestPositionsConvertLate(t *testing.T) {
	x := expr.Exp[float32](filled(1, 64, 56, 56))
	for k, padding := range map[int]int{3: 1, 5: 2} { // the positions in windows of 5x5 alone, too
		at := op.ArgMaxPool(x, op.Sliding{Kernel: []int{k, k}, Stride: []int{2, 2}, Padding: []int{padding, padding}})
		p, err := engine.Compile(t.Context(), expr.Let(engine.Zeros[int64](64, 28, 28), at))
		if err != nil {
			t.Fatal(err)
		}
		text, stored := p.Explain(), 0
		for _, s := range p.Plan().Stages {
			for _, part := range append(s.Parts, s) {
				if strings.HasPrefix(part.Why, "vectors of it have more elements") {
					stored++
				}
			}
		}
		if want := map[int]int{3: 4, 5: 2}[k]; stored < want {
			t.Errorf("%d loops of %dx%d, want %d:\n%s", stored, k, k, want, text)
		}
	}
}

// TestChainAllocations tests that the second run of a chain allocates nothing.
func TestChainAllocations(t *testing.T) {
	for _, c := range chainedPrograms(24, 16, 20) {
		stmts, _ := c.make()
		p, err := engine.CompileWith(context.Background(), engine.Options{Chains: engine.ChainsAlways}, stmts...)
		if err != nil {
			t.Fatal(err)
		}
		run := func() {
			if err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := testlevel.Allocs(10, run); n != 0 && !testlevel.Race {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}

// TestChainFaults tests that a fault in what a product reads is found before
// anything is stored.
func TestChainFaults(t *testing.T) {
	const rows = 40
	i := engine.Zeros[int32](rows)
	i.Data()[rows-1] = 11
	y := filled(9, rows, 16)
	before := slices.Clone(y.Data())
	for _, backend := range engine.Backends() {
		p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend, Chains: engine.ChainsAlways},
			expr.Let(y, op.ReLU(op.MatMul(op.Take(filled(1, 11, 8), i, 0), filled(2, 8, 16)))))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.Explain(), "chain of") {
			t.Errorf("there is no chain:\n%s", p.Explain())
		}
		if err := p.Run(context.Background()); !errors.Is(err, expr.ErrIndex) || !strings.Contains(err.Error(), "op.Take") {
			t.Errorf("%s: the error is %v", backend, err)
		}
		if !slices.Equal(y.Data(), before) {
			t.Errorf("%s: the target has changed", backend)
		}
	}
}

// TestChainFaultOrder tests that a fault leaves what the statements before it stored,
// and nothing of those after it, although a chain runs after stages that follow its parts.
func TestChainFaultOrder(t *testing.T) {
	type tensor = *engine.Tensor[int32]
	zero, one, w := engine.Zeros[int32](64, 8), engine.Ones[int32](64, 8), engine.Ones[int32](8, 8)
	vector, bad := engine.MustFromSlice([]int32{3, 1, 2}), engine.MustFromSlice([]int32{0, 5, 1})
	for _, c := range []struct {
		name  string
		stmts func(y, z, u, v tensor) []expr.Statement
	}{
		{"first part", func(y, z, u, _ tensor) []expr.Statement {
			return []expr.Statement{expr.Let(y, op.MatMul(op.FloorDiv(one, zero), w)), expr.Let(u, op.Sort(vector, 0)), expr.Let(z, op.Add(y, y))}
		}},
		{"index after a store", func(y, z, u, v tensor) []expr.Statement {
			return []expr.Statement{
				expr.Let(y, op.Abs(op.MatMul(op.Add(one, one), w))), expr.Let(u, op.Sort(vector, 0)),
				expr.Let(v, op.Take(vector, bad, 0)), expr.Let(z, op.Add(y, y)),
			}
		}},
		{"scatter after a store", func(y, z, u, v tensor) []expr.Statement {
			return []expr.Statement{
				expr.Let(y, op.Abs(op.MatMul(op.Add(one, one), w))), expr.Let(u, op.Sort(vector, 0)),
				expr.Let(v, op.ScatterAdd(bad, vector, 0, 3)), expr.Let(z, op.Add(y, y)),
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got [2]string
			for i := range got {
				y, z, u, v := engine.Zeros[int32](64, 8), engine.Zeros[int32](64, 8), engine.Zeros[int32](3), engine.Zeros[int32](3)
				var err error
				if stmts := c.stmts(y, z, u, v); i == 0 {
					err = engine.RunWith(t.Context(), engine.Options{Chains: engine.ChainsAlways}, stmts...)
				} else {
					for k := 0; k < len(stmts) && err == nil; k++ {
						err = engine.Run(t.Context(), stmts[k])
					}
				}
				if err == nil {
					t.Fatal("there is no error")
				}
				got[i] = fmt.Sprint(y, z, u, v)
			}
			if got[0] != got[1] {
				t.Errorf("together\n%s\napart\n%s", got[0], got[1])
			}
		})
	}
}

// TestProductInPlace tests that a product without a chain is stored in the target of
// the loop that uses it, unless something else is there.
func TestProductInPlace(t *testing.T) {
	type tensor = *engine.Tensor[float32]
	const m, k, n = 37, 20, 33
	x, w, b := filled(1, m, k), filled(2, k, n), filled(3, n)
	for _, c := range []struct {
		name   string
		target tensor
		temps  bool
		value  func(y tensor) expr.Exp[float32]
	}{
		{"activation", filled(4, m, n), false, func(tensor) expr.Exp[float32] { return op.ReLU(op.Add(op.MatMul(x, w), b)) }},
		{"rows", filled(4, m, n), false, func(tensor) expr.Exp[float32] { return op.Softmax(op.MatMul(x, w), -1) }},
		{"columns", filled(4, m, n), true, func(tensor) expr.Exp[float32] { return op.Softmax(op.MatMul(x, w), 0) }},
		{"residual", filled(4, m, n), true, func(y tensor) expr.Exp[float32] { return op.Add(y, op.Tanh(op.MatMul(x, w))) }},
		{"operand", filled(4, m, m), true, func(y tensor) expr.Exp[float32] { return op.Tanh(op.MatMul(y, y)) }},
		{"reversed", filled(4, m, n), true, func(tensor) expr.Exp[float32] {
			return op.Tanh(op.Flip(op.MatMul(x, w), 1))
		}},
		{"both", filled(4, m, m), true, func(tensor) expr.Exp[float32] {
			p := op.MatMul(x, op.T(x))
			return op.Mul(op.Tanh(p), op.Flip(p, 1))
		}},
	} {
		start := slices.Clone(c.target.Data())
		var want []float32
		for _, backend := range append([]string{"interp"}, engine.Backends()...) {
			o := engine.Options{Backend: backend, Chains: engine.ChainsNever}
			if want != nil {
				o.Chains = ""
			}
			copy(c.target.Data(), start)
			p, err := engine.CompileWith(context.Background(), o, expr.Let(c.target, c.value(c.target)))
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = slices.Clone(c.target.Data())
				continue
			}
			if got := p.Plan().Arena > 0; got != c.temps {
				t.Errorf("%s: temporaries %v, want %v\n%s", c.name, got, c.temps, p.Explain())
			}
			if !slices.Equal(c.target.Data(), want) {
				t.Errorf("%s, %s: other bits\n%s", c.name, backend, p.Explain())
			}
		}
	}
}

// TestChainHalves tests chains of products whose operands are halves.
func TestChainHalves(t *testing.T) {
	half := func(x *engine.Tensor[float32]) *engine.Tensor[dtype.Float16] {
		y := engine.Zeros[dtype.Float16](x.Shape()...)
		if err := y.Assign(op.Cast[dtype.Float16](x)); err != nil {
			t.Fatal(err)
		}
		return y
	}
	x, w, b := half(filled(1, 3, 130, 20)), half(filled(2, 3, 20, 128)), half(filled(3, 128))
	y := engine.Zeros[dtype.Float16](3, 130, 128)
	var want []dtype.Float16
	for _, backend := range engine.Backends() {
		for _, chains := range []string{engine.ChainsNever, engine.ChainsAlways} {
			p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend, Chains: chains}, expr.Let(y, op.ReLU(op.Add(op.MatMul(x, w), b))))
			if err != nil {
				t.Fatal(err)
			}
			if is := strings.Contains(p.Explain(), "chain of"); is != (chains == engine.ChainsAlways) {
				t.Errorf("chain %v\n%s", is, p.Explain())
			}
			if err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = slices.Clone(y.Data())
			} else if !slices.Equal(y.Data(), want) {
				t.Errorf("%s, chains %q: other bits", backend, chains)
			}
		}
	}
}

// TestChainRightOperands tests chains whose blocks share right operands, which change between runs.
func TestChainRightOperands(t *testing.T) {
	const rows, keys, width = 300, 40, 24
	for _, heads := range []int{1, 3} {
		q, key, v := filled(1, heads, rows, width), filled(2, heads, keys, width), filled(3, heads, keys, width)
		attention := op.MatMul(op.Softmax(op.MatMul(q, op.Transpose(key, 0, 2, 1)), -1), v)
		for _, threads := range []int{1, 3} {
			y, want := engine.Zeros[float32](heads, rows, width), engine.Zeros[float32](heads, rows, width)
			compile := func(out *engine.Tensor[float32], chains string) *engine.Program {
				p, err := engine.CompileWith(context.Background(), engine.Options{Threads: threads, Chains: chains}, expr.Let(out, attention))
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			chained, apart := compile(y, engine.ChainsAlways), compile(want, engine.ChainsNever)
			for seed := range 4 {
				copy(key.Data(), filled(seed, heads, keys, width).Data())
				copy(v.Data(), filled(seed+9, heads, keys, width).Data())
				for _, p := range []*engine.Program{chained, apart} {
					if err := p.Run(context.Background()); err != nil {
						t.Fatal(err)
					}
				}
				if !slices.Equal(y.Data(), want.Data()) {
					t.Errorf("%d heads, %d threads, run %d: the bits differ from those of stages", heads, threads, seed)
				}
			}
		}
	}
}

// TestBlocksOfLaidRows runs chains whose loops read views with steps of two signs. Vectors may have several of
// their rows, but a block may begin at any row.
func TestBlocksOfLaidRows(t *testing.T) {
	for _, dims := range [][3]int{{2, 16, 1}, {2, 16, 2}, {3, 24, 1}, {2, 12, 3}, {4, 6, 1}} {
		y := engine.FromFunc(func(at []int) int32 { return int32(at[0]*37 + at[1]*11 + at[2]) }, dims[:]...)
		e := engine.FromFunc(func(at []int) int32 { return int32(at[0]*7 - at[1]*5 + at[2]) }, dims[0], dims[1], 2)
		w := engine.FromFunc(func(at []int) int32 { return int32(at[0]*3 + at[1] + 1) }, 2, dims[2])
		var want []int32
		for _, chains := range []string{engine.ChainsNever, engine.ChainsAlways} {
			z := y.Clone()
			value := op.Add(op.MatMul(e, w), op.Mul(op.Flip(z, 1), op.Flip(z, 0)))
			if err := engine.RunWith(context.Background(), engine.Options{Chains: chains}, expr.Let(z, value)); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = z.Values()
			} else if !slices.Equal(z.Values(), want) {
				t.Errorf("%v: %v with chains, want %v", dims, z.Values(), want)
			}
		}
	}
}

// TestChainSelected tests a chain whose rows are selected by an index that all elements share: the loop has more lanes
// than the vectors of the index.
func TestChainSelected(t *testing.T) {
	x, w := filled(1, 33, 8, 3), filled(2, 8, 3)
	want, err := engine.Eval(op.MatMul(op.Index(x, 2, 1), w))
	if err != nil {
		t.Fatal(err)
	}
	for _, backend := range engine.Backends() {
		y := engine.Zeros[float32](33, 3)
		p, err := engine.CompileWith(context.Background(), engine.Options{Backend: backend, Chains: engine.ChainsAlways},
			expr.Let(y, op.MatMul(op.Take(x, engine.MustFromSlice([]int8{1}).Reshape(), 2), w)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(p.Explain(), "chain of") {
			t.Errorf("there is no chain:\n%s", p.Explain())
		}
		if list := p.Interpreted(); backend != "interp" && len(list) > 0 {
			t.Errorf("%s: the interpreter runs %q", backend, list)
		}
		if err := p.Run(context.Background()); err != nil || !slices.Equal(y.Data(), want.Data()) {
			t.Errorf("%s: %v, %v, want %v", backend, err, y, want)
		}
	}
}
