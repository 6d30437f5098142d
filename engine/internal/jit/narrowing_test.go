package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// A widening writes random loops that compute with narrow elements in one wider type.
type widening struct {
	r          *rand.Rand
	t          dtype.Type // the wider type
	types      []dtype.Type
	decl, body strings.Builder
	wide, bool []int
	next, bufs int
}

func (w *widening) add(format string, args ...any) int {
	id := w.next
	w.next++
	fmt.Fprintf(&w.body, "    %%%d = %s\n", id, fmt.Sprintf(format, args...))
	return id
}

func (w *widening) buf(t dtype.Type, mode string) int {
	fmt.Fprintf(&w.decl, "buf b%d %s %s 2\n", w.bufs, t.Short(), mode)
	w.bufs++
	return w.bufs - 1
}

// value returns a value of the wider type.
func (w *widening) value() int {
	switch w.r.IntN(4) {
	case 0:
		t := w.types[w.r.IntN(len(w.types))]
		x := w.add("load %s b%d[i0, i1]", t.Short(), w.buf(t, "in"))
		w.wide = append(w.wide, w.add("cvt %s %%%d", w.t.Short(), x))
	case 1:
		w.wide = append(w.wide, w.add("const %s %#x", w.t.Short(), w.r.IntN(1<<w.r.IntN(10))))
	}
	if w.r.IntN(2) == 0 {
		return w.wide[len(w.wide)-1]
	}
	return w.wide[w.r.IntN(len(w.wide))]
}

func (w *widening) step() {
	s := w.t.Short()
	binary := []string{"add", "sub", "mul", "and", "or", "xor", "min", "max", "shr", "shl"}
	switch k := w.r.IntN(20); {
	case k < 12:
		w.wide = append(w.wide, w.add("%s %s %%%d %%%d", binary[w.r.IntN(len(binary))], s, w.value(), w.value()))
	case k < 14:
		w.wide = append(w.wide, w.add("%s %s %%%d", []string{"neg", "not", "abs"}[w.r.IntN(3)], s, w.value()))
	case k < 16:
		w.bool = append(w.bool, w.add("%s bool %%%d %%%d", []string{"lt", "le", "eq", "ne"}[w.r.IntN(4)], w.value(), w.value()))
	case k < 17 && len(w.bool) > 0:
		w.wide = append(w.wide, w.add("select %s %%%d %%%d %%%d", s, w.bool[len(w.bool)-1], w.value(), w.value()))
	case k < 18:
		w.wide = append(w.wide, w.add("cvt %s %%%d", s, w.add("cvt %s %%%d", w.types[0].Short(), w.value())))
	default:
		w.bool = append(w.bool, w.add("cvt bool %%%d", w.value()))
	}
}

func (w *widening) store(t dtype.Type) {
	x := w.add("cvt %s %%%d", t.Short(), w.value())
	fmt.Fprintf(&w.body, "    store %s b%d[i0, i1] %%%d\n", t.Short(), w.buf(t, "out"), x)
}

// kernel writes a loop of some operations.
func (w *widening) kernel(steps int) string {
	scalars := ""
	for i := range 2 {
		fmt.Fprintf(&w.decl, "scalar s%d %s\n", i, w.t.Short())
		scalars += fmt.Sprintf("  %%%d = scalar %s s%d\n", w.next, w.t.Short(), i)
		w.wide = append(w.wide, w.next)
		w.next++
	}
	for range steps {
		w.step()
	}
	for range 1 + w.r.IntN(2) {
		w.store(w.types[w.r.IntN(len(w.types))])
	}
	if w.r.IntN(3) == 0 {
		w.store(dtype.Bool)
	}
	var bufs, others []string // buffers stand before scalars
	for line := range strings.Lines(w.decl.String()) {
		if strings.HasPrefix(line, "buf") {
			bufs = append(bufs, line)
		} else {
			others = append(others, line)
		}
	}
	return "kernel widening\naxis i0 i1\n" + strings.Join(append(bufs, others...), "") + "{\n" + scalars + "  vec i0 i1 {\n" + w.body.String() + "  }\n}\n"
}

