// Package randir writes random kernels, for the tests of backends: loops of
// every kind, values at every level, accesses of every kind.
package randir

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Sample is a kernel, which [ir.Check] passes, with the extents of its axes and
// of its arrays (nil for row buffers).
type Sample struct {
	Kernel  *ir.Kernel
	Extents []int
	Shapes  [][]int
}

// Kernel writes a random kernel. An error is a mistake of this package, or of the
// parser or checker of package ir.
func Kernel(r *rand.Rand) (*Sample, error) {
	g := &generator{r: r}
	g.kernel()
	text := "kernel random\naxis i0 i1 i2 i3 i4\n" + strings.Join(append(g.head, g.programs...), "\n") + "\n{\n" + g.body.String() + "}\n"
	k, err := ir.Parse(text)
	if err == nil {
		err = ir.Check(k)
	}
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	return &Sample{k, g.extents, g.shapes}, nil
}

type generator struct {
	r        *rand.Rand
	extents  []int
	head     []string // declarations of buffers
	shapes   [][]int
	body     strings.Builder
	next     int
	values   []genValue // visible
	axes     []int      // bound
	rows     []int      // row buffers written, by buffer: the vec axis
	rowType  []dtype.Type
	bufs     int
	programs []string // declarations of reductions
	indent   string
	cold     bool
}

type genValue struct {
	id int
	t  dtype.Type
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.body, g.indent+format+"\n", args...)
}

func (g *generator) def(t dtype.Type) int {
	g.next++
	g.values = append(g.values, genValue{g.next, t})
	return g.next
}

// value picks a visible value of type t, or makes a constant.
func (g *generator) value(t dtype.Type) int {
	var fit []int
	for _, v := range g.values {
		if v.t == t {
			fit = append(fit, v.id)
		}
	}
	if len(fit) == 0 || g.r.IntN(12) == 0 {
		if len(fit) == 0 && g.r.IntN(2) == 0 && t != dtype.I64 && t != dtype.Bool {
			return g.load(t)
		}
		bits := tame(g.r, t)
		id := g.def(t)
		g.line("%%%d = const %s %#x", id, t.Short(), bits)
		return id
	}
	if g.r.IntN(2) == 0 {
		return fit[len(fit)-1]
	}
	return fit[g.r.IntN(len(fit))]
}

// ix writes an index expression and its range.
func (g *generator) ix(depth int) (s string, lo, hi int) {
	if depth == 0 || g.r.IntN(3) == 0 {
		if len(g.axes) == 0 || g.r.IntN(8) == 0 {
			c := g.r.IntN(4)
			return fmt.Sprint(c), c, c
		}
		a := g.axes[g.r.IntN(len(g.axes))]
		if g.r.IntN(2) == 0 {
			a = g.axes[len(g.axes)-1]
		}
		return fmt.Sprintf("i%d", a), 0, g.extents[a] - 1
	}
	x, lo, hi := g.ix(depth - 1)
	switch g.r.IntN(6) {
	case 0:
		y, l, h := g.ix(depth - 1)
		return x + "+" + y, lo + l, hi + h
	case 1:
		k := g.r.IntN(5) - 2
		return fmt.Sprintf("(%s)*%d", x, k), min(lo*k, hi*k), max(lo*k, hi*k)
	case 2:
		k := 1 + g.r.IntN(6)
		return fmt.Sprintf("div(%s, %d)", x, k), bound.FloorDiv(lo, k), bound.FloorDiv(hi, k)
	case 3:
		k := 1 + g.r.IntN(6)
		return fmt.Sprintf("mod(%s, %d)", x, k), 0, k - 1
	case 4:
		c := g.r.IntN(9) - 4
		return fmt.Sprintf("%s+%d", x, c), lo + c, hi + c
	}
	return x, lo, hi
}

func (g *generator) newBuf(t dtype.Type, mode string, shape []int) int {
	g.head = append(g.head, fmt.Sprintf("buf b%d %s %s %d", g.bufs, t.Short(), mode, len(shape)))
	g.shapes = append(g.shapes, shape)
	g.bufs++
	return g.bufs - 1
}

// memory picks a type in memory for a register type.
func (g *generator) memory(t dtype.Type) dtype.Type {
	if t == dtype.F32 && g.r.IntN(3) == 0 {
		return []dtype.Type{dtype.F16, dtype.BF16}[g.r.IntN(2)]
	}
	return t
}

