package engine_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/lists"
)

const againRows, againColumns = 7, 33

// again returns the results that TestAgain wants of program number n: of the first loop, and of the others.
func again(n int, x, r, d []int64, k int64) (first, others string) {
	y, z := make([]int64, len(x)), make([]int64, len(x))
	down, sum := make([]int64, againColumns), []int64{0}
	for i, v := range x {
		z[i], y[i] = v+r[i%againColumns], v
		if n != dividedOnly {
			y[i] *= k
		}
		if n != scaledOnly && d[i] != 0 {
			y[i] /= d[i]
		}
		down[i%againColumns] += v
		sum[0] += v
	}
	return fmt.Sprint(y), fmt.Sprint(z, down, sum)
}

// The programs of TestAgain.
const (
	allLoops = iota
	noFirst  // without the first loop
	dividedOnly
	scaledOnly
)

// TestAgain runs programs of loops again after each change that a later run must see: of a parameter, of the arrays, of
// their memory, of the context, of an observer. The first loop has a parameter and may fault, the second has rows, and the
// last two are sums, whose code changes the words that it gets. Other programs have some of the loops, or one like the first that has only the parameter, or only may fault.
func TestAgain(t *testing.T) {
	const rows, columns = againRows, againColumns
	for _, name := range engine.Backends() {
		long, cancel := context.WithCancel(context.Background())
		x, d, r := engine.Zeros[int64](rows, columns), engine.Zeros[int64](rows, columns), engine.Zeros[int64](columns)
		y, z := engine.Zeros[int64](rows, columns), engine.Zeros[int64](rows, columns)
		down, sum := engine.Zeros[int64](columns), engine.Zeros[int64]()
		k := expr.NewParam[int64](3)
		others := []expr.Statement{expr.Let(z, op.Add[int64](x, r)), expr.Let(down, op.Sum[int64](x, op.Axis(0))), expr.Let(sum, op.Sum[int64](x))}
		var programs []*engine.Program
		for _, s := range [][]expr.Statement{
			allLoops:    append([]expr.Statement{expr.Let(y, op.Div(op.Mul[int64](x, k), d))}, others...),
			noFirst:     others,
			dividedOnly: {expr.Let(y, op.Div[int64](x, d))},
			scaledOnly:  {expr.Let(y, op.Mul[int64](x, k))},
		} {
			p, err := engine.CompileWith(context.Background(), engine.Options{Backend: name, Threads: 1}, s...)
			if err != nil {
				t.Fatal(err)
			}
			programs = append(programs, p)
		}
		for i := range x.Data() {
			x.Data()[i], d.Data()[i], r.Data()[i%columns] = int64(i*7%31-15), int64(i%5+1), int64(i)
		}
		memory, values := d.Array().Memory(), x.Array().Memory()
		divisors := d.Data()
		observed := make([]int, len(programs))
		for i, c := range []struct {
			what   string
			change func()
			ctx    context.Context
			fault  bool
		}{
			{what: "first"},
			{what: "again"},
			{what: "again"},
			{what: "parameter", change: func() { k.Set(-5) }},
			{what: "again"},
			{what: "elements", change: func() { x.Data()[rows*columns-1] = 99 }},
			{what: "context", ctx: long},
			{what: "elements", change: func() { x.Data()[0] = -99 }},
			{what: "zero", change: func() { divisors[50] = 0 }, fault: true},
			{what: "zero again", fault: true},
			{what: "zero, context", ctx: long, fault: true},
			{what: "no zero", change: func() { divisors[50] = 2 }},
			{what: "again"},
			{what: "other memory", change: func() {
				divisors = lists.Make(rows*columns, func(i int) int64 { return int64(i%3 - 5) })
				if err := memory.Rebind(dtype.Bytes(divisors)); err != nil {
					t.Fatal(err)
				}
			}},
			{what: "again"},
			{what: "other values", change: func() {
				if err := values.Rebind(dtype.Bytes(lists.Make(rows*columns, func(i int) int64 { return int64(i % 37) }))); err != nil {
					t.Fatal(err)
				}
				over, end := context.WithCancel(context.Background())
				end()
				for _, p := range programs { // which gives them the addresses, and runs no loop
					if err := p.Run(over); !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
				}
			}},
			{what: "again"},
			{what: "observer", change: func() {
				for i, p := range programs {
					_ = p.Observe(func(engine.StageRun) { observed[i]++ })
				}
			}},
			{what: "no observer", change: func() {
				for i, p := range programs {
					if observed[i] != len(p.Plan().Stages) {
						t.Errorf("%s: %d stages were observed, not %d", name, observed[i], len(p.Plan().Stages))
					}
					_ = p.Observe(nil)
				}
			}},
			{what: "again"},
		} {
			if c.change != nil {
				c.change()
			}
			for number, p := range programs {
				for _, a := range []*engine.Tensor[int64]{y, z, down, sum} {
					for i := range a.Data() {
						a.Data()[i] = math.MinInt64
					}
				}
				fault := c.fault && (number == allLoops || number == dividedOnly)
				if err := p.Run(cmp.Or(c.ctx, context.Background())); fault != errors.Is(err, expr.ErrDivide) || !fault && err != nil {
					t.Fatalf("%s, run %d, %s, program %d: %v", name, i, c.what, number, err)
				}
				first, others := again(number, x.Data(), r.Data(), divisors, k.Value())
				if got := fmt.Sprint(y.Data()); !fault && number != noFirst && got != first {
					t.Fatalf("%s, run %d, %s, program %d:\n%s\nwant\n%s", name, i, c.what, number, got, first)
				}
				if got := fmt.Sprint(z.Data(), down.Data(), sum.Data()); !fault && number <= noFirst && got != others {
					t.Fatalf("%s, run %d, %s, program %d:\n%s\nwant\n%s", name, i, c.what, number, got, others)
				}
			}
		}
		cancel()
		y.Data()[0] = math.MinInt64
		if err := programs[0].Run(long); !errors.Is(err, context.Canceled) || y.Data()[0] != math.MinInt64 {
			t.Errorf("%s, a context that is done: %v, and the first element is %d", name, err, y.Data()[0])
		}
	}
}

