package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestFollowedRows compares maps over many rows of known length with the interpreter: rows that are shorter than a vector,
// whose stores reach into the rows behind, and longer ones whose last vector overlaps, of arrays at inaccessible pages.
func TestFollowedRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(9, 2))
	cases := 0
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64, dtype.F16, dtype.BF16} {
		for _, more := range []string{"", "%2 = load REG z[i2]\n%3 = add REG %1 %2\n", "%2 = load REG c[i1]\n%3 = add REG %1 %2\n"} {
			last := "%1"
			if more != "" {
				last = "%3"
			}
			text := "kernel rows\naxis i0 i1 i2\nbuf x TYPE in 3\nbuf z TYPE in 1\nbuf c TYPE in 1\nbuf y TYPE out 3\n{\nvec i0 i1 i2 {\n%0 = load REG x[i0, i1, i2]\n%1 = add REG %0 %0\n" +
				more + "store REG y[i0, i1, i2] " + last + "\n}\n}\n"
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short()).Replace(text))
			for _, row := range []int{8, 9, 10, 15, 16, 17, 23, 24, 31, 33, 40, 67, 127, 253} {
				for _, n := range [][2]int{{1, 16}, {1, 33}, {3, 17}, {2, 100}} {
					for _, cut := range []int{0, 1, 2 * row} { // rows of x do, or do not
						if cases++; cases%testlevel.Every(1, 5) != 0 {
							continue
						}
						s := newSetup(t, r, k, []int{n[0], n[1], row}, nil, [][]int{{n[0], n[1], row + cut}, {row}, {n[1]}, {n[0], n[1], row}}, true)
						w := 32 / typ.Size()
						if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() != "neon" && cut > 0 && row == 253 && (typ == dtype.F64) == (in.phases[0].Exact == row) {
							t.Errorf("rows of %d %s are written out: %v", row, typ, in.phases[0].Exact > 0)
						}
						if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() == "avx2" && typ.IsInt() && more == "" && cut > 1 && row < w && 2*row >= w {
							if whole, parts := countIn(t, in, "4 rows of", "vmovups"), countIn(t, in, "4 rows of", "vmovq")+countIn(t, in, "4 rows of", "vmovd"); whole == 0 || parts > 0 {
								t.Errorf("%d of %d %s have %d whole vectors and %d parts", row, row+cut, typ, whole, parts)
							}
						}
						differ(t, r, s)
					}
				}
			}
		}
	}
}

// TestSteppedRows compares maps over rows of known length, of elements that are a few elements apart or go backward, with the
// interpreter. The rows are written out, and the arrays end at inaccessible pages.
func TestSteppedRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(9, 3))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.F16} {
		for _, step := range []int{-4, -3, -2, -1, 2, 3, 4} {
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "STEP", fmt.Sprint(step)).Replace(`kernel rows
axis i0 i1 i2
params 1
buf x TYPE in 3
buf c TYPE in 2
buf z TYPE in 2
buf y TYPE out 3
{
vec i0 i1 i2 {
%0 = load REG x[i0, i1, p0+i2*STEP]
%1 = load REG c[i0, i1]
%2 = add REG %0 %1
%3 = load REG z[i0, i2]
%4 = max REG %2 %3
store REG y[i0, i1, i2] %4
}
}
`))
			for _, row := range []int{9, 11, 17, 19, 40, 67} {
				n, reach := []int{2 + r.IntN(3), 5 + r.IntN(40)}, (row-1)*max(step, -step)+1
				s := newSetup(t, r, k, []int{n[0], n[1], row}, []int{max(-(row-1)*step, 0)}, [][]int{{n[0], n[1], reach}, {n[0], n[1]}, {n[0], row}, {n[0], n[1], row}}, true)
				for _, be := range isas(t) {
					in := s.instance(t, be).(*instance)
					if be.Name() != "neon" && typ.Size() >= 4 && in.phases[0].Exact == row && countIn(t, in, "rows of", "v") == 0 {
						t.Errorf("%s, %s, rows of %d with steps of %d are not written out", be.Name(), typ, row, step)
					}
				}
				differ(t, r, s)
			}
		}
	}
}