// number returns a scalar of random size, often a small one.
func (w *widening) number() uint64 {
	x := uint64(w.r.IntN(1 << w.r.IntN(9)))
	switch w.r.IntN(6) {
	case 0:
		x = -x
	case 1:
		x = randir.ScalarBits(w.r, w.t)
	}
	return x & w.t.Mask()
}

// TestNarrowing compares random loops over narrow elements that compute in wider types with the
// interpreter. The scalars change between runs of an instance. A part of the loops runs in
// narrow lanes.
func TestNarrowing(t *testing.T) {
	rounds := 4000
	if !testlevel.Deep() {
		rounds = 150
	}
	narrow := map[int]int{}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 16))
		w := &widening{r: r, t: []dtype.Type{dtype.I32, dtype.I32, dtype.U32, dtype.I64, dtype.U64}[r.IntN(5)]}
		w.types = [][]dtype.Type{{dtype.U8}, {dtype.I8, dtype.U8, dtype.Bool}, {dtype.U8, dtype.U16, dtype.I8, dtype.I16}}[r.IntN(3)]
		text := w.kernel(1 + r.IntN(7))
		for size, n := range narrowing(t, w, parse(t, text)) {
			narrow[size] += n
		}
	}
	for size := 1; size <= 2; size++ {
		if narrow[size] < rounds/20 {
			t.Errorf("%d loops of %d run in lanes of %d bytes", narrow[size], rounds, size)
		}
	}
}

// narrowing compares runs of one instance with different scalars, and returns how many instances
// have lanes of each size.
func narrowing(t *testing.T, w *widening, k *ir.Kernel) map[int]int {
	r, sizes := w.r, map[int]int{}
	extents := []int{1 + r.IntN(3), 1 + r.IntN(200)}
	s := newSetup(t, r, k, extents, nil, slices.Repeat([][]int{extents}, len(k.Bufs)), r.IntN(3) > 0)
	defer s.release()
	change := func() {
		for i := range s.b.Scalars {
			s.b.Scalars[i] = w.number()
		}
	}
	change()
	var instances []backend.Instance
	for _, be := range isas(t) {
		in := s.instance(t, be)
		instances = append(instances, in)
		for _, bp := range in.(*instance).phases {
			if bp.Lowered.Kind == lower.MapPhase && bp.Narrowing != nil {
				sizes[bp.LaneSize]++
			}
		}
	}
	var before [][]byte
	for _, m := range s.mem {
		before = append(before, slices.Clone(m))
	}
	for range 4 {
		fault := runAll(s.instance(t, interp.New()))
		var want [][]byte
		for _, m := range s.mem {
			want = append(want, slices.Clone(m))
		}
		for i, in := range instances {
			for j, m := range s.mem {
				copy(m, before[j])
			}
			got := runAll(in)
			for j, m := range s.mem {
				if !slices.Equal(m, want[j]) || got != fault {
					t.Fatalf("instance %d differs in buffer %d with scalars %#x, strides %v, extents %v; it assumes %v\n%v", i, j, s.b.Scalars, s.b.Bufs[j].Strides, extents, in.(*instance).assumed, k)
				}
			}
		}
		change()
	}
	return sizes
}