// testProductsAgain runs programs of products again after each change that a later run must see.
func testProductsAgain[T interface{ int64 | float64 }](t *testing.T, name string) {
	const rows, terms, columns = 9, 7, 5
	a, b, v := engine.Zeros[T](rows, terms), engine.Zeros[T](terms, columns), engine.Zeros[T](rows)
	c, y, z := engine.Zeros[T](rows, columns), engine.Zeros[T](terms), engine.Zeros[T](rows, columns)
	k := expr.NewParam[T](3)
	product, vector := op.MatMul[T](a, b), expr.Let(y, op.MatMul(op.Transpose[T](a), v))
	var programs []*engine.Program
	for _, s := range [][]expr.Statement{{expr.Let(c, product)}, {expr.LetAdd(c, op.Mul[T](k, product))}, {vector}, {expr.Let(c, product), vector, expr.Let(z, op.Mul[T](c, k))}} {
		p, err := engine.CompileWith(t.Context(), engine.Options{Backend: name, Threads: 1}, s...)
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, p)
	}
	fill := func(x []T, seed int) {
		for i := range x {
			x[i] = T((i*i+seed)%11 - 5)
		}
	}
	fill(a.Data(), 1)
	fill(b.Data(), 2)
	fill(v.Data(), 3)
	ctx, left := context.Background(), a.Data()
	memory := a.Array().Memory()
	for i, change := range []func(){
		nil, nil, nil, func() { k.Set(-2) }, nil, func() { left[8] = 4; b.Data()[3] = 5 }, nil, func() { ctx = t.Context() }, func() { v.Data()[1] = 9 },
		func() { ctx = context.Background() }, nil, func() {
			left = make([]T, rows*terms)
			fill(left, 7)
			if err := memory.Rebind(dtype.Bytes(left)); err != nil {
				t.Fatal(err)
			}
		}, nil, nil,
	} {
		if change != nil {
			change()
		}
		for number, p := range programs {
			fill(c.Data(), 4)
			fill(y.Data(), 5)
			want, down := slices.Clone(c.Data()), make([]T, terms)
			if err := p.Run(ctx); err != nil {
				t.Fatal(err)
			}
			for r := range rows {
				for q := range terms {
					down[q] += left[r*terms+q] * v.Data()[r]
				}
				for j := range columns {
					var sum T
					for q := range terms {
						sum += left[r*terms+q] * b.Data()[q*columns+j]
					}
					if x := &want[r*columns+j]; number == 1 {
						*x += k.Value() * sum
					} else {
						*x = sum
					}
				}
			}
			if number != 2 && !slices.Equal(c.Data(), want) {
				t.Fatalf("%s, %T, run %d, program %d: %v, want %v", name, down, i, number, c.Data(), want)
			}
			if number >= 2 && !slices.Equal(y.Data(), down) {
				t.Fatalf("%s, %T, run %d, program %d: %v, want %v", name, down, i, number, y.Data(), down)
			}
			if number == 3 && z.Data()[8] != want[8]*k.Value() {
				t.Fatalf("%s, %T, run %d: %v, want %v", name, down, i, z.Data()[8], want[8]*k.Value())
			}
		}
	}
}

