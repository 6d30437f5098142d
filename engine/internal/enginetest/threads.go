package enginetest

import (
	"sync"
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// Threads tests that the bits do not depend on the number of threads, on earlier
// runs, or on runs in other goroutines.
func Threads(t *testing.T, o Options) {
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
		if !testlevel.Deep() && typ != dtype.F32 {
			continue
		}
		t.Run(typ.String(), func(t *testing.T) {
			for name, stmts := range threadPrograms(typ) {
				t.Run(name, func(t *testing.T) { sameBits(suite{t, o}, stmts) })
			}
		})
	}
	t.Run("goroutines", func(t *testing.T) { concurrent(suite{t, o}) })
}

// threadPrograms returns programs that are large enough for several threads.
func threadPrograms(t dtype.Type) map[string][]expr.Statement {
	r := newRand(11)
	x := place(r, t, packed, tame, 120, 401).Named("x").Node()
	y := place(r, t, columnMajor, tame, 120, 401).Named("y").Node()
	long := place(r, t, packed, tame, 140003).Named("long").Node()
	out := blank(r, t, 120, 401).Named("out").Node()
	row, col := blank(r, t, 401).Named("row").Node(), blank(r, t, 120).Named("col").Node()
	one := blank(r, t).Named("one").Node()
	at := blank(r, dtype.I64).Named("at").Node()
	few, many := place(r, t, packed, exact, 8, 70).Named("few").Node(), place(r, t, packed, exact, 70, 2100).Named("many").Node()
	wide := blank(r, t, 8, 2100).Named("wide").Node()
	tree := apply("add", apply("tanh", apply("mul", x, y)), apply("exp", x))
	return map[string][]expr.Statement{
		"map":     {set(out, tree)},
		"softmax": {set(out, untyped.Compose("softmax", untyped.Options{Axes: []int{1}}, tree))},
		"columns": {set(row, untyped.Reduce("sum", tree, axis(0))), set(out, apply("sub", x, row))},
		"rows":    {set(col, untyped.Reduce("max", tree, axis(1))), set(col, untyped.Compose("var", axis(1), y))},
		"long":    {set(blank(r, t, 3).Node(), untyped.Reduce("sum", apply("sin", place(r, t, packed, tame, 3, 40003).Node()), axis(1)))},
		"whole":   {set(one, untyped.Reduce("sum", apply("exp", apply("sin", long)), untyped.Options{}))},
		"var":     {set(one, untyped.Compose("var", untyped.Options{}, long))},
		"product": {set(wide, untyped.Compose("softmax", untyped.Options{Axes: []int{1}}, untyped.MatMul(few, many)))},
		"tiles":   {set(wide, apply("tanh", untyped.MatMul(few, many)))},
		"argmax":  {set(at, untyped.Reduce("argmax", apply("sin", long), untyped.Options{}))},
	}
}

// sameBits compares runs with 1 to 8 threads with the reference.
func sameBits(s suite, stmts []expr.Statement) {
	s.Helper()
	all := newTrial(stmts)
	counts := []int{1, 2, 3, 4, 5, 6, 7, 8, 0}
	if !testlevel.Deep() {
		counts = []int{1, 2, 8}
	}
	for _, n := range counts {
		for _, b := range s.backends() {
			b.o.Threads = n
			p := b.compile(stmts...)
			for range 2 {
				if err := all.again(p); err != nil {
					b.Fatalf("%d threads: %v", n, err)
				}
			}
		}
	}
	all.mems.restore(all.before)
}

// concurrent runs one program and other programs at the same time.
func concurrent(s suite) {
	s.Helper()
	r := newRand(12)
	x := place(r, dtype.F32, packed, tame, 200, 301).Named("x").Node()
	var stmts [4]expr.Statement
	for i := range stmts {
		v := untyped.Compose("softmax", untyped.Options{Axes: []int{1}}, apply("mul", x, tree.ConstFloat(dtype.F32, float64(i+1))))
		stmts[i] = set(blank(r, dtype.F32, 200, 301).Named("out").Node(), v)
	}
	all := newTrial(stmts[:])
	for _, b := range s.backends() {
		all.mems.restore(all.before)
		b.o.Threads = 3
		var programs [len(stmts)]runner
		for i, st := range stmts {
			programs[i] = b.compile(st)
		}
		var wg sync.WaitGroup
		for _, p := range programs {
			for range 2 {
				wg.Go(func() {
					for range 5 {
						if err := p.Run(ctx); err != nil {
							b.Errorf("%v", err)
						}
					}
				})
			}
		}
		wg.Wait()
		if d := all.mems.differ(all.want); d != "" {
			b.Errorf("%s", d)
		}
	}
}

// Allocations tests that a run of a compiled program allocates nothing, with one
// thread and with several.
func Allocations(t *testing.T, o Options) {
	programs := threadPrograms(dtype.F32)
	r := newRand(2)
	x := place(r, dtype.F32, packed, exact, 40, 40).Node()
	i := place(r, dtype.I64, packed, tame, 40).Node()
	small := blank(r, dtype.F32, 40, 40).Node()
	programs["small"] = []expr.Statement{set(small, apply("add", x, tree.NewParamNode(dtype.F32, &tree.Scalar{})))}
	programs["product"] = []expr.Statement{set(small, apply("relu", untyped.MatMul(x, untyped.Permute(x, nil))))}
	programs["prescan"] = []expr.Statement{set(small, untyped.Take(x, apply("mod", i, tree.ConstInt(dtype.I64, 40)), 0))}
	programs["alias"] = []expr.Statement{set(x, apply("sub", untyped.Permute(x, nil), x))}
	for name, stmts := range programs {
		t.Run(name, func(t *testing.T) {
			suite{t, o}.each(func(b backend) {
				for _, n := range []int{1, 2, 4} {
					b.o.Threads = n
					p, err := steady(b.compile(stmts...))
					if err != nil {
						b.Fatalf("%v", err)
					}
					var failed error
					allocs := testlevel.Allocs(2, func() {
						if err := p.Run(ctx); err != nil {
							failed = err
						}
					})
					if allocs != 0 || failed != nil {
						b.Errorf("%d threads: %v allocations, error %v", n, allocs, failed)
					}
				}
			})
		})
	}
}
