package untyped

import (
	"fmt"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// mutants returns changed values of a constant: changed by one part in 2, in
// 2^5 and in 2^10, or by one and in high bits. For the low part of a constant that
// is split in two, a small change leaves every result unchanged.
func mutants(c prim.Ins) []uint64 {
	if c.Type.IsInt() {
		w := 8 * c.Type.Size()
		return []uint64{(c.Imm + 1) & (1<<(w-1)<<1 - 1), c.Imm ^ 1<<(w-3), c.Imm ^ 1<<(w-1)}
	}
	var out []uint64
	v := value(c.Type, c.Imm)
	for _, by := range []float64{0x1p-1, 0x1p-5, 0x1p-10} {
		switch {
		case v == 0:
			out = append(out, prim.FromFloat(c.Type, by))
		case v-v != 0: // infinity or NaN
			out = append(out, prim.FromFloat(c.Type, 1))
		default:
			out = append(out, prim.FromFloat(c.Type, v*(1+by)), prim.FromFloat(c.Type, v*(1-by)))
		}
	}
	return out
}

// inert reports whether a constant may change without effect because it is no
// coefficient: the number that rounds to integers, table words that no argument
// reaches, and the limits.
func inert(name string, c prim.Ins) bool {
	if name != "pow" && of(c, logTable, logTableHigh, logTableLow, logTablePoly) {
		return true // the goldens of pow reach all intervals of the tables
	}
	if (name == "erfinv" || name == "ndtri") && of(c, normalTails, tailPoly) {
		return true // a step of Newton's method corrects the first ones, and uses the middle of the interval of the others
	}
	for _, l := range limits[name] {
		if prim.FromFloat(c.Type, l) == c.Imm {
			return true
		}
	}
	if c.Type.IsInt() {
		if c.Imm == 0 && c.Type == dtype.U64 {
			return true
		}
		// Few bits of the last word are used, and they are too low to matter.
		return c.Imm == twoOverPiBits[0][7] || c.Imm == twoOverPiBits[1][19]
	}
	v := value(c.Type, c.Imm)
	return v == 0x1.8p23 || v == 0x1.8p52 || v == 0x1.8p23+127 || v == 0x1.8p52+1023
}

// of reports whether a constant is of some tables.
func of(c prim.Ins, tables ...coefs) bool {
	for _, t := range tables {
		for row, f := range formats {
			for _, v := range t[row] {
				if c.Type == f.t && prim.FromFloat(c.Type, v) == c.Imm && v != 1 && v != 0 {
					return true
				}
			}
		}
	}
	return false
}

// limits are constants near which the formulas agree, or that a later step of
// the same lowering corrects.
var limits = map[string][]float64{
	"acosh":   {0x1p13, 0x1p28, 0x1p126, 0x1p1022},
	"asinh":   {0x1p13, 0x1p28, 0x1p126, 0x1p1022},
	"atan2":   {1, 0x1p444, 0x1p-448}, // over itself, where the operands are equal
	"atanh":   {0, 1},                 // entries of the tables of logarithms
	"cbrt":    {2. / 9, 14. / 81},     // of the first steps
	"cos":     {4608, 0x1p24},
	"erfinv":  {quantileSplit},
	"cube":    {0x1p86, 0x1p684}, // where the result is infinite either way
	"erfc":    {0},
	"gammaln": {0x1p-126}, // of scaled numbers
	"log1p":   {0x71800000, 0x10000000000000, 0x4630000000000000},
	"ndtri":   {quantileSplit, 0x1p-25, 0x1p-54, 0x1p-126}, // of the far tail, and of scaled numbers
	"pow":     {0x1p-1022},
	"sin":     {4608, 0x1p24},
	"tan":     {4608, 0x1p24},
	"tanh":    {20},
}

// TestLowerMutants checks that a change of any coefficient of any lowering changes the
// results at the goldens, and so their checksum.
func TestLowerMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute through an emulator, and no processor evaluates constants in another way")
	}
	for _, name := range names() {
		all := readGoldens(t, name)
		n := arity(name)
		for _, ty := range []dtype.Type{dtype.F32, dtype.F64} {
			p := program(t, name, ty)
			gs := all[ty]
			before := make([]uint64, len(gs))
			for i, g := range gs {
				before[i] = resultOf(p, ty, g, n)
			}
			changes := func(m *prim.Program) bool {
				for j, g := range gs {
					if resultOf(m, ty, g, n) != before[j] {
						return true
					}
				}
				return false
			}
			inerts := 0
			for i, c := range p.Consts() {
				if slices.ContainsFunc(mutants(c), func(bits uint64) bool { return changes(p.WithConst(i, bits)) }) {
					continue
				}
				if inerts++; !inert(name, c) {
					t.Errorf("%s %s: constant %d, %s, can change unnoticed", name, ty.Short(), i, constant(c))
				}
			}
			t.Logf("%s %s: %d of %d constants are inert", name, ty.Short(), inerts, len(p.Consts()))
		}
	}
}

func constant(c prim.Ins) string {
	switch c.Type {
	case dtype.F32, dtype.F64:
		v := value(c.Type, c.Imm)
		return fmt.Sprintf("%s %v (%x)", c.Type.Short(), v, v)
	}
	return fmt.Sprintf("%s %#x", c.Type.Short(), c.Imm)
}
