package enginetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// Faults tests integer division by zero and indices out of range. The error must
// be the right one and the target must not change. There must be no error if a
// where does not select the value.
func Faults(t *testing.T, o Options) {
	t.Run("division", func(t *testing.T) { divisions(suite{t, o}) })
	t.Run("index", func(t *testing.T) { indices(suite{t, o}) })
	t.Run("unselected", func(t *testing.T) { unselected(suite{t, o}) })
	t.Run("programs", func(t *testing.T) { faultyPrograms(suite{t, o}) })
	t.Run("routines", func(t *testing.T) { faultyRoutines(suite{t, o}) })
}

var intTypes = dtype.Integers()

func divisions(s suite) {
	for i, t := range intTypes {
		for k, n := range []int{1, 70, 5000, 60000} {
			if !testlevel.Deep() && (i+k)%4 != 0 || k == 3 && i%3 != 0 {
				continue
			}
			r := newRand(uint64(n))
			x := place(r, t, packed, wild, n).Named("x").Node()
			y := place(r, t, columnMajor, wild, n).Named("y").Node()
			write(y, evaluate(apply("where", apply("equal", y, tree.ConstInt(t, 0)), tree.ConstInt(t, 1), y)))
			zero := place(r, t, packed, wild, n)
			write(zero.Node(), read(y))
			put(t, mutable(zero.Memory()), zero.Offset()+n-1, 0)
			z := zero.Named("z").Node()
			out := blank(r, t, n).Named("out").Node()
			one := blank(r, t).Named("one").Node()
			for _, name := range []string{"div", "mod", "floor_divide", "fmod"} {
				s.check(set(out, apply(name, x, y)))
				s.check(set(out, apply(name, x, z)))
				s.check(set(out, apply("sub", apply(name, apply("square", x), z), x)))
				s.check(set(x, apply(name, x, z)))
				s.check(set(one, untyped.Reduce("sum", apply(name, x, z), untyped.Options{})))
				s.check(set(out, untyped.Compose("flip", untyped.Options{}, apply(name, x, z))))
			}
			s.check(expr.Statement{Saver: expr.Over, Target: out, Value: z})
			s.check(expr.Statement{Saver: expr.Over, Target: out, Value: y})
			s.check(set(out, apply("div", x, tree.ConstInt(t, 0))))
			s.check(set(out, apply("div", x, tree.NewParamNode(t, &tree.Scalar{}))))
			s.check(set(concat(0, out, one1(r.Uint64(), t)), concat(0, apply("div", x, z), one1(1, t))))
		}
	}
}

// one1 returns a vector of one element.
func one1(bits uint64, t dtype.Type) *tree.Node { return of(t, []uint64{bits & t.Mask()}, 1).Node() }

func indices(s suite) {
	for i, t := range intTypes {
		for k, n := range []int{1, 9, 100} {
			if !testlevel.Deep() && (i+k)%3 != 0 {
				continue
			}
			r := newRand(uint64(n))
			x := place(r, dtype.F32, packed, wild, n, 3).Named("x").Node()
			for _, bad := range []int64{int64(n), int64(-n - 1), 127, -128, 1 << 40, -1 << 40, -1, int64(-n), 0} {
				bits := lists.Make(70, func(i int) uint64 { return uint64(r.IntN(n)) })
				bits[66] = uint64(bad) & t.Mask()
				idx := of(t, bits, 70).Named("idx").Node()
				out := blank(r, dtype.F32, 70, 3).Named("out").Node()
				s.check(set(out, untyped.Take(x, idx, 0)))
				s.check(set(out, untyped.Take(apply("neg", x), apply("add", idx, tree.ConstInt(t, 0)), 0)))
				columnMajor := blank(r, dtype.F32, 3, 70).Named("out").Node()
				s.check(set(columnMajor, apply("sub", untyped.Take(untyped.Permute(x, nil), idx, 1), columnMajor)))
				sums := blank(r, dtype.F32, 3).Named("sums").Node()
				s.check(set(sums, untyped.Reduce("sum", untyped.Take(x, idx, 0), axis(0))))
				s.check(set(x, untyped.Reduce("sum", untyped.Take(x, idx, 0), axis(0))))
			}
		}
	}
}

