package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// pressed returns a kernel that applies c to arrays, and to scalars where bit i of uni is set, in a
// loop with as many other scalars, each used twice, as registers may have.
func (c *primCase) pressed(uni int) string {
	const others = 28
	var decl, body strings.Builder
	var names []any
	for i, t := range c.args {
		rank, at := 1, "i0"
		if uni>>i&1 != 0 {
			rank, at = 0, ""
		}
		fmt.Fprintf(&decl, "buf x%d %s in %d\n", i, t.Short(), rank)
		fmt.Fprintf(&body, "    %%%d = load %s x%d[%s]\n", i, t.Short(), i, at)
		names = append(names, fmt.Sprintf("%%%d", i))
	}
	fmt.Fprintf(&decl, "buf y %s out 1\nbuf w f32 inout 1\n", c.typ.Short())
	for i := range others {
		fmt.Fprintf(&decl, "buf s%d f32 in 0\n", i)
		fmt.Fprintf(&body, "    %%%d = load f32 s%d[]\n", 10+i, i)
	}
	fmt.Fprintf(&body, "    %%8 = "+c.text+"\n    store %s y[i0] %%8\n    %%9 = load f32 w[i0]\n", append(names, c.typ.Short())...)
	last := 9
	for i := range 2 * others {
		fmt.Fprintf(&body, "    %%%d = %s f32 %%%d %%%d\n", 10+others+i, []string{"add", "mul"}[i/others], last, 10+i%others)
		last = 10 + others + i
	}
	fmt.Fprintf(&body, "    store f32 w[i0] %%%d\n", last)
	return "kernel p\naxis i0\n" + decl.String() + c.pre + "{\n  vec i0 {\n" + body.String() + "  }\n}\n"
}

// TestPressure compares instructions in loops whose scalars take all registers that they may.
func TestPressure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, c := range primCases() {
		t.Run(c.name, func(t *testing.T) {
			for uni := range 1 << len(c.args) {
				k := parse(t, c.pressed(uni))
				for j, n := range []int{5, 40, 300} {
					if (i+j+uni)%testlevel.Every(1, 3) != 0 {
						continue
					}
					shapes := make([][]int, len(k.Bufs))
					for b := range shapes {
						if k.Bufs[b].Rank > 0 {
							shapes[b] = []int{n}
						}
					}
					differ(t, r, newSetup(t, r, k, []int{n}, nil, shapes, r.IntN(3) > 0))
				}
			}
		})
	}
	forget()
}

// carried returns a kernel that applies c to arrays, down columns with three states.
func (c *primCase) carried() string {
	var decl, body strings.Builder
	var names []any
	for i, t := range c.args {
		fmt.Fprintf(&decl, "buf x%d %s in 2\n", i, t.Short())
		fmt.Fprintf(&body, "      %%%d = load %s x%d[i0, i1]\n", i, t.Short(), i)
		names = append(names, fmt.Sprintf("%%%d", i))
	}
	fmt.Fprintf(&decl, "buf y %s out 2\nbuf w f32 inout 2\nbuf v f32 inout 1\n", c.typ.Short())
	fmt.Fprintf(&body, "      %%8 = "+c.text+"\n      store %s y[i0, i1] %%8\n", append(names, c.typ.Short())...)
	return "kernel p\naxis i0 i1\n" + decl.String() + c.pre + `{
  vec i1 {
    %20 = load f32 v[i1]
    seq i0 {
      %21 = carry f32 %20
      %22 = carry f32 %20
      %23 = carry f32 %20
      %24 = load f32 w[i0, i1]
` + body.String() + `      %25 = min f32 %21 %24
      %26 = add f32 %22 %24
      %27 = mul f32 %23 %24
      %28 = add f32 %25 %26
      %29 = add f32 %28 %27
      store f32 w[i0, i1] %29
      %30 = next f32 %21 %25
      %31 = next f32 %22 %26
      %32 = next f32 %23 %27
    }
    store f32 v[i1] %30
  }
}
`
}