// TestProductsAgain is TestAgain for products, alone and beside a loop.
func TestProductsAgain(t *testing.T) {
	for _, name := range engine.Backends() {
		testProductsAgain[int64](t, name)
		testProductsAgain[float64](t, name)
	}
}

// TestTilesAgain runs a product, and a loop on its tiles, again with another parameter.
func TestTilesAgain(t *testing.T) {
	for _, name := range engine.Backends() {
		a, b, y, k := engine.MustFromSlice(ramp(512), 256, 2), engine.Zeros[float32](2, 256), engine.Zeros[float32](256, 256), expr.NewParam[float32](0)
		b.Data()[0] = 1
		p, err := engine.CompileWith(t.Context(), engine.Options{Backend: name, Threads: 1}, expr.Let(y, op.Mul[float32](op.Abs(op.MatMul(a, b)), k)))
		if err != nil {
			t.Fatal(err)
		}
		if s := p.Plan().Stages; len(s) != 1 || s[0].Tiles == nil {
			t.Errorf("%s: no tiles:\n%s", name, p.Plan().Explain())
		}
		for i := range 4 {
			k.Set(float32(i))
			if err := p.Run(context.Background()); err != nil {
				t.Fatal(err)
			}
			if got, want := y.Data()[256], float32(i)*float32(math.Abs(float64(a.Data()[2]))); got != want {
				t.Errorf("%s, times %d: %v, want %v", name, i, got, want)
			}
		}
	}
}

// TestAgainTogether runs one program from several goroutines, some runs with a context that can end them. Each run adds 1.
func TestAgainTogether(t *testing.T) {
	const runs, each = 4, 2000
	ends, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, name := range engine.Backends() {
		y := engine.Zeros[int64](40)
		p, err := engine.CompileWith(context.Background(), engine.Options{Backend: name}, expr.Let(y, op.AddScalar[int64](y, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range runs {
			all.Go(func() {
				for i := range each {
					ctx := context.Background()
					if i%400 >= 397 {
						ctx = ends
					}
					if err := p.Run(ctx); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		for i, v := range y.Data() {
			if v != runs*each {
				t.Fatalf("%s: element %d is %d after %d runs", name, i, v, runs*each)
			}
		}
	}
}

// TestAgainCanceled cancels the context of programs and bindings of one loop and of two, which have run again and again.
func TestAgainCanceled(t *testing.T) {
	for _, name := range engine.Backends() {
		y, z := engine.Zeros[int64](40), engine.Zeros[int64](7, 3)
		one := expr.Let(y, op.AddScalar[int64](y, 1))
		for _, stmts := range [][]expr.Statement{{one}, {one, expr.Let(z, op.AddScalar[int64](z, 1))}} {
			p, err := engine.CompileWith(context.Background(), engine.Options{Backend: name}, stmts...)
			if err != nil {
				t.Fatal(err)
			}
			b, err := p.Bind(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range []func(context.Context) error{p.Run, b.Run} {
				ctx, cancel := context.WithCancel(context.Background())
				before := y.Data()[0]
				for range 200 {
					if err := run(ctx); err != nil {
						t.Fatal(err)
					}
				}
				cancel()
				if err := run(ctx); !errors.Is(err, context.Canceled) || y.Data()[0] != before+200 {
					t.Errorf("%s, %d loops: %v after %d runs", name, len(p.Plan().Stages), err, y.Data()[0]-before)
				}
			}
		}
	}
}

// TestAgainDeadline runs programs of one unit of work, which takes seconds, until a deadline.
func TestAgainDeadline(t *testing.T) {
	const length = 1 << 27 // 1 GiB, which a shape may have with 32 bits
	x, y := engine.Zeros[float64](1), engine.Zeros[float64](1)
	long := op.Arange[float64](0, length, 1)
	for _, value := range []expr.Exp[float64]{
		op.Scan([]expr.Exp[float64]{x}, nil, op.ScanOptions{Length: length}, func(s op.Step[float64]) (next, out []expr.Exp[float64]) {
			return []expr.Exp[float64]{op.Sin(op.AddScalar(s.State[0], 0.7))}, nil
		}).Last(0),
		op.Max(op.Sin(op.Mul(op.Reshape(x, 1, 1), op.Reshape(long, length, 1))), op.Axis(0)),
	} {
		for _, name := range engine.Backends() {
			p, err := engine.CompileWith(context.Background(), engine.Options{Backend: name, Threads: 1}, expr.Let(y, value))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
				if err := p.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v", name, err)
				}
				cancel()
			}
		}
	}
}