// tame is a constant that leaves results finite now and then.
func tame(r *rand.Rand, t dtype.Type) uint64 {
	if t.IsFloat() {
		return prim.FromFloat(t, r.NormFloat64())
	}
	if t == dtype.Bool {
		return uint64(r.IntN(2))
	}
	switch r.IntN(3) {
	case 0:
		return uint64(r.IntN(4))
	case 1:
		return uint64(-1-r.IntN(3)) & t.Mask()
	}
	return r.Uint64() >> r.IntN(64) & t.Mask()
}

var genTypes = []dtype.Type{dtype.F32, dtype.F32, dtype.F32, dtype.F64, dtype.I32, dtype.U8, dtype.U64, dtype.I64, dtype.I16, dtype.U16}

func (g *generator) op() {
	t := genTypes[g.r.IntN(len(genTypes))]
	switch g.r.IntN(16) {
	case 0, 1:
		g.load(t)
		return
	case 2:
		x, y := g.value(t), g.value(t)
		op := []string{"eq", "ne", "lt", "le"}[g.r.IntN(4)]
		id := g.def(dtype.Bool)
		g.line("%%%d = %s bool %%%d %%%d", id, op, x, y)
		return
	case 3:
		p, x, y := g.value(dtype.Bool), g.value(t), g.value(t)
		id := g.def(t)
		g.line("%%%d = select %s %%%d %%%d %%%d", id, t.Short(), p, x, y)
		return
	case 4:
		if u := genTypes[g.r.IntN(len(genTypes))]; u != t {
			x := g.value(t)
			id := g.def(u)
			g.line("%%%d = cvt %s %%%d", id, u.Short(), x)
		}
		return
	case 5:
		if t == dtype.F32 || t == dtype.I32 {
			u := dtype.F32
			if t == dtype.F32 {
				u = dtype.I32
			}
			x := g.value(t)
			if t == dtype.F32 { // not of a NaN that was computed: its bits are free
				x = g.def(t)
				g.line("%%%d = const f32 %#x", x, tame(g.r, t))
			}
			id := g.def(u)
			g.line("%%%d = bitcast %s %%%d", id, u.Short(), x)
		}
		return
	case 6:
		s, _, _ := g.ix(3)
		id := g.def(dtype.I64)
		g.line("%%%d = index %s", id, s)
		return
	case 7:
		if !g.cold {
			g.coldRegion(t)
		}
		return
	case 8:
		id := g.def(t)
		g.line("%%%d = const %s %#x", id, t.Short(), tame(g.r, t))
		return
	}
	var ops []prim.Op
	for op := prim.Const; op < prim.NumOps; op++ {
		half := op == prim.RoundF16 || op == prim.RoundBF16 // of F32 only
		if op != prim.Select && op.Info().Types.Has(t) && op.Info().Result == prim.Same && (!half || t == dtype.F32) {
			ops = append(ops, op)
		}
	}
	op := ops[g.r.IntN(len(ops))]
	args := lists.Make(op.Info().Arity, func(int) string { return fmt.Sprintf("%%%d", g.value(t)) })
	id := g.def(t)
	g.line("%%%d = %s %s %s", id, op, t.Short(), strings.Join(args, " "))
}

func (g *generator) coldRegion(t dtype.Type) {
	p, x := g.value(dtype.Bool), g.value(t)
	id := g.next + 1
	g.next++
	g.line("%%%d = cold %s %%%d %%%d {", id, t.Short(), p, x)
	n, indent := len(g.values), g.indent
	g.cold, g.indent = true, indent+"  "
	for range g.r.IntN(6) {
		g.op()
	}
	g.line("yield %%%d", g.value(t))
	g.cold, g.indent, g.values = false, indent, g.values[:n]
	g.line("}")
	g.values = append(g.values, genValue{id, t})
}

// reduce returns the result, which is visible after the loop.
func (g *generator) reduce() genValue {
	rows := Rows()
	if g.extents[1]*g.extents[2]*g.extents[3]*g.extents[4] == 0 { // extremes of nothing are an error
		rows = slices.DeleteFunc(rows, func(r *prim.Reduction) bool { return r.NeedsElement() })
	}
	row := rows[g.r.IntN(len(rows))]
	types := slices.DeleteFunc(append([]dtype.Type{dtype.Bool}, genTypes...), func(t dtype.Type) bool { return !row.Types().Has(t) })
	t := types[g.r.IntN(len(types))]
	name, out := row.Name(), row.Result(t)
	if !row.Native() {
		n := len(g.programs)
		name = "r" + strconv.Itoa(n)
		tables := strings.Count(strings.Join(g.programs, "\n"), "table ")
		g.programs = append(g.programs, declaration(row, t, n, tables))
	}
	x := g.value(t)
	g.next++
	g.line("%%%d = reduce %s %s %%%d", g.next, name, out.Short(), x)
	return genValue{g.next, out}
}