// TestNarrowed checks which lanes an expression of bytes takes.
func TestNarrowed(t *testing.T) {
	for body, want := range map[string]int{
		"%4 = add i32 %1 %3\n%5 = shr i32 %4 %0": 2, // a sum of 9 bits
		averaged:                                 1,
		strings.ReplaceAll(averaged, "const i32 1", "const i32 2"):   2,
		"%4 = mul i32 %1 %3\n%5 = shr i32 %4 %0":                     2, // without sign
		"%4 = mul i32 %1 %3\n%5 = add i32 %4 %0":                     1, // its lower bits
		"%4 = add i32 %1 %3\n%5 = min i32 %4 %0":                     2,
		"%4 = min i32 %1 %3\n%5 = max i32 %4 %0":                     1,
		"%4 = mul i32 %1 %3\n%6 = add i32 %4 %4\n%5 = shr i32 %6 %0": 0,
		"%4 = sub i32 %1 %3\n%6 = mul i32 %4 %4\n%5 = shr i32 %6 %0": 2, // a square, 0 to 65025
		"%4 = sub i32 %1 %3\n%6 = mul i32 %4 %3\n%5 = shr i32 %6 %0": 0, // -65025 to 65025
		mixed("255", "%3"): 2, // 0 to 65025
		mixed("254", "%3"): 0, // of which %3 may be more
		mixed("255", "%1"): 2,
		"%4 = sub i32 %1 %3\n%6 = abs i32 %4\n%5 = max i32 %6 %0":                   2,
		"%4 = and i32 %1 %0\n%6 = lt bool %4 %3\n%5 = select i32 %6 %1 %3":          1,
		"%4 = neg i32 %1\n%6 = lt bool %4 %3\n%5 = select i32 %6 %1 %3":             2,
		"%4 = shl i32 %1 %0\n%5 = or i32 %4 %3":                                     1,
		"%4 = shl i32 %1 %1\n%6 = shl i32 %4 %3\n%7 = cvt bool %6\n%5 = cvt i32 %7": 0,
	} {
		k := parse(t, "kernel narrowed\naxis i0\nbuf x u8 in 1\nbuf z u8 in 1\nbuf y u8 out 1\nscalar s0 i32\n{\n%0 = scalar i32 s0\nvec i0 {\n"+
			"%8 = load u8 x[i0]\n%1 = cvt i32 %8\n%2 = load u8 z[i0]\n%3 = cvt i32 %2\n"+body+"\n%9 = cvt u8 %5\nstore u8 y[i0] %9\n}\n}\n")
		p, err := lower.Kernel(k)
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, ph := range p.Phases {
			if n := ph.Narrowed([]uint64{frame.Canonical(dtype.I32, 3)}, k.Scalars); n != nil {
				size = n.Size
			}
		}
		if size != want {
			t.Errorf("lanes of %d bytes, want %d:\n%s", size, want, body)
		}
	}
}

// averaged is (%1 + %3 + 1) >> 1.
const averaged = "%10 = const i32 1\n%4 = add i32 %1 %3\n%6 = add i32 %4 %10\n%5 = shr i32 %6 %10"

// TestAverages runs averages that round up: of elements for which there is an instruction, and of others; with a sum
// that has another use, and while the scalar is not 1.
func TestAverages(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 2))
	for _, c := range []struct{ t, wide string }{{"u8", "i32"}, {"u16", "i32"}, {"u8", "u64"}, {"i8", "i32"}, {"i16", "i32"}} {
		for _, store := range []string{"%7", "%5"} {
			k := parse(t, strings.NewReplacer("T", c.t, "W", c.wide, "V", store).Replace("kernel averages\naxis i0\nbuf x T in 1\nbuf z T in 1\nbuf y T out 1\n"+
				"buf v T out 1\nscalar s0 W\n{\n%0 = scalar W s0\nvec i0 {\n%1 = load T x[i0]\n%2 = cvt W %1\n%3 = load T z[i0]\n%4 = cvt W %3\n%5 = add W %4 %2\n"+
				"%6 = add W %0 %5\n%7 = shr W %6 %0\n%8 = cvt T %7\nstore T y[i0] %8\n%9 = cvt T V\nstore T v[i0] %9\n}\n}\n"))
			for _, n := range []int{1, 31, 64, 333} {
				for _, one := range []uint64{1, 2} {
					s := newSetup(t, r, k, []int{n}, nil, slices.Repeat([][]int{{n}}, 4), true)
					s.b.Scalars[0] = one
					for _, be := range isas(t) {
						has := strings.Contains(textOfCode(t, s.instance(t, be)), "vpavg")
						if want := c.t[0] == 'u' && one == 1; has != want && be.Name() != "neon" {
							t.Errorf("%s in %s, scalar %d: code has an average: %v, want %v", c.t, c.wide, one, has, want)
						}
					}
					differ(t, r, s)
				}
			}
		}
	}
}