// TestCarriedPressure compares instructions in loops that keep the states of whole rows in registers.
func TestCarriedPressure(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for i, c := range primCases() {
		t.Run(c.name, func(t *testing.T) {
			k := parse(t, c.carried())
			for j, n := range []int{4, 8, 12, 16, 20, 21, 32, 40, 64, 85, 100, 200} {
				if (i+j)%testlevel.Every(1, 4) != 0 {
					continue
				}
				e := []int{1 + r.IntN(20), n}
				shapes := make([][]int, len(k.Bufs))
				for b := range shapes {
					if shapes[b] = e; k.Bufs[b].Rank == 1 {
						shapes[b] = e[1:]
					}
				}
				differ(t, r, newSetup(t, r, k, e, nil, shapes, r.IntN(3) > 0))
			}
		})
	}
	forget()
}

// A scanWriter writes random loops that carry values of one type, or of several, down columns. The rows of some arrays are along their last
// axis, and registers hold parts of those.
type scanWriter struct {
	r                      *rand.Rand
	decl, before, in, last strings.Builder
	values                 map[dtype.Type][]int
	places                 []string // of the elements of each array
	count                  int
}

// array adds an array, and returns its number and the place of an element.
func (w *scanWriter) array(t dtype.Type, mode string, places ...string) (buf int, place string) {
	place = places[w.r.IntN(len(places))]
	fmt.Fprintf(&w.decl, "buf x%d %s %s %d\n", len(w.places), t.Short(), mode, strings.Count(place, "i"))
	w.places = append(w.places, place)
	return len(w.places) - 1, place
}

// value writes an instruction to b, and returns the number of its value.
func (w *scanWriter) value(b *strings.Builder, t dtype.Type, text string, args ...any) int {
	w.count++
	fmt.Fprintf(b, "%%%d = %s\n", w.count, fmt.Sprintf(text, args...))
	w.values[t] = append(w.values[t], w.count)
	return w.count
}

func (w *scanWriter) load(t dtype.Type) int {
	buf, place := w.array(t, "in", "i1, i0", "i1, i0", "i0, i1", "")
	b := &w.in
	if place == "" {
		b = &w.before
	}
	return w.value(b, t, "load %s x%d[%s]", t.Short(), buf, place)
}

// operand returns the number of one of the last values of a type, or of an element of a new array.
func (w *scanWriter) operand(t dtype.Type) int {
	v := w.values[t]
	switch {
	case len(v) > 0 && w.r.IntN(3) > 0:
		return v[len(v)-1-w.r.IntN(min(len(v), 4))]
	case t == dtype.Bool:
		x := w.load(dtype.I32)
		return w.value(&w.in, t, "lt bool %%%d %%%d", x, w.load(dtype.I32))
	}
	return w.load(t)
}

func (w *scanWriter) store(t dtype.Type, id int, places ...string) {
	buf, place := w.array(t, "out", places...)
	fmt.Fprintf(&w.in, "store %s x%d[%s] %%%d\n", t.Short(), buf, place, id)
}

// kernel returns a loop with some carries, and some of cases.
func (w *scanWriter) kernel(cases []primCase) string {
	types := []dtype.Type{dtype.U64, dtype.I64, dtype.F64, dtype.F32, dtype.I32, dtype.U8, dtype.I16}
	w.values = map[dtype.Type][]int{}
	typ, mixed := types[w.r.IntN(len(types))], w.r.IntN(3) == 0
	type carry struct {
		t  dtype.Type
		id int
	}
	carries := make([]carry, 1+w.r.IntN(4))
	for i := range carries {
		t := typ
		if mixed {
			t = types[w.r.IntN(len(types))]
		}
		buf, _ := w.array(t, "in", "i1")
		first := w.value(&w.before, t, "load %s x%d[i1]", t.Short(), buf)
		carries[i] = carry{t, w.value(&w.in, t, "carry %s %%%d", t.Short(), first)}
	}
	for left := 1 + w.r.IntN(4); left > 0; {
		c := &cases[w.r.IntN(len(cases))]
		if c.pre != "" || strings.HasPrefix(c.name, "bitcast") || !mixed && slices.ContainsFunc(c.args, func(t dtype.Type) bool { return t != typ && t != dtype.Bool && t != dtype.I32 }) {
			continue
		}
		left--
		var args []any
		for _, t := range c.args {
			args = append(args, fmt.Sprintf("%%%d", w.operand(t)))
		}
		if id := w.value(&w.in, c.typ, c.text, args...); c.typ != dtype.Bool && w.r.IntN(3) == 0 {
			w.store(c.typ, id, "i0, i1", "i0, i1", "i1, i0")
		}
	}
	for i, c := range carries {
		op := []string{"add", "min", "max", "mul"}[w.r.IntN(4)]
		id := w.value(&w.in, c.t, op+" %s %%%d %%%d", c.t.Short(), c.id, w.operand(c.t))
		if i == 0 || w.r.IntN(2) == 0 {
			w.store(c.t, id, "i0, i1")
		}
		fmt.Fprintf(&w.last, "%%%d = next %s %%%d %%%d\n", 1000+i, c.t.Short(), c.id, id)
	}
	return "kernel p\naxis i0 i1\n" + w.decl.String() + "{\nvec i1 {\n" + w.before.String() + "seq i0 {\n" + w.in.String() + w.last.String() + "}\n}\n}\n"
}

