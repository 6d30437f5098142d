package randir

import (
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Reduction is a kernel that does nothing else.
type Reduction struct {
	Kernel *ir.Kernel
	Row    *prim.Reduction
	Type   dtype.Type // of the elements
	form   int
}

// The loops of reductions: a vec loop alone, rows, columns in a seq loop, and
// the same with lanes that lie across. Each text has places for the type in memory, the type
// of the result, the type in a register and the reduction.
var reductionForms = []string{`kernel alone
axis i0
buf x %[1]s in 1
buf y %[2]s out 0
{
  vec i0 {
    %%0 = load %[3]s x[i0]
    %%1 = reduce %[4]s %[2]s %%0
  }
  store %[2]s y[] %%1
}`, nested("rows", "par", "vec", "i1, i0"), nested("columns", "vec", "seq", "i0, i1"), nested("across", "vec", "seq", "i1, i0")}

// nested returns the text of a kernel of two loops that loads the elements at an index.
func nested(name, outer, inner, at string) string {
	return strings.NewReplacer("NAME", name, "OUTER", outer, "INNER", inner, "AT", at).Replace(`kernel NAME
axis i1 i0
buf x %[1]s in 2
buf y %[2]s out 1
{
  OUTER i1 {
    INNER i0 {
      %%0 = load %[3]s x[AT]
      %%1 = reduce %[4]s %[2]s %%0
    }
    store %[2]s y[i1] %%1
  }
}`)
}

// Programs are reductions with programs: the rows of the table without their
// primitives, and some as a user would write them.
var Programs = programs()

func programs() (rows []*prim.Reduction) {
	for _, r := range ir.Reductions() {
		if !r.Position() {
			p := r.Row()
			p.Name += "_program"
			p.Types &^= prim.Pred
			p.Op, p.IgnoreNaN, p.Combine, p.Order = prim.Invalid, false, r.Lower, p.Types
			if p.Types != 0 {
				rows = append(rows, prim.NewReduction(p))
			}
		}
	}
	return append(rows, prim.NewReduction(prim.ReductionRow{
		Name: "hypot", Types: prim.Float, Order: prim.Float, Identity: prim.Zero,
		Combine: func(b *prim.B, x ...prim.V) prim.V { return b.Sqrt(b.Fma(x[0], x[0], b.Mul(x[1], x[1]))) },
	}), prim.NewReduction(prim.ReductionRow{
		Name: "mixed", Types: prim.Num, Order: prim.Num, Identity: prim.One, Empty: prim.Zero,
		Combine: mixed,
	}))
}

// mixed has a cold region, a look-up, predicates and wider intermediate values,
// and nothing of it commutes.
func mixed(b *prim.B, x ...prim.V) prim.V {
	t := x[0].Type
	odd := b.Ne(b.And(b.Cvt(dtype.I64, x[1]), b.Int(dtype.I64, 1)), b.Int(dtype.I64, 0))
	step := b.Lookup(t, []uint64{prim.FromInt(t, 1), prim.FromInt(t, 3)}, b.Cvt(dtype.I32, x[0]))
	y := b.Select(b.Or(odd, b.Eq(x[0], x[1])), b.Add(x[1], step), b.Sub(x[0], x[1]))
	return b.Cold(b.Lt(x[1], b.Int(t, 1)), y, func() prim.V { return b.Sub(b.Mul(x[1], x[1]), x[0]) })
}

// Rows are the reductions of the table and those with programs.
func Rows() []*prim.Reduction { return append(ir.Reductions(), Programs...) }

// declaration is what a text declares for reduction n with a program, behind so
// many tables. A program has at most one.
func declaration(r *prim.Reduction, t dtype.Type, n, tables int) string {
	b := ir.NewBuilder("k")
	b.Open(ir.Vec, b.Axis("i0"))
	x := b.Load(b.Buf(ir.Buf{Name: "x", Type: t, Rank: 1}), ir.InBounds, []prim.Ix{b.K.Index.Axis(0)}, prim.V{})
	b.Reduce(r, x)
	b.Close()
	_, text, _ := strings.Cut(b.K.String(), "in 1\n")
	text, _, _ = strings.Cut(text, "\n{")
	table := fmt.Sprintf(" t%d ", tables)
	return strings.NewReplacer(" t0 ", table, "reduction r0", fmt.Sprintf("reduction r%d", n), "%", fmt.Sprintf("%%9%03d", n)).Replace(text)
}

// Reductions returns the reductions that there are of the given types, in loops of
// every form.
func Reductions(types ...dtype.Type) (all []Reduction) {
	for _, row := range Rows() {
		for _, t := range types {
			reg := t.Register()
			if !row.Types().Has(reg) {
				continue
			}
			name, head := row.Name(), ""
			if !row.Native() {
				name, head = "r0", declaration(row, reg, 0, 0)+"\n"
			}
			for form, text := range reductionForms {
				text = fmt.Sprintf(text, t.Short(), row.Result(reg).Short(), reg.Short(), name)
				k, err := ir.Parse(strings.Replace(text, "\n{", "\n"+head+"{", 1))
				if err != nil {
					panic(err) // the forms are texts of the IR
				}
				all = append(all, Reduction{k, row, t, form})
			}
		}
	}
	return all
}

// Extreme reports whether the reduction needs an element.
func (c *Reduction) Extreme() bool { return c.Row.NeedsElement() && c.Row.Native() }

// Long reports whether the reduction is worth more than one block: the results
// of blocks are combined in one way for all rows of a kind.
func (c *Reduction) Long() bool {
	return c.Row.Op() == prim.Add || c.Row.Position() && c.Row.Op() == prim.Max || c.Row.Name() == "mixed"
}

// Alone reports whether there is one result.
func (c *Reduction) Alone() bool { return c.form == 0 }

// Extents returns the extents of the axes and of the arrays, for so many results of n
// elements each.
func (c *Reduction) Extents(results, n int) (axes []int, arrays [][]int) {
	switch c.form {
	case 0:
		return []int{n}, [][]int{{n}, nil}
	case 2:
		return []int{results, n}, [][]int{{n, results}, {results}}
	}
	return []int{results, n}, [][]int{{results, n}, {results}}
}
