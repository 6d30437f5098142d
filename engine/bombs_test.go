package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// nested applies f to e the given number of times.
func nested[T expr.Elem](times int, e expr.Exp[T], f func(e expr.Exp[T]) expr.Exp[T]) expr.Exp[T] {
	for range times {
		e = f(e)
	}
	return e
}

type vector = expr.Exp[float32]

func double(e vector) vector { return op.Add(e, e) }

// roll rotates a vector of 4096 elements by 7 positions. It is the concatenation
// of two slices.
func roll(e vector) vector {
	return op.Concat(0, op.Slice(e, op.Range(7, 4096)), op.Slice(e, op.Range(0, 7)))
}

// bombs returns expressions that a short program builds. The text of their trees
// would be huge, mostly of exponential length.
func bombs() map[string]vector {
	m := engine.Zeros[float32](64, 64)
	var v, w vector = engine.Zeros[float32](4096), m
	var i expr.Exp[int64] = engine.Zeros[int64](4096)
	turned := func(e vector) vector { return op.Reshape(op.T(e), 32, 128) }
	wide := make([]vector, 4096)
	for k := range wide {
		wide[k] = op.Slice(v, op.Range(4095-k, 4096-k))
	}
	flat := op.Reshape(w, 32, 128)
	return map[string]vector{
		"doubled and reshaped":    op.Reshape(nested(40, w, double), 4096),
		"doubled, reshaped often": nested(40, w, func(e vector) vector { return op.Reshape(op.Reshape(double(e), 4096), 64, 64) }),
		"rolled":                  nested(30, v, roll),
		"rolled sums":             nested(30, v, func(e vector) vector { return roll(double(e)) }),
		"rolled sines":            nested(30, op.Sin(v), roll),
		"turned":                  nested(20, flat, turned),
		"turned sums":             nested(20, flat, func(e vector) vector { return turned(double(e)) }),
		"turned sum":              nested(20, double(flat), turned),
		"concatenated":            nested(30, v, func(e vector) vector { return op.Slice(op.Concat(0, e, e), op.Range(2, 4098)) }),
		"sliced":                  nested(3000, v, func(e vector) vector { return op.Slice(e, op.From(1)) }),
		"sliced sum":              nested(3000, double(v), func(e vector) vector { return op.Slice(e, op.From(1)) }),
		"flipped sum":             nested(3000, double(v), func(e vector) vector { return op.Flip(e, 0) }),
		"chain":                   nested(50000, v, op.Neg),
		"chain of doubles":        nested(50000, v, double),
		"chain of sines":          nested(4000, v, op.Sin),
		"chain of two":            nested(300, v, func(e vector) vector { return op.Add(op.Sin(e), e) }),
		"taken":                   nested(500, v, func(e vector) vector { return op.Take(e, i, 0) }),
		"taken sums":              nested(100, v, func(e vector) vector { return op.Take(double(e), i, 0) }),
		"positions":               op.Take(v, nested(40, i, func(e expr.Exp[int64]) expr.Exp[int64] { return op.Take(e, e, 0) }), 0),
		"where":                   nested(500, v, func(e vector) vector { return op.Where(op.Less(v, e), e, op.Neg(e)) }),
		"padded":                  op.Slice(nested(1000, v, func(e vector) vector { return op.Pad(e, [][2]int{{1, 1}}, 0) }), op.Range(0, 4096)),
		"reduced": nested(200, w, func(e vector) vector {
			return op.Add(e, op.Sum(op.Sin(op.Add(op.Max(e, op.Axis(0)), op.Max(e, op.Axis(1)))), op.Axis(0)))
		}),
		"divided": op.Take(v, nested(200, i, func(e expr.Exp[int64]) expr.Exp[int64] {
			return op.Where(op.Less(i, e), op.Div(e, i), op.Mod(e, i))
		}), 0),
		"products": nested(20, w, func(e vector) vector { return op.Dot(e, e) }),
		"wide":     op.Concat(0, wide...),
		"windows": nested(12, v, func(e vector) vector {
			return op.Sum(op.Windows(op.Concat(0, e, e), op.Window{Size: 4097}), op.Axis(1))
		}),
	}
}

// manyStatements returns statements that store to arrays of their own.
func manyStatements() (all []expr.Statement) {
	x := engine.Zeros[float32](6)
	for i := range 4000 {
		all = append(all, expr.LetAdd(engine.Zeros[float32](6), op.MulScalar(x, float32(i))))
	}
	return all
}

// TestBombs tests that each bomb compiles within three seconds of processor time, ten
// times what the slowest takes on a machine of its own. The race detector slows
// compilation by up to nine times.
func TestBombs(t *testing.T) {
	limit := 3 * time.Second
	if testlevel.Race {
		limit *= 20
	}
	backends := engine.Backends()
	if !testlevel.Deep() {
		backends = backends[:1] // most of the time goes into the plan
	}
	programs := map[string][]expr.Statement{"statements": manyStatements()}
	for name, e := range bombs() {
		n := e.Node()
		if n.Err() != nil {
			t.Fatal(name, n.Err())
		}
		y, err := engine.NewArray(n.DType(), n.Shape()...)
		if err != nil {
			t.Fatal(err)
		}
		programs[name] = []expr.Statement{{Target: y.Node(), Value: n}}
	}
	count := 0
	for name, program := range testlevel.InOrder(programs) {
		if count++; count%testlevel.Every(1, 1, 3) != 0 {
			continue
		}
		for _, backend := range backends {
			t.Run(name+"/"+backend, func(t *testing.T) {
				for try := 1; ; try++ { // a busy machine may count too much time for a process
					start := testlevel.CPUTime()
					p, err := engine.CompileWith(t.Context(), engine.Options{Backend: backend}, program...)
					took := testlevel.CPUTime() - start
					if err == nil && took <= limit {
						t.Log(took, len(p.Plan().Stages), "stages")
						break
					}
					if err != nil || try == 5 {
						t.Fatalf("%v, %v", took, err)
					}
				}
			})
		}
	}
}

// TestCompileEnds cancels the compilation of a large program.
func TestCompileEnds(t *testing.T) {
	x := engine.Zeros[float32](100)
	e := nested[float32](500000, x, op.Neg)
	const limit = 500 * time.Millisecond // a compile takes two seconds at least
	best := time.Hour
	for try := 0; try < 5 && best > limit; try++ { // a collection marks the nodes
		ctx, stop := context.WithCancel(t.Context())
		var used time.Duration
		timer := time.AfterFunc(20*time.Millisecond, func() {
			used = testlevel.CPUTime()
			stop()
		})
		_, err := engine.Compile(ctx, expr.Let(x, e))
		timer.Stop()
		stop()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("the error is %v", err)
		}
		best = min(best, testlevel.CPUTime()-used)
		t.Logf("ended after %v of processor time", best)
	}
	if best > limit {
		t.Errorf("the compile ended after %v of processor time", best)
	}
}