func (g *generator) store() {
	if len(g.values) == 0 {
		return
	}
	v := g.values[len(g.values)-1-g.r.IntN(min(len(g.values), 4))]
	perm := g.r.Perm(len(g.axes))
	if g.r.IntN(2) == 0 {
		for i := range perm {
			perm[i] = i
		}
	}
	var coords []string
	var shape []int
	for _, i := range perm {
		coords = append(coords, fmt.Sprintf("i%d", g.axes[i]))
		shape = append(shape, g.extents[g.axes[i]])
	}
	if len(perm) > 1 && g.r.IntN(3) == 0 {
		n := len(perm)
		e := shape[n-1]
		coords[n-2] = fmt.Sprintf("%s*%d+%s", coords[n-2], e, coords[n-1])
		shape[n-2] *= e
		coords, shape = coords[:n-1], shape[:n-1]
	}
	if v.t == dtype.I8 {
		return
	}
	if len(perm) > 0 && g.r.IntN(8) == 0 {
		g.scatter(v)
		return
	}
	b := g.newBuf(g.memory(v.t), []string{"out", "inout"}[g.r.IntN(2)], shape)
	if strings.Contains(g.head[b], "inout") && g.r.IntN(2) == 0 {
		id := g.def(v.t)
		g.line("%%%d = load %s b%d[%s]", id, v.t.Short(), b, strings.Join(coords, ", "))
		v = g.values[len(g.values)-1-g.r.IntN(min(len(g.values), 3))]
		if strings.Fields(g.head[b])[2] != v.t.Short() && !(v.t == dtype.F32 && strings.Contains(g.head[b], "f16")) {
			return
		}
	}
	at := fmt.Sprintf("b%d[%s]", b, strings.Join(coords, ", "))
	g.line("store %s %s %%%d", v.t.Short(), at, v.id)
	if strings.Contains(g.head[b], "inout") && g.r.IntN(3) == 0 { // again
		g.line("%%%d = load %s %s", g.def(v.t), v.t.Short(), at)
		g.ops(3)
		g.line("store %s %s %%%d", v.t.Short(), at, g.value(v.t))
	}
}

// scatter stores v at a computed position, another one at each position of the
// loops, beside the first axis.
func (g *generator) scatter(v genValue) {
	flat, n := "0", 1
	for _, a := range g.axes[1:] {
		flat = fmt.Sprintf("(%s)*%d+i%d", flat, g.extents[a], a)
		n *= g.extents[a]
	}
	last := g.def(dtype.I64)
	g.line("%%%d = index %s", last, flat)
	top := g.def(dtype.I64)
	g.line("%%%d = const i64 %#x", top, uint64(max(n-1, 0)))
	at := g.def(dtype.I64)
	g.line("%%%d = sub i64 %%%d %%%d", at, top, last)
	b := g.newBuf(g.memory(v.t), "out", []int{g.extents[g.axes[0]], n})
	g.line("store %s b%d[i%d, %%%d] %%%d", v.t.Short(), b, g.axes[0], at, v.id)
}

// scope runs body in a loop over the axes; the reductions it returns are
// visible afterwards.
func (g *generator) scope(kind string, axes []int, body func() []genValue) {
	names := ""
	for _, a := range axes {
		names += fmt.Sprintf(" i%d", a)
	}
	g.line("%s%s {", kind, names)
	values, bound, indent := len(g.values), len(g.axes), g.indent
	g.axes, g.indent = append(g.axes, axes...), indent+"  "
	results := body()
	g.axes, g.values, g.indent = g.axes[:bound], g.values[:values], indent
	g.line("}")
	g.values = append(g.values, results...)
}

func (g *generator) ops(n int) {
	for range g.r.IntN(n) {
		g.op()
	}
}