// TestSaturated runs sums that the greatest number of their elements limits, and others: of elements with a sign, of one number twice, with
// a sum or a conversion that has another use, and while the scalar is another number.
func TestSaturated(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 29))
	for _, c := range []struct{ t, wide, other string }{{"u8", "i32", "%4"}, {"u16", "i32", "%4"}, {"u8", "u64", "%4"}, {"i8", "i32", "%4"}, {"u8", "i32", "%2"}} {
		for _, store := range []string{"%7", "%5", "%2"} {
			k := parse(t, strings.NewReplacer("T", c.t, "W", c.wide, "V", store, "OTHER", c.other).Replace("kernel saturated\naxis i0\nbuf x T in 1\nbuf z T in 1\nbuf y T out 1\n"+
				"buf v T out 1\nscalar s0 W\n{\n%0 = scalar W s0\nvec i0 {\n%1 = load T x[i0]\n%2 = cvt W %1\n%3 = load T z[i0]\n%4 = cvt W %3\n%5 = add W %2 OTHER\n"+
				"%7 = min W %5 %0\n%8 = cvt T %7\nstore T y[i0] %8\n%9 = cvt T V\nstore T v[i0] %9\n}\n}\n"))
			most := uint64(255)
			if c.t == "u16" {
				most = 1<<16 - 1
			}
			for _, n := range []int{1, 31, 64, 333} {
				for _, limit := range []uint64{most, most - 1, most / 2} {
					s := newSetup(t, r, k, []int{n}, nil, slices.Repeat([][]int{{n}}, 4), true)
					s.b.Scalars[0] = limit
					for _, be := range isas(t) {
						if in, ok := s.instance(t, be).(*instance); ok && limit != most && slices.ContainsFunc(in.assumed, func(a lower.Assumed) bool { return a.Lo == a.Hi }) {
							t.Errorf("%s: %s in %s: the code is for the limit %d alone", be.Name(), c.t, c.wide, limit)
						}
						has := strings.Contains(textOfCode(t, s.instance(t, be)), map[string]string{"u8": "vpminub", "u16": "vpminuw", "i8": "vpminub"}[c.t])
						if want := c.t[0] == 'u' && limit == most && c.other == "%4" && store != "%5"; has != want && be.Name() != "neon" {
							t.Errorf("%s in %s, limit %d, %s stored: the sum is in lanes of its elements: %v, want %v", c.t, c.wide, limit, store, has, want)
						}
					}
					differ(t, r, s)
				}
			}
		}
	}
}

// mixed returns %1*%3 + %1*(c - a) and its shift.
func mixed(c, a string) string {
	return "%4 = mul i32 %1 %3\n%10 = const i32 " + c + "\n%6 = sub i32 %10 " + a + "\n%7 = mul i32 %6 %1\n%11 = add i32 %7 %4\n%5 = shr i32 %11 %0"
}

// TestPairs runs loops whose vectors have the even and the odd bytes, in several lengths: of elements with and without sign, of scalars, and of
// stores of two arrays.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 1))
	for _, typ := range []string{"u8", "i8"} {
		k := parse(t, strings.ReplaceAll("kernel pairs\naxis i0\nbuf x T in 1\nbuf z T in 1\nbuf y T out 1\nbuf v T inout 1\nscalar s0 i32\n{\n%0 = scalar i32 s0\nvec i0 {\n"+
			"%1 = load T x[i0]\n%2 = cvt i32 %1\n%3 = load T z[i0]\n%4 = cvt i32 %3\n%5 = add i32 %2 %4\n%6 = shr i32 %5 %0\n%7 = cvt T %6\nstore T y[i0] %7\n"+
			"%8 = load T v[i0]\n%9 = cvt i32 %8\n%10 = max i32 %5 %9\n%11 = sub i32 %10 %4\n%12 = cvt T %11\nstore T v[i0] %12\n}\n}\n", "T", typ))
		for range 30 {
			n := r.IntN(700)
			s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}, {n}, {n}}, true)
			s.b.Scalars[0] = 1
			for _, be := range isas(t) {
				if be.Name() == "avx512" && n > 0 && !strings.Contains(textOfCode(t, s.instance(t, be)), "vpternlogd") {
					t.Error("no loads and stores of pairs")
				}
			}
			differ(t, r, s)
		}
	}
}