// TestRowsFromEnds compares maps whose stores go back along rows with the interpreter: to arrays that are only stored, that are updated, and
// of which one is stored forward. All stores but these last go forward, and nothing is copied by Go. AVX-512 reads long rows that go back
// under a mask.
func TestRowsFromEnds(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(9, 4))
	for _, typ := range []dtype.Type{dtype.Bool, dtype.U8, dtype.I16, dtype.F32, dtype.F64, dtype.F16} {
		for name, text := range map[string]string{
			"stored": "buf y TYPE out 2\nbuf w TYPE in 2\n{\nvec i0 i1 {\n%0 = load REG x[i0, i1]\n%1 = load REG w[i0, p0-i1]\n%2 = OP REG %0 %1\nstore REG y[i0, p0-i1] %2\n}\n}\n",
			"update": "buf y TYPE inout 2\n{\nvec i0 i1 {\n%0 = load REG x[i0, i1]\n%1 = load REG y[p1-i0, p0-i1]\n%2 = OP REG %0 %1\nstore REG y[p1-i0, p0-i1] %2\n}\n}\n",
			"mixed":  "buf y TYPE out 2\nbuf w TYPE out 2\n{\nvec i0 i1 {\n%0 = load REG x[i0, i1]\nstore REG y[i0, p0-i1] %0\nstore REG w[i0, i1] %0\n}\n}\n",
		} {
			op := "add"
			if typ == dtype.Bool {
				op = "or"
			}
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "OP", op).Replace("kernel ends\naxis i0 i1\nparams 2\nbuf x TYPE in 2\n"+text))
			for _, row := range []int{3, 8, 13, 40, 64, 129, 320} {
				n := 2 + r.IntN(40)
				s := newSetup(t, r, k, []int{n, row}, []int{row - 1, n - 1}, [][]int{{n, row}, {n, row}, {n, row}}[:len(k.Bufs)], true)
				for _, be := range isas(t) {
					bp := s.instance(t, be).(*instance).phases[0]
					if name == "mixed" {
						continue
					}
					for i := range bp.Sites {
						if row >= 8 && (bp.Lowered.Sites[i].Store && bp.Sites[i].Line.Step() != 1 || bp.Sites[i].Staged) {
							t.Errorf("%s, %s, %s of %d x %d: site %d is copied or stored back", be.Name(), name, typ, n, row, i)
						}
					}
					under := func(text string) bool { return strings.Contains(text, "{z}") }
					if be.Name() == "avx512" && name == "stored" && row == 320 && typ.IsFloat() && typ.Size() >= 4 && countLines(t, s.instance(t, be), "main loop", under) == 0 {
						t.Errorf("%s of %s: no load under a mask", name, typ)
					}
				}
				differ(t, r, s)
			}
		}
	}
}

// TestRowsExchanged compares maps that only move short rows of arrays that they store, too, with the interpreter: a row is loaded before
// another takes its place.
func TestRowsExchanged(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(9, 5))
	for _, typ := range []dtype.Type{dtype.U8, dtype.F16, dtype.F32, dtype.F64} {
		for _, stores := range []string{"store REG x[i0, i1] %1\nstore REG y[i0, i1] %0", "store REG y[i0, i1] %0\nstore REG z[i0, i1] %1"} {
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short()).Replace("kernel rows\naxis i0 i1\nbuf x TYPE inout 2\nbuf y TYPE inout 2\nbuf z TYPE out 2\n{\nvec i0 i1 {\n%0 = load REG x[i0, i1]\n%1 = load REG y[i0, i1]\n"+stores+"\n}\n}\n"))
			for _, row := range []int{1, 3, 9, 30, 62} {
				n := []int{2 + r.IntN(40), row}
				wide := []int{n[0], row + 3}
				differ(t, r, newSetup(t, r, k, n, nil, [][]int{wide, wide, wide}, true))
			}
		}
	}
}

