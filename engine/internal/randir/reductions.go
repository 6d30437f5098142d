package randir

import (
	"fmt"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Reduction is a kernel that does nothing else.
type Reduction struct {
	Kernel *ir.Kernel
	Op     ir.Reduction
	Type   dtype.Type // of the elements
	form   int
}

// The loops of reductions: a vec loop alone, rows, columns in a seq loop, and
// the same with lanes that lie across. What varies is the type in memory, that
// of the result, that in a register, the reduction.
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
}`, `kernel rows
axis i1 i0
buf x %[1]s in 2
buf y %[2]s out 1
{
  par i1 {
    vec i0 {
      %%0 = load %[3]s x[i1, i0]
      %%1 = reduce %[4]s %[2]s %%0
    }
    store %[2]s y[i1] %%1
  }
}`, `kernel columns
axis i1 i0
buf x %[1]s in 2
buf y %[2]s out 1
{
  vec i1 {
    seq i0 {
      %%0 = load %[3]s x[i0, i1]
      %%1 = reduce %[4]s %[2]s %%0
    }
    store %[2]s y[i1] %%1
  }
}`, `kernel across
axis i1 i0
buf x %[1]s in 2
buf y %[2]s out 1
{
  vec i1 {
    seq i0 {
      %%0 = load %[3]s x[i1, i0]
      %%1 = reduce %[4]s %[2]s %%0
    }
    store %[2]s y[i1] %%1
  }
}`}

// Reductions are those of the given types, as far as there are any, in loops of
// every form.
func Reductions(types ...dtype.Type) (all []Reduction) {
	for op := ir.Sum; op <= ir.All; op++ {
		for _, t := range types {
			reg := t.Register()
			if (reg == dtype.Bool) != (op == ir.Any || op == ir.All) || (op == ir.FMin || op == ir.FMax) && !reg.IsFloat() {
				continue
			}
			out := reg
			if op == ir.ArgMin || op == ir.ArgMax {
				out = dtype.I64
			}
			for form, text := range reductionForms {
				k, err := ir.Parse(fmt.Sprintf(text, t.Short(), out.Short(), reg.Short(), op))
				if err != nil {
					panic(err) // the forms are texts of the IR
				}
				all = append(all, Reduction{k, op, t, form})
			}
		}
	}
	return all
}

// Extreme reports whether the reduction looks for one, and so needs an element.
func (c *Reduction) Extreme() bool { return c.Op >= ir.Min && c.Op <= ir.ArgMax }

// Alone reports whether there is one result.
func (c *Reduction) Alone() bool { return c.form == 0 }

// Extents are those of the axes and the arrays, for so many results of n
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