// TestMultiples runs products of bytes with scalars and constants for which there are additions, and others, in rows of one
// array and rows that are laid across vectors: for the scalars of the binding, for those of another one with the same code,
// and for scalars that change while an instance is bound.
func TestMultiples(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(48, 3))
	for _, typ := range []string{"u8", "i8"} {
		k := parse(t, strings.ReplaceAll("kernel multiples\naxis i0 i1\nbuf x T in 2\nbuf y T out 2\nscalar s0 T\nscalar s1 T\n{\n%0 = scalar T s0\n%1 = scalar T s1\n%2 = const T 6\nvec i0 i1 {\n"+
			"%3 = load T x[i0, i1]\n%4 = mul T %3 %0\n%5 = mul T %1 %4\n%6 = mul T %3 %2\n%7 = xor T %5 %6\nstore T y[i0, i1] %7\n}\n}\n", "T", typ))
		scalarsChange(t, r, k, [][]uint64{{3, 100}, {100, 3}, {2, 8}, {9, 0xff}, {0, 1}, {5, 2}, {7, 16}})
	}
}

// TestRowsOfOtherScalars runs rows of bytes, beside a row for all, with scalars that the code does not assume: the vectors are as long as
// those of the code that does, so they do not reach behind the row for all. That ends at a page without access.
func TestRowsOfOtherScalars(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 1))
	k := parse(t, "kernel others\naxis i0 i1\nbuf x u8 in 2\nbuf z u8 in 1\nbuf y u8 out 2\nscalar s0 u8\n{\n%0 = scalar u8 s0\nvec i0 i1 {\n"+
		"%1 = load u8 x[i0, i1]\n%2 = mul u8 %1 %0\n%3 = load u8 z[i1]\n%4 = xor u8 %2 %3\nstore u8 y[i0, i1] %4\n}\n}\n")
	for row := 9; row < 64; row += 3 {
		s := newSetup(t, r, k, []int{18, row}, nil, [][]int{{18, row + 1}, {row}, {18, row}}, true)
		s.b.Scalars = []uint64{3}
		var bound []backend.Instance
		for _, be := range isas(t) {
			bound = append(bound, s.instance(t, be))
		}
		s.b.Scalars = []uint64{100}
		runAll(s.instance(t, interp.New()))
		want := slices.Clone(s.mem[2])
		for i, in := range bound {
			clear(s.mem[2])
			if runAll(in); !slices.Equal(s.mem[2], want) {
				t.Errorf("%s: rows of %d: wrong with another scalar", isas(t)[i].Name(), row)
			}
		}
		s.release()
	}
}

// scalarsChange compares a map of rows with the interpreter, with all these scalars, also where an instance was bound with other ones.
func scalarsChange(t *testing.T, r *rand.Rand, k *ir.Kernel, scalars [][]uint64) {
	t.Helper()
	for _, shape := range [][2]int{{1, 333}, {40, 9}, {3, 70}} {
		s := newSetup(t, r, k, shape[:], nil, [][]int{{shape[0], shape[1] + 1}, shape[:]}, true)
		s.free = nil // differ releases the arrays each time
		var bound []backend.Instance
		for _, x := range scalars {
			s.b.Scalars = x
			differ(t, r, s)
			want := slices.Clone(s.mem[1])
			for _, in := range bound { // with other scalars
				clear(s.mem[1])
				if runAll(in); !slices.Equal(s.mem[1], want) {
					t.Fatalf("%s, %v: wrong with scalars %v", k.Name, shape, x)
				}
			}
			for _, be := range isas(t) {
				bound = append(bound, s.instance(t, be))
			}
		}
	}
}