func (g *generator) vec(axes, seq []int) {
	g.scope("vec", axes, func() (out []genValue) {
		g.ops(8)
		for i, b := range g.rows {
			if axes[len(axes)-1] == rowAxis && g.r.IntN(2) == 0 {
				id := g.def(g.rowType[i])
				g.line("%%%d = load %s b%d[i%d]", id, g.rowType[i].Short(), b, rowAxis)
			}
		}
		if len(seq) > 0 && g.r.IntN(2) == 0 {
			var first []genValue
			for range max(0, g.r.IntN(6)-2) {
				t := genTypes[g.r.IntN(len(genTypes))]
				first = append(first, genValue{g.value(t), t})
			}
			g.scope("seq", seq, func() (out []genValue) {
				var carries []genValue
				for _, v := range first {
					carries = append(carries, genValue{g.def(v.t), v.t})
					g.line("%%%d = carry %s %%%d", carries[len(carries)-1].id, v.t.Short(), v.id)
				}
				settles := len(carries) > 0 && g.r.IntN(3) == 0
				g.ops(6)
				if !settles && g.r.IntN(4) == 0 {
					g.store()
					g.ops(3)
				}
				if least := min(1, len(carries)); !settles {
					for range 1 - least*g.r.IntN(2) + g.r.IntN(2)*g.r.IntN(6) {
						out = append(out, g.reduce())
					}
				}
				var next []int
				for _, v := range carries {
					x := g.value(v.t)
					if settles {
						x = g.settled(v, x)
					}
					next = append(next, x)
				}
				for i, v := range carries {
					g.next++
					g.line("%%%d = next %s %%%d %%%d", g.next, v.t.Short(), v.id, next[i])
					out = append(out, genValue{g.next, v.t})
				}
				return out
			})
		}
		g.ops(6)
		for range g.r.IntN(3) {
			g.store()
			g.ops(3)
		}
		if axes[len(axes)-1] == rowAxis && len(g.rows) < 2 && g.rows != nil && g.r.IntN(2) == 0 {
			t := []dtype.Type{dtype.F32, dtype.I32}[g.r.IntN(2)]
			v := g.value(t)
			b := g.bufs
			g.bufs++
			g.head = append(g.head, fmt.Sprintf("buf b%d %s row [i%d]", b, t.Short(), rowAxis))
			g.shapes = append(g.shapes, nil)
			g.line("store %s b%d[i%d] %%%d", t.Short(), b, rowAxis, v)
			g.rows, g.rowType = append(g.rows, b), append(g.rowType, t)
		}
		for range g.r.IntN(3) {
			out = append(out, g.reduce())
		}
		if g.r.IntN(6) == 0 {
			g.line("fault %s %%%d", []string{"divide", "index"}[g.r.IntN(2)], g.value(dtype.Bool))
		}
		return out
	})
}

// settled returns a next value that is x where the carry is below a number, and
// sometimes a predicate holds too, and the carry elsewhere.
func (g *generator) settled(carry genValue, x int) int {
	limit := g.def(carry.t)
	g.line("%%%d = const %s %#x", limit, carry.t.Short(), tame(g.r, carry.t))
	p := g.def(dtype.Bool)
	g.line("%%%d = lt bool %%%d %%%d", p, carry.id, limit)
	if g.r.IntN(2) == 0 {
		other := g.value(dtype.Bool)
		both := g.def(dtype.Bool)
		g.line("%%%d = and bool %%%d %%%d", both, p, other)
		p = both
	}
	g.next++
	g.line("%%%d = select %s %%%d %%%d %%%d", g.next, carry.t.Short(), p, x, carry.id)
	return g.next
}

const rowAxis = 2

// kernel: axes 0 and 1 are for par loops, or vec loops alone; 2 and 3 for vec
// loops; 4 for seq loops.
func (g *generator) kernel() {
	g.indent = "  "
	g.extents = lists.Make(5, func(int) int { return 1 + g.r.IntN(7) })
	g.extents[2] = []int{1, 2, 3, 5, 8, 17, 64, 65, 200, 513, 600, 1030}[g.r.IntN(12)]
	g.extents[4] = []int{1, 2, 3, 63, 64, 65, 130, 193, 384, 650}[g.r.IntN(10)]
	if g.r.IntN(20) == 0 {
		g.extents[1+g.r.IntN(4)] = 0
		g.extents[4] = 1
	}
	g.ops(4)
	vecAxes := [][]int{{2}, {2}, {3, 2}, {2, 3}}[g.r.IntN(4)]
	switch g.r.IntN(4) {
	case 0:
		g.vec(append([]int{1}, vecAxes...), []int{4})
	case 1:
		g.vec(vecAxes, []int{4})
		g.ops(3)
		g.vec([]int{1, 2}, nil)
	default:
		g.scope("par", [][]int{{0}, {0, 1}, {1}}[g.r.IntN(3)], func() []genValue {
			g.rows = []int{}
			g.ops(4)
			for range 1 + g.r.IntN(3) {
				g.vec([]int{2}, []int{4})
				g.ops(3)
			}
			g.store()
			g.rows = nil
			return nil
		})
	}
	g.store()
}