// TestLongNarrowRows compares maps over rows of 1 and 2 bytes with the interpreter, beside an element of each row and beside a row for
// all. With AVX2 a row that is longer than a vector has vectors of its own beside a row for all, if the last one overlaps little and rows
// are far apart. Few rows must follow a block of other rows, and their code has a mask for no vector of rows that fill one.
func TestLongNarrowRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(10, 3))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I8, dtype.I16, dtype.U16} {
		for _, at := range []string{"i0", "i1"} {
			k := parse(t, strings.NewReplacer("AT", at, "T", typ.Short()).Replace("kernel rows\naxis i0 i1\nbuf x T in 2\nbuf z T in 1\nbuf y T out 2\n{\nvec i0 i1 {\n%0 = load T x[i0, i1]\n%1 = load T z[AT]\n%2 = add T %0 %1\nstore T y[i0, i1] %2\n}\n}\n"))
			for _, row := range []int{5, 9, 12, 17, 24, 30, 32, 33, 48, 50, 63, 64} {
				far := 1 + 2*r.IntN(2)
				s := newSetup(t, r, k, []int{40, row}, nil, [][]int{{40, far * row}, {map[string]int{"i0": 40, "i1": row}[at]}, {40, row}}, true)
				w := 32 / typ.Size()
				own := at == "i1" && far > 1 && row >= w && 3*((row+w-1)/w*w) <= 4*row
				if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() == "avx2" {
					bp := in.phases[0]
					if own && bp.Laid > 0 {
						t.Errorf("rows of %d %s beside an element of %s are laid across vectors", row, typ, at)
					}
					if bp.Laid > 0 && bp.LaidMargin(w) > 8*row {
						t.Errorf("%d elements follow rows of %d %s beside an element of %s", bp.LaidMargin(w), row, typ, at)
					}
					if n := countIn(t, in, "tail", "bt "); bp.Laid >= w && n > 0 {
						t.Errorf("rows of %d %s beside an element of %s: %d tests of the lanes of tails", row, typ, at, n)
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestLongRowsLaid compares maps over rows of 65 to 130 elements, beside one element of each row and a row for all, with the interpreter. Many
// rows whose pattern repeats after few vectors are laid across these, with AVX2 those that are beside a row for all alone.
func TestLongRowsLaid(t *testing.T) {
	defer forget()
	m := machine.Defaults()
	m.Narrow = false
	defer useModel(m)()
	r := rand.New(rand.NewPCG(30, 1))
	for i, typ := range []dtype.Type{dtype.U8, dtype.F32, dtype.I16, dtype.F32, dtype.F64, dtype.BF16, dtype.F64} {
		x := []string{"i0", "i1"}[i%2]
		k := parse(t, strings.NewReplacer("X", x, "T", typ.Short(), "R", typ.Register().Short()).Replace("kernel rows\naxis i0 i1\nbuf x T in 1\nbuf z T in 1\nbuf v T in 2\nbuf y T out 2\n{\nvec i0 i1 {\n%0 = load R x[X]\n%1 = load R z[i1]\n%2 = load R v[i0, i1]\n%3 = add R %0 %1\n%4 = max R %3 %2\nstore R y[i0, i1] %4\n}\n}\n"))
		for _, row := range []int{65, 72, 80, 88, 96, 100, 104, 112, 120, 127, 128, 130} {
			for _, n := range []int{3, 17, 150} {
				gap := r.IntN(3) / 2 // between rows of v
				s := newSetup(t, r, k, []int{n, row}, nil, [][]int{{max(n, row)}, {row}, {n, row + gap}, {n, row}}, true)
				if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() != "neon" && typ == dtype.F32 && n == 150 {
					wide := isas(t)[0].Name() == "avx512"
					if got, want := in.phases[0].Laid > 0, gap == 0 && row%4 == 0 && row <= 128 && (wide || x == "i1"); got != want {
						t.Errorf("%d rows of %d %s, %d apart, beside one at %s, are laid across vectors: %v", n, row, typ, gap, x, got)
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestRowsReadOnce compares maps over rows of which one operand has the same elements in all, in order or transposed, with the interpreter. With
// AVX2 and AVX-512 a loop over many rows loads them from slots without permutes.
func TestRowsReadOnce(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(10, 5))
	for _, typ := range []dtype.Type{dtype.U8, dtype.Bool, dtype.I16, dtype.F16, dtype.F32, dtype.F64} {
		for _, at := range []string{"i1, i2", "i2, i1", "p0-i1, i2"} {
			k := parse(t, strings.NewReplacer("AT", at, "T", typ.Short(), "R", typ.Register().Short()).Replace("kernel once\naxis i0 i1 i2\nparams 1\nbuf x T in 2\nbuf z T in 3\nbuf y T out 3\nbuf v T out 3\n{\nvec i0 i1 i2 {\n%0 = load R x[AT]\n%1 = load R z[i0, i1, i2]\nstore R y[i0, i1, i2] %0\nstore R v[i0, i1, i2] %1\n}\n}\n"))
			for _, n := range []int{2, 15, 16, 61} {
				e := []int{n, 2 + r.IntN(6), 2 + r.IntN(7)}
				x := []int{e[1], e[2]}
				if at == "i2, i1" {
					slices.Reverse(x)
				}
				s := newSetup(t, r, k, e, []int{e[1] - 1}, [][]int{x, e, e, e}, true)
				for _, be := range isas(t) {
					in, ok := s.instance(t, be).(*instance)
					if !ok || be.Name() == "neon" || typ == dtype.F16 {
						continue
					}
					if p := countIn(t, in, "main loop", "vp"); in.phases[0].ManyRows && in.phases[0].Laid == e[1]*e[2] && typ != dtype.Bool && p > 0 {
						t.Errorf("%s: %d times %d rows of %d %s at %s: %d permutes", be.Name(), n, e[1], e[2], typ, at, p)
					} else if n >= 16 && in.phases[0].Laid > 0 && !in.phases[0].ManyRows {
						t.Errorf("%s: %d times %d rows of %d %s at %s are not read once", be.Name(), n, e[1], e[2], typ, at)
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestBlendedRows compares maps over parts of rows of 1 and 2 bytes with the interpreter. With AVX2 a vector that has elements of two rows
// blends two loads.
func TestBlendedRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(10, 6))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16} {
		k := parse(t, strings.ReplaceAll("kernel part\naxis i0 i1\nparams 2\nbuf x T in 2\nbuf y T out 2\n{\nvec i0 i1 {\n%0 = load T x[i0, i1+p0]\n%1 = load T x[i0, i1+p1]\n%2 = add T %0 %1\nstore T y[i0, i1] %2\n}\n}\n", "T", typ.Short()))
		for row := 8; row <= 64; row++ {
			if (row+int(typ))%testlevel.Every(1, 3) != 0 {
				continue
			}
			n, more := 2+r.IntN(60), 1+r.IntN(3)
			s := newSetup(t, r, k, []int{n, row}, []int{r.IntN(more + 1), r.IntN(more + 1)}, [][]int{{n, row + more}, {n, row}}, true)
			if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() == "avx2" && in.phases[0].Laid*typ.Size() >= 32 {
				if countIn(t, in, "main loop", "vpshufb") > 0 || row*typ.Size()%32 > 0 && countIn(t, in, "main loop", "vpblendvb") == 0 {
					t.Errorf("%d of %d %s: no blends", row, row+more, typ)
				}
			}
			differ(t, r, s)
			forget()
		}
	}
}

// TestRowsApart compares maps over rows that are stored apart from each other, in place or not, with the interpreter. Rows of
// known length that are no whole vectors are written out, also if they are shorter than a vector. No store of them in place has a mask.
func TestRowsApart(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(10, 7))
	for _, typ := range []dtype.Type{dtype.U8, dtype.Bool, dtype.I16, dtype.F16, dtype.BF16, dtype.I32, dtype.F64} {
		for _, mode := range []string{"out", "inout"} {
			op, z := "max", "x[i0, i1+p2]"
			if typ == dtype.Bool {
				op = "xor"
			}
			if mode == "inout" {
				z = "y[i0, i1+p1]"
			}
			k := parse(t, strings.NewReplacer("OP", op, "T", typ.Short(), "R", typ.Register().Short(), "MODE", mode, "Z", z).Replace("kernel apart\naxis i0 i1\nparams 3\nbuf x T in 2\nbuf y T MODE 2\n{\nvec i0 i1 {\n%0 = load R x[i0, i1+p0]\n%1 = load R Z\n%2 = OP R %0 %1\nstore R y[i0, i1+p1] %2\n}\n}\n"))
			for row := 8; row <= 70; row += 1 + r.IntN(3) {
				n := 17 + r.IntN(9)
				s := newSetup(t, r, k, []int{n, row}, []int{r.IntN(3), r.IntN(3), r.IntN(3)}, [][]int{{n, row + 2}, {n, row + 2}}, true)
				if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() != "neon" && in.phases[0].Exact == row {
					if countIn(t, in, "rows of", "v") == 0 {
						t.Errorf("rows of %d %s, %s, are not written out", row, typ, mode)
					}
					if n := countLines(t, in, "rows of", func(text string) bool { return strings.Contains(text, "]{k7}") }); mode == "inout" && n > 0 {
						t.Errorf("rows of %d %s, %s, have %d stores under a mask", row, typ, mode, n)
					}
					if mode == "inout" && 4 <= typ.Size() && row*typ.Size() <= 256 && countIn(t, in, "4 rows of", "v")+countIn(t, in, "3 rows of", "v")+countIn(t, in, "2 rows of", "v") == 0 {
						t.Errorf("rows of %d %s, %s, are not written out several at once", row, typ, mode)
					}
					if _, grain, _ := in.Units(); grain%row != 0 {
						t.Errorf("chunks of %d lanes of rows of %d %s, %s, are no whole rows", grain, row, typ, mode)
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestColumnsCopied compares copies of columns, in both directions and from and to rows, with the interpreter. On x86 machine code copies
// elements that are far apart one by one, without scratch memory.
func TestColumnsCopied(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(10, 8))
	for _, typ := range []dtype.Type{dtype.U8, dtype.Bool, dtype.I16, dtype.F16, dtype.BF16, dtype.I32, dtype.F64} {
		for _, places := range [][2]string{{"i0, p0", "i0, p1"}, {"p2-i0, p0", "i0, p1"}, {"i0, p0", "p2-i0, p1"}, {"p1, i0", "i0, p0"}, {"i0, p0", "p1, i0"}} {
			k := parse(t, strings.NewReplacer("FROM", places[0], "TO", places[1], "T", typ.Short(), "R", typ.Register().Short()).Replace("kernel columns\naxis i0\nparams 3\nbuf x T in 2\nbuf y T out 2\n{\nvec i0 {\n%0 = load R x[FROM]\nstore R y[TO] %0\n}\n}\n"))
			for _, n := range []int{1, 7, 8, 16, 17, 33, 100, 300} {
				row := 17 + r.IntN(30)
				dims := func(place string) []int {
					if place == "p1, i0" {
						return []int{row, n}
					}
					return []int{n, row}
				}
				s := newSetup(t, r, k, []int{n}, []int{r.IntN(row), r.IntN(row), n - 1}, [][]int{dims(places[0]), dims(places[1])}, true)
				for _, be := range isas(t) {
					if in := s.instance(t, be).(*instance); be.Name() != "neon" && (typ.Size() < 4 || places[1] != "p1, i0") && n > 1 && len(in.phases[0].Loads)+len(in.phases[0].Stores) > 0 {
						t.Errorf("%s, %s: %d elements from %s to %s go by scratch memory", be.Name(), typ, n, places[0], places[1])
					}
				}
				differ(t, r, s)
				forget()
			}
		}
	}
}

// TestFilteredRows compares filters with the interpreter: sums of products of neighbouring elements and weights, which a group of rows shares.
// The arrays end at inaccessible pages. The weights are not loaded again for each row.
func TestFilteredRows(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(9, 4))
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.F16, dtype.U8} {
		for _, size := range []int{3, 4, 5} {
			var b strings.Builder
			b.WriteString("kernel rows\naxis i0 i1 i2\nbuf x TYPE in 3\nbuf c TYPE in 3\nbuf y TYPE out 3\n{\nvec i0 i1 i2 {\n%0 = load REG x[i0, i1, i2]\n")
			for i := range size * size {
				fmt.Fprintf(&b, "%%%d = load REG x[i0, i1+%d, i2+%d]\n%%%d = load REG c[i0, %d, %d]\n", 4*i+1, i/size, i%size, 4*i+2, i/size, i%size)
				fmt.Fprintf(&b, "%%%d = mul REG %%%d %%%d\n%%%d = add REG %%%d %%%d\n", 4*i+3, 4*i+1, 4*i+2, 4*i+4, 4*i, 4*i+3)
			}
			fmt.Fprintf(&b, "store REG y[i0, i1, i2] %%%d\n}\n}\n", 4*size*size)
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short()).Replace(b.String()))
			for _, row := range []int{3, 8, 13, 16, 17, 28, 32, 33, 47, 65} {
				n := []int{1 + r.IntN(3), []int{2 + r.IntN(9), 11 + r.IntN(40)}[r.IntN(2)]}
				if row == 28 {
					n[1] = 40
				}
				s := newSetup(t, r, k, []int{n[0], n[1], row}, nil, [][]int{{n[0], n[1] + size - 1, row + size - 1 + r.IntN(2)*r.IntN(9)}, {n[0], size, size}, {n[0], n[1], row}}, true)
				if in, ok := s.instance(t, isas(t)[0]).(*instance); ok && isas(t)[0].Name() == "avx512" && typ == dtype.F32 && size == 5 && row == 28 {
					if products, loads := countIn(t, in, "1 rows of", "vmulps"), countIn(t, in, "1 rows of", "vbroadcastss"); products != 2*size*size || loads > 0 {
						t.Errorf("a row has %d products and loads %d uniform values", products, loads)
					}
				}
				differ(t, r, s)
			}
		}
	}
}