// TestSpans runs conjunctions of two comparisons of numbers of 1, 2 and 4 bytes with limits, and shifted bits under a mask, in
// all orders of the limits.
func TestSpans(t *testing.T) {
	defer forget()
	r := rand.New(rand.NewPCG(48, 13))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I8, dtype.U16, dtype.I16, dtype.U32} {
		least, most := uint64(0), typ.Mask()
		if typ.IsSigned() {
			least, most = most/2+1, most/2
		}
		limits := [][]uint64{{65, 90}, {90, 65}, {65, 65}, {64, 91}, {least, most}, {most, least}, {least, least}, {most, most}, {0, 0}, {1, most}, {least, 3}}
		for _, ops := range []string{"le %0 %3 le %3 %1", "le %0 %3 lt %3 %1", "lt %0 %3 le %3 %1", "lt %0 %3 lt %3 %1", "le %3 %1 le %0 %3", "le %0 %3 le %3 %0", "le %3 %0 le %3 %1"} {
			w := strings.Fields(ops)
			k := parse(t, strings.NewReplacer("T", typ.Short(), "FIRST", w[0]+" bool "+w[1]+" "+w[2], "SECOND", w[3]+" bool "+w[4]+" "+w[5]).Replace(
				"kernel spans\naxis i0 i1\nbuf x T in 2\nbuf y T out 2\nscalar s0 T\nscalar s1 T\n{\n%0 = scalar T s0\n%1 = scalar T s1\nvec i0 i1 {\n"+
					"%3 = load T x[i0, i1]\n%4 = FIRST\n%5 = SECOND\n%6 = and bool %4 %5\n%7 = add T %3 %0\n%8 = select T %6 %7 %3\nstore T y[i0, i1] %8\n}\n}\n"))
			scalarsChange(t, r, k, limits)
			s := newSetup(t, r, k, []int{1, 333}, nil, [][]int{{1, 333}, {1, 333}}, true)
			for _, be := range isas(t) {
				if s.b.Scalars = limits[0]; be.Name() != "neon" && typ == dtype.U8 && w[0] != w[3] && countIn(t, s.instance(t, be), "main loop", "vpsubb") == 0 {
					t.Errorf("%s: %s: two comparisons", be.Name(), ops)
				}
			}
		}
		for _, op := range []string{"shr", "shl"} {
			k := parse(t, strings.NewReplacer("T", typ.Short(), "OP", op).Replace(
				"kernel bits\naxis i0 i1\nbuf x T in 2\nbuf y T out 2\nscalar s0 T\nscalar s1 T\n{\n%0 = scalar T s0\n%1 = scalar T s1\nvec i0 i1 {\n"+
					"%3 = load T x[i0, i1]\n%4 = OP T %3 %0\n%5 = and T %4 %1\n%6 = OP T %5 %0\n%7 = xor T %6 %3\nstore T y[i0, i1] %7\n}\n}\n"))
			scalarsChange(t, r, k, [][]uint64{{1, 15}, {4, 15}, {4, 16}, {7, 1}, {7, 3}, {3, typ.Mask()}, {0, 15}, {8, 15}, {typ.Mask(), 7}, {2, 63}, {2, 64}})
		}
	}
}

// TestShiftsOfLanes compares shifts of integers of 1 and 2 bytes with the interpreter, with a count of its own for each element, also counts that
// no element has the bits for.
func TestShiftsOfLanes(t *testing.T) {
	r := rand.New(rand.NewPCG(48, 5))
	for _, typ := range []dtype.Type{dtype.U8, dtype.I8, dtype.U16, dtype.I16} {
		for _, op := range []string{"shl", "shr"} {
			for _, count := range []string{"%1", "%3"} {
				k := parse(t, strings.NewReplacer("T", typ.Short(), "OP", op, "COUNT", count).Replace("kernel shifts\naxis i0\nbuf x T in 1\nbuf z T in 1\nbuf y T out 1\n{\nvec i0 {\n"+
					"%0 = load T x[i0]\n%1 = load T z[i0]\n%2 = const T 7\n%3 = and T %1 %2\n%4 = OP T %0 COUNT\nstore T y[i0] %4\n}\n}\n"))
				for _, n := range []int{1, 31, 64, 333} {
					s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}, {n}}, true)
					if be := isas(t)[0]; be.Name() == "avx2" && countIn(t, s.instance(t, be), "main loop", "vpblendvb") > 4 {
						t.Errorf("%s of %s: several blends for a vector", op, typ)
					}
					differ(t, r, s)
					forget()
				}
			}
		}
	}
}
