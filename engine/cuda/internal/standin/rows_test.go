package standin

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestRows compares random formulas whose rows are reduced, with what later loops of a row
// load again: in place, by views, of several element types.
func TestRows(t *testing.T) {
	count := testlevel.Every(200, 15, 8)
	r := rand.New(rand.NewPCG(17, 18))
	var trials []*trial
	for len(trials) < count {
		trials = append(trials, rowTrials(t, r)...)
	}
	run(t, trials)
}

// tame is an element of an array that is no NaN and not large: a row with a NaN would have
// nothing but NaNs in its results.
func tame(r *rand.Rand, t dtype.Type) uint64 {
	switch {
	case t == dtype.Bool:
		return uint64([]int{0, 0, 0, 1, 255}[r.IntN(5)])
	case t.IsFloat():
		return randir.FloatBits(t, r.NormFloat64())
	}
	return uint64(int64(r.IntN(40)-20)) & t.Mask()
}

// rowTrials makes trials of random statements.
func rowTrials(t *testing.T, r *rand.Rand) []*trial {
	t.Helper()
	types := []dtype.Type{dtype.F32, dtype.F32, dtype.F32, dtype.F64, dtype.F16, dtype.BF16, dtype.I32, dtype.I64, dtype.U8, dtype.I16}
	lengths := []int{1, 2, 31, 64, 128, 257, 300, 512, 1000, 1024, 1028, 1030, 1500, 2048, 2052, 4095, 4096, 4100, 5000, 8192, 8200, 9001, 16385, 70000}
	for {
		f := &rowFormula{r: r, typ: types[r.IntN(len(types))], arrays: map[string][]int{}, types: map[string]dtype.Type{}}
		n := lengths[r.IntN(len(lengths))]
		rows := 1 + r.IntN(min(100, max(60000/n, 2)))
		f.rows, f.width = []int{rows}, []int{n}
		switch r.IntN(8) {
		case 0:
			f.rows = []int{1 + r.IntN(3), 1 + rows/3}
		case 1:
			if n%4 == 0 {
				f.width = []int{4, n / 4}
			}
		}
		text := f.text()
		src, err := formula.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		env := map[string]*tree.Node{}
		for _, name := range slices.Sorted(maps.Keys(f.arrays)) {
			env[name] = leaf(t, f.types[name], f.arrays[name]...)
		}
		unit, err := src.Build(env)
		if err != nil { // an operator that the type does not have
			continue
		}
		return planned(t, r, fmt.Sprintf("%s of %v %v", text, f.typ, f.arrays), unit.Statements, tame)
	}
}

// A rowFormula writes random statements over arrays with rows.
type rowFormula struct {
	r      *rand.Rand
	typ    dtype.Type
	rows   []int // extents of the rows' axes
	width  []int // extents of the axes along a row
	arrays map[string][]int
	types  map[string]dtype.Type
	temps  []string
	near   bool // operands are whole arrays
}

func (f *rowFormula) pick(s ...string) string { return s[f.r.IntN(len(s))] }

// array returns a variable of some extents.
func (f *rowFormula) array(name string, typ dtype.Type, dims ...int) string {
	f.arrays[name], f.types[name] = dims, typ
	return name
}

// axes are those of a row.
func (f *rowFormula) axes() string {
	if len(f.width) == 2 {
		return "(-2, -1)"
	}
	return "-1"
}

func (f *rowFormula) full(change func(last int) int) []int {
	d := slices.Concat(f.rows, f.width)
	d[len(d)-1] = change(d[len(d)-1])
	return d
}

// operand is an array of full extents, or one that is broadcast.
func (f *rowFormula) operand() string {
	same := func(n int) int { return n }
	colons := strings.Repeat(":, ", len(f.rows)+len(f.width)-1)
	if f.near && f.r.IntN(8) > 0 {
		return f.array(f.pick("x", "x", "z"), f.typ, f.full(same)...)
	}
	switch f.r.IntN(16) {
	case 0:
		return f.array("u", f.typ, f.full(func(n int) int { return 2 * n })...) + "[" + colons + "::2]"
	case 1:
		return f.array("u", f.typ, f.full(func(n int) int { return 2 * n })...) + "[" + colons + "1::2]"
	case 2:
		return f.array(f.pick("x", "z"), f.typ, f.full(same)...) + "[" + colons + "::-1]"
	case 3:
		return f.array("v", f.typ, f.full(func(n int) int { return n + 1 })...) + "[" + colons + "1:]"
	case 4:
		return f.array("v", f.typ, f.full(func(n int) int { return n + 1 })...) + "[" + colons + ":-1]"
	case 5:
		return f.array("b", f.typ, f.width...)
	case 6:
		ones := slices.Concat(f.rows, slices.Repeat([]int{1}, len(f.width)))
		return f.array("c", f.typ, ones...)
	case 7:
		if len(f.rows) == 1 && len(f.width) == 1 {
			return f.array("w", f.typ, f.width[0], f.rows[0]) + ".T"
		}
	case 8:
		return f.array("x", f.typ, f.full(same)...) + "[::-1]"
	case 9, 10:
		if len(f.temps) > 0 {
			return f.pick(f.temps...)
		}
	}
	return f.array(f.pick("x", "x", "x", "z"), f.typ, f.full(same)...)
}

