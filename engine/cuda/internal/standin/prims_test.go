package standin

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
)

var registers = dtype.Registers()

// primitives is a kernel with every primitive that takes t.
func primitives(t dtype.Type) (text string, outputs int) {
	var head, body strings.Builder
	n := 3
	put := func(out dtype.Type, format string, args ...any) {
		fmt.Fprintf(&head, "buf y%d %s out 1\n", n, out.Short())
		fmt.Fprintf(&body, "    %%%d = %s\n    store %s y%d[i0] %%%d\n", n, fmt.Sprintf(format, args...), out.Short(), n, n)
		n++
	}
	name := t.Short()
	if prim.Num.Has(t) {
		put(t, "load %s x0[i0]", name) // values that later ones can refer to by number
	}
	for op := prim.Add; op < prim.NumOps; op++ {
		info := op.Info()
		if !info.Types.Has(t) || op >= prim.RoundF16 && op <= prim.RoundBF16 && t != dtype.F32 {
			continue
		}
		switch op {
		case prim.Select:
			put(t, "select %s %%p %%0 %%1", name)
		case prim.Scale:
			put(t, "scale %s %%0 %%n", name)
		case prim.Cvt:
			for _, u := range registers {
				put(u, "cvt %s %%0", u.Short())
			}
		case prim.Bitcast:
			for _, u := range registers {
				if prim.Num.Has(u) && u.Size() == t.Size() {
					put(u, "bitcast %s %%0", u.Short())
				}
			}
		case prim.Lookup:
			put(dtype.F64, "lookup f64 t0 %%0")
			put(dtype.U8, "lookup u8 t1 %%0")
		default:
			out := t
			if info.Result == prim.IsPred {
				out = dtype.Bool
			}
			put(out, "%s %s %s", op, out.Short(), strings.Join([]string{"%0", "%1", "%2"}[:info.Arity], " "))
		}
	}
	p, s := n, n+1
	fmt.Fprintf(&head, "buf p bool in 1\n")
	loads := fmt.Sprintf("    %%%d = load bool p[i0]\n", p)
	if prim.Float.Has(t) {
		i := prim.IntOf(t).Short()
		fmt.Fprintf(&head, "buf n %s in 1\n", i)
		loads += fmt.Sprintf("    %%%d = load %s n[i0]\n", s, i)
	}
	for i := range 3 {
		loads += fmt.Sprintf("    %%%d = load %s x%d[i0]\n", i, name, i)
	}
	code := strings.NewReplacer("%p", fmt.Sprint("%", p), "%n", fmt.Sprint("%", s)).Replace(loads + body.String())
	tables := ""
	if prim.Int.Has(t) {
		tables = "table t0 f64 [0x3ff0000000000000, 0x7ff8000000000000, 0x0000000000000001, 0x8000000000000000]\ntable t1 u8 [1, 255]\n"
	}
	text = fmt.Sprintf("kernel prims_%s\naxis i0\nbuf x0 %s in 1\nbuf x1 %s in 1\nbuf x2 %s in 1\n%s%s{\n  vec i0 {\n%s  }\n}\n", name, name, name, name, head.String(), tables, code)
	return text, n - 3
}

// TestPrimitives compares every primitive of every type, on many special values.
func TestPrimitives(t *testing.T) {
	run(t, allPrimitives(t))
}

func allPrimitives(t *testing.T) (trials []*trial) {
	r := rand.New(rand.NewPCG(7, 8))
	outputs := 0
	for _, typ := range registers {
		text, n := primitives(typ)
		outputs += n
		k := parse(t, text)
		shapes := make([][]int, len(k.Bufs))
		for i := range shapes {
			shapes[i] = []int{5000}
		}
		trials = append(trials, newTrialOf(t, r, "primitives of "+typ.String(), k, []int{5000}, nil, shapes, true, func(u dtype.Type) uint64 {
			if u.IsFloat() && r.IntN(2) == 0 {
				return randir.FloatBits(u, randir.SpecialFloats[r.IntN(len(randir.SpecialFloats))])
			}
			return randir.MemoryBits(r, u)
		}))
	}
	if outputs < 200 {
		t.Errorf("only %d primitives", outputs)
	}
	return trials
}

// TestExtremes looks at NaN and zeros, which random data rarely combines.
func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	values := []float64{0, math.Copysign(0, -1), math.NaN(), 1, -1, math.Inf(1), math.Inf(-1)}
	var trials []*trial
	all := randir.Reductions(dtype.F32, dtype.F64)
	for _, c := range all {
		if !c.Extreme() {
			continue
		}
		for try := range testlevel.Every(12, 4, 2) {
			n := 1 + r.IntN(9)
			if try%4 == 0 {
				n = 4090 + r.IntN(12)
			}
			axes, arrays := c.Extents(3, n)
			pick := values[r.IntN(3):]
			pick = pick[:1+r.IntN(len(pick))]
			trials = append(trials, newTrialOf(t, r, fmt.Sprintf("%s of %d", c.Row.Name(), n), c.Kernel, axes, nil, arrays, true, func(t dtype.Type) uint64 {
				return randir.FloatBits(t, pick[r.IntN(len(pick))])
			}))
		}
	}
	run(t, trials)
}