// TestScanPressure compares random loops that carry values, whose registers hold as much as they may.
func TestScanPressure(t *testing.T) {
	defer forget()
	cases := primCases()
	failed := []int{3543, 5203, 5917, 7064, 7282, 11921} // once
	for i := range testlevel.Every(6000, 600, 200) {
		seed := i
		if i < len(failed) {
			seed = failed[i]
		}
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		w := scanWriter{r: r}
		k := parse(t, w.kernel(cases))
		rows, columns := []int{1, 2, 3, 4, 5, 8, 9, 16, 20, 33}[r.IntN(10)], []int{3, 4, 8, 16, 17, 30, 32, 64, 96, 100}[r.IntN(10)]
		var shapes [][]int
		for _, place := range w.places {
			shapes = append(shapes, map[string][]int{"i1": {columns}, "i0, i1": {rows, columns}, "i1, i0": {columns, rows}}[place])
		}
		differ(t, r, newSetup(t, r, k, []int{rows, columns}, nil, shapes, r.IntN(3) > 0))
		if i%500 == 499 {
			forget()
		}
	}
}

// TestSelections compares places of the largest of several elements with the interpreter. The comparisons come before the selections of
// places, and have no more masks than there are, as each selection follows its operands.
func TestSelections(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for _, typ := range []string{"f32", "f64", "i32"} {
		for _, n := range []int{3, 9, 12} {
			var decl, first, last strings.Builder
			best, place := "%0", "%100"
			fmt.Fprintf(&first, "%%0 = load %s x0[i0]\n%%100 = const i32 0\n", typ)
			for i := range n {
				fmt.Fprintf(&decl, "buf x%d %s in 1\n", i, typ)
				if i == 0 {
					continue
				}
				fmt.Fprintf(&first, "%%%[1]d = load %[2]s x%[1]d[i0]\n%%%[3]d = le bool %[4]s %%%[1]d\n%%%[5]d = ne bool %%%[1]d %%%[1]d\n%%%[6]d = or bool %%%[3]d %%%[5]d\n%%%[7]d = select %[2]s %%%[6]d %%%[1]d %[4]s\n", i, typ, 20+i, best, 40+i, 60+i, 80+i)
				fmt.Fprintf(&last, "%%%[1]d = const i32 %[2]d\n%%%[3]d = select i32 %%%[4]d %%%[1]d %[5]s\n", 100+i, i, 120+i, 60+i, place)
				best, place = fmt.Sprintf("%%%d", 80+i), fmt.Sprintf("%%%d", 120+i)
			}
			k := parse(t, fmt.Sprintf("kernel places\naxis i0\n%sbuf p i32 out 1\n{\nvec i0 {\n%s%sstore i32 p[i0] %s\n}\n}\n", decl.String(), first.String(), last.String(), place))
			for _, size := range []int{5, 40, 300} {
				s := newSetup(t, r, k, []int{size}, nil, slices.Repeat([][]int{{size}}, n+1), r.IntN(3) > 0)
				differ(t, r, s)
				for _, be := range isas(t) {
					if be.Name() != "avx512" {
						continue
					}
					fns, err := s.instance(t, be).(backend.Native).Listing()
					if err != nil {
						t.Fatal(err)
					}
					if fns[0].Spills > 0 {
						t.Errorf("%d elements of %s: %d spills", n, typ, fns[0].Spills)
					}
				}
			}
		}
	}
	forget()
}