func (f *rowFormula) expr(depth int) string {
	if depth == 0 || f.r.IntN(6) == 0 {
		return f.operand()
	}
	x := f.expr(depth - 1)
	switch f.r.IntN(9) {
	case 0:
		return x + "*" + f.operand()
	case 1:
		return "(" + x + " + " + f.operand() + ")"
	case 2:
		return "(" + x + " - " + f.operand() + ")"
	case 3:
		return "maximum(" + x + ", " + f.operand() + ")"
	case 4:
		return "where(" + f.operand() + " > " + f.operand() + ", " + x + ", " + f.operand() + ")"
	case 5, 6:
		return "(" + x + " - " + f.reduction(depth-1) + ")"
	case 7:
		if f.typ.IsFloat() {
			return f.pick("sqrt(abs(", "abs((", "tanh((") + x + "))"
		}
		return "abs(" + x + ")"
	}
	if f.typ.IsFloat() {
		return x + "/(" + f.reduction(depth-1) + ")"
	}
	return "minimum(" + x + ", " + f.reduction(depth-1) + ")"
}

// reduction is one of the rows, as a column.
func (f *rowFormula) reduction(depth int) string {
	names := []string{"sum", "max", "min", "sum", "prod"}
	if f.typ.IsFloat() {
		names = []string{"sum", "max", "min", "mean", "var", "std", "sum"}
	}
	x := f.expr(depth)
	if f.r.IntN(10) == 0 {
		x = "where(" + f.operand() + " > " + f.operand() + ", " + x + ", 0*" + x + ")"
	}
	return f.pick(names...) + "(" + x + ", axis=" + f.axes() + ", keepdims=True)"
}

// result is a reduction of the rows into an array, by a statement.
func (f *rowFormula) result() string {
	x := f.expr(f.r.IntN(3))
	name := f.pick("s", "p", "q")
	switch k := f.r.IntN(8); {
	case k == 0 && len(f.width) == 1:
		return f.array("k"+name, dtype.I64, f.rows...) + " = " + f.pick("argmax", "argmin") + "(" + x + ", axis=-1)"
	case k == 1:
		return f.array("o"+name, dtype.Bool, f.rows...) + " = " + f.pick("any", "all") + "(" + x + " > " + f.operand() + ", axis=" + f.axes() + ")"
	case k == 2:
		return f.array(name, f.typ, f.rows...) + " += " + f.pick("sum", "max") + "(" + x + ", axis=" + f.axes() + ")"
	}
	return f.array(name, f.typ, f.rows...) + " = " + f.pick("sum", "max", "min") + "(" + x + ", axis=" + f.axes() + ")"
}

func (f *rowFormula) text() string {
	var out []string
	switch f.r.IntN(4) {
	case 0:
		f.near = true
		for range 1 + f.r.IntN(2) {
			out = append(out, f.result())
		}
		return strings.Join(out, "; ")
	case 1, 2:
		f.near = true
		x := f.expr(f.r.IntN(2))
		f.temps = []string{"t"}
		if f.typ.IsFloat() {
			x = f.pick("", "exp", "", "abs", "tanh") + "(" + x + " - " + f.reduction(f.r.IntN(2)) + ")"
		} else {
			x = "(" + x + " - " + f.reduction(f.r.IntN(2)) + ")"
		}
		to := f.array(f.pick("x", "y", "y", "z"), f.typ, f.full(func(n int) int { return n })...)
		return "t = " + x + "; " + to + " = " + f.pick("t", f.expr(1)) + f.pick("*", " - ", "/", "+") + "(" + f.reduction(f.r.IntN(3)) + ")"
	}
	same := func(n int) int { return n }
	colons := strings.Repeat(":, ", len(f.rows)+len(f.width)-1)
	for k := range f.r.IntN(3) {
		t := fmt.Sprintf("t%d", k)
		out = append(out, t+" = "+f.expr(1+f.r.IntN(3)))
		f.temps = append(f.temps, t)
	}
	for range 1 + f.r.IntN(3) {
		switch f.r.IntN(9) {
		case 0, 1:
			out = append(out, f.result())
		case 2, 3:
			x := f.expr(1 + f.r.IntN(3))
			out = append(out, f.array("x", f.typ, f.full(same)...)+f.pick(" = ", " = ", " += ")+x)
		case 4:
			x := f.expr(1 + f.r.IntN(3))
			out = append(out, f.array("u", f.typ, f.full(func(n int) int { return 2 * n })...)+"["+colons+"::2] = "+x)
		case 5:
			x := f.expr(1 + f.r.IntN(3))
			out = append(out, f.array("y", f.typ, f.full(same)...)+"["+colons+"::-1] = "+x)
		case 6:
			x := f.expr(1 + f.r.IntN(2))
			out = append(out, f.array("v", f.typ, f.full(func(n int) int { return n + 1 })...)+"["+colons+"1:] = "+x)
		default:
			x := f.expr(1 + f.r.IntN(3))
			out = append(out, f.array(f.pick("y", "z"), f.typ, f.full(same)...)+" = "+x)
		}
	}
	return strings.Join(out, "; ")
}