// unselected tests faults in values that no where selects. They must raise no
// error, in whatever form the plan computes the values.
func unselected(s suite) {
	for _, n := range []int{1, 70, 3000} {
		r := newRand(uint64(n))
		t := dtype.I32
		x := place(r, t, packed, tame, n).Named("x").Node()
		y := place(r, t, packed, tame, n).Named("y").Node()
		m := place(r, t, packed, tame, 7, n).Named("m").Node()
		put(t, mutable(y.Leaf.Mem.(*engine.Memory)), y.Leaf.Offset, 0)
		out, wide := blank(r, t, n).Named("out").Node(), blank(r, t, 7, n).Named("wide").Node()
		zero := tree.ConstInt(t, 0)
		ok := apply("not_equal", y, zero)
		q := apply("div", x, y)
		deep := apply("sub", apply("square", apply("add", q, x)), q)
		for _, v := range []*tree.Node{
			apply("where", ok, q, zero),
			apply("where", apply("invert", ok), zero, q),
			apply("where", ok, deep, x),
			apply("add", apply("where", ok, deep, x), apply("where", ok, q, x)),
			apply("where", apply("less", x, zero), apply("where", ok, q, y), apply("where", ok, deep, y)),
			apply("where", apply("logical_and", ok, apply("less", x, y)), apply("mod", deep, y), y),
			apply("where", ok, apply("where", apply("equal", q, zero), q, deep), x),
		} {
			s.checkFused(set(out, v))
			s.check(set(x, v))
			s.check(set(wide, v))
			s.check(set(out, untyped.Reduce("sum", apply("sub", v, m), axis(0))))
		}
		s.check(set(wide, apply("where", apply("logical_and", ok, apply("less", m, x)), q, m)))
		s.check(set(wide, apply("where", apply("logical_and", ok, apply("less", m, x)), deep, m)))
		// One lane selects the fault, so the run must fail.
		s.check(set(out, apply("add", apply("where", ok, q, zero), apply("where", ok, zero, deep))))
		s.check(set(wide, apply("where", apply("less", m, x), deep, m)))
		idx := apply("sub", untyped.Iota(n), tree.ConstInt(dtype.I64, int64(n/2)))
		far := untyped.Take(x, apply("mul", idx, tree.ConstInt(dtype.I64, 3)), 0)
		s.check(set(out, apply("where", apply("less", apply("abs", apply("mul", idx, tree.ConstInt(dtype.I64, 3))), tree.ConstInt(dtype.I64, int64(n))), far, zero)))
		s.check(set(out, far))
	}
}

// faultyPrograms tests programs in which a later statement fails.
func faultyPrograms(s suite) {
	r := newRand(5)
	t := dtype.I64
	x := place(r, t, packed, tame, 500).Named("x").Node()
	y := place(r, t, packed, tame, 500).Named("y").Node()
	z := place(r, t, packed, tame, 500).Named("z").Node()
	s.check(set(x, apply("add", y, y)), set(y, apply("div", x, apply("sub", z, z))))
	s.check(set(x, apply("sub", x, x)), set(y, apply("div", y, x)), set(z, y))
	s.check(set(y, apply("mod", y, apply("sub", x, x))), set(z, y))
	s.check(set(z, untyped.Take(x, apply("add", untyped.Iota(500), tree.ConstInt(t, 1)), 0)), set(x, z))
}

// faultyRoutines tests scatters by indices of which one is out of range, below what a plan stores
// in parts, and beside values that do not fail. The target must not change.
func faultyRoutines(s suite) {
	t, sum := dtype.F32, untyped.Options{Axes: []int{0}}
	for _, n := range []int{8, 700, 5000} {
		r := newRand(uint64(n))
		array := func(name string, dims ...int) *tree.Node {
			return place(r, t, packed, tame, dims...).Named(name).Node()
		}
		idx := of(dtype.I64, []uint64{0, uint64(n - 1), uint64(n), 1}, 4).Named("idx").Node()
		x, y, z, updates, long, tall, line := array("x", n), array("y", n), array("z", 9), array("updates", 4), array("long", 2*n+9), array("tall", 3, n), array("line", 1, 3)
		bad := untyped.Scatter("scatter_add", idx, updates, x, 0, []int{n})
		padded := untyped.Pad(bad, []int{n, 9}, tree.ConstFloat(t, 1))
		stacked := concat(0, untyped.Reshape(x, []int{1, n}), untyped.Reshape(y, []int{1, n}), untyped.Reshape(bad, []int{1, n}))
		for _, saver := range []expr.Saver{expr.Set, expr.Plus, expr.Over} {
			on := func(target, value *tree.Node) { s.check(expr.Statement{Saver: saver, Target: target, Value: value}) }
			on(x, bad)
			on(y, apply("exp", bad))
			on(long, padded)
			on(long, concat(0, y, bad, z))
			on(concat(0, y, x, z), padded)
			on(concat(0, y, x), concat(0, x, bad))
			on(tall, stacked)
			on(tall, apply("add", stacked, y))
			on(x, untyped.Reduce("sum", apply("mul", tall, bad), sum))
			on(x, apply("add", untyped.Compose("flip", untyped.Options{}, bad), x))
			on(line, untyped.MatMul(untyped.Reshape(bad, []int{1, n}), untyped.Permute(tall, nil)))
		}
		s.check(set(x, apply("neg", y)), set(y, apply("sub", bad, x)), set(x, y))
		s.check(set(tall, apply("neg", tall)), set(long, concat(0, bad, x, z)))
		unusedRoutine(s, y, bad)
	}
}

// unusedRoutine tests vectors that use no element of bad, a scatter that fails. It fails all the same.
func unusedRoutine(s suite, y, bad *tree.Node) {
	s.Helper()
	never := apply("less", y, y)
	started := untyped.Scan([]*tree.Node{untyped.Reduce("max", bad, untyped.Options{})}, []*tree.Node{y}, op.ScanOptions{}, func(_ *tree.Node, states, x []*tree.Node) (next, out []*tree.Node) {
		return states, []*tree.Node{apply("where", apply("less", x[0], x[0]), states[0], x[0])}
	})
	for _, v := range []*tree.Node{apply("where", never, bad, y), started.Out(0)} {
		st := set(y, v)
		s.check(st)
		s.each(func(b backend) {
			err := b.run(st)
			named := b.o.Device != nil || err != nil && strings.Contains(err.Error(), "op.ScatterAdd") // a device has no names
			if !errors.Is(err, expr.ErrIndex) || !named {
				b.Errorf("error is %v, want ErrIndex of op.ScatterAdd\nin\n%s", err, listing([]expr.Statement{st}))
			}
		})
	}
}
