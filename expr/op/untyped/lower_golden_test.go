package untyped

import (
	"bufio"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

var update = flag.Bool("update-checksums", false, "rewrite testdata/lowerings/checksums.txt")

// A golden is a row of testdata/lowerings/goldens, made by scripts/goldens/make.py.
type golden struct {
	args   [2]uint64
	want   uint64  // the correctly rounded result
	excess float64 // of want over the exact value, in ULP of the exact value
}

var nanBits = map[dtype.Type]uint64{dtype.F32: 0x7fc00000, dtype.F64: 0x7ff8000000000000}

func readGoldens(t testing.TB, name string) map[dtype.Type][]golden {
	t.Helper()
	file, err := os.Open(filepath.Join("../../../testdata/lowerings/goldens", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := make(map[dtype.Type][]golden)
	for sc := bufio.NewScanner(file); sc.Scan(); {
		fields := strings.Fields(sc.Text())
		ty, err := dtype.Parse(fields[0])
		if err != nil {
			t.Fatal(err)
		}
		var g golden
		last := len(fields) - 1
		if g.excess, err = strconv.ParseFloat(fields[last], 64); err != nil {
			t.Fatal(err)
		}
		for i, s := range fields[1:last] {
			v, err := strconv.ParseUint(s, 16, 64)
			if s == "nan" {
				v, err = nanBits[ty], nil
			}
			if err != nil {
				t.Fatal(err)
			}
			if i == last-2 {
				g.want = v
			} else {
				g.args[i] = v
			}
		}
		out[ty] = append(out[ty], g)
	}
	return out
}

// arity returns the number of operands that the operator's row states.
func arity(name string) int { return Row(name).Arity() }

func program(t testing.TB, name string, ty dtype.Type) *prim.Program {
	t.Helper()
	params := []dtype.Type{ty, ty}[:arity(name)]
	p, err := prim.NewProgram(params, Lowerings()[name])
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// resultOf returns the result for a golden. All NaNs become equal.
func resultOf(p *prim.Program, ty dtype.Type, g golden, n int) uint64 {
	r := p.Call(g.args[:n]...)
	if isNaN(ty, r) {
		return nanBits[ty]
	}
	return r
}

func isNaN(ty dtype.Type, v uint64) bool {
	if ty == dtype.F32 {
		return v&0x7fffffff > 0x7f800000
	}
	return v&^(1<<63) > 0x7ff<<52
}

// ulps returns the distance of a result from the exact value of g, in units of
// the last place of the exact value. It is infinite if one of them is a NaN or
// an infinity, or a zero of another sign, and the other is not.
func ulps(ty dtype.Type, got uint64, g golden) float64 {
	a, want := value(ty, got), value(ty, g.want)
	switch {
	case got == g.want && math.IsInf(a, 0), isNaN(ty, got) && isNaN(ty, g.want):
		return 0
	case a-a != 0 || want-want != 0 || a == 0 && want == 0 && got != g.want:
		return math.Inf(1)
	}
	bits, least := 24, -126
	if ty == dtype.F64 {
		bits, least = 53, -1022
	}
	fraction, exp := math.Frexp(want)
	if math.Abs(fraction) == .5 && (g.excess > 0) == (want > 0) && g.excess != 0 {
		exp-- // the exact value lies below the power of two
	}
	return math.Abs(math.Ldexp(a-want, bits-max(exp, least+1)) + g.excess)
}

// besideZeros are functions whose bound below zero counts in units of the last place of the
// greater of the result and the second entry, a function of x. The first entry is the bound above.
var besideZeros = map[string]struct {
	positive, negative float64
	floor              func(x float64) float64
}{
	"gammaln": {4, 4, func(x float64) float64 { y, _ := math.Lgamma(1 - x); return max(y, 1) }},
	"digamma": {4, 6, func(x float64) float64 { return math.Log(2 - x) }},
}

// bound returns the error that the operator's row states, for an argument and its result. The
// bound of gelu_tanh is a function of x.
func bound(name string, x, y float64) float64 {
	if z, ok := besideZeros[name]; ok && (x >= 0 || x != x || y-y != 0) {
		return z.positive
	} else if ok {
		return z.negative * math.Ldexp(1, max(math.Ilogb(z.floor(x))-math.Ilogb(y), 0))
	}
	switch {
	case name != "gelu_tanh":
		return Row(name).ULP()
	case x != x:
		return 0
	case x >= 0:
		return 2
	}
	x = max(x, -100) // 2|u| multiplies the error of the cubic u
	return 2 + 4*(1.6*-x-0.0714*x*x*x)
}

func tolerable(name string, ty dtype.Type, g golden, got uint64) bool {
	return ulps(ty, got, g) <= bound(name, value(ty, g.args[0]), value(ty, g.want))
}

func value(ty dtype.Type, v uint64) float64 {
	if ty == dtype.F32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

func names() []string {
	var out []string
	for n := range Lowerings() {
		out = append(out, n)
	}
	sort.Strings(out)
	return out
}

// TestLowerGoldens compares every lowering with correctly rounded results.
func TestLowerGoldens(t *testing.T) {
	for _, name := range names() {
		all := readGoldens(t, name)
		for _, ty := range []dtype.Type{dtype.F32, dtype.F64} {
			t.Run(name+"/"+ty.Short(), func(t *testing.T) {
				p := program(t, name, ty)
				n := arity(name)
				var worst float64
				var off, bad int
				for _, g := range all[ty] {
					got := resultOf(p, ty, g, n)
					d := ulps(ty, got, g)
					if got != g.want {
						off++
					}
					worst = max(worst, d)
					if !tolerable(name, ty, g, got) {
						if bad++; bad <= 5 {
							t.Errorf("%s(%x) = %x (%v), want %x (%v): %.3f ULP", name, g.args[:n], got, value(ty, got), g.want, value(ty, g.want), d)
							t.Logf("arguments %x %x", value(ty, g.args[0]), value(ty, g.args[1]))
						}
					}
				}
				hot, cold := p.Cost()
				t.Logf("%d goldens, %d not correctly rounded, worst %.3f ULP; %d bad; %d + %d instructions", len(all[ty]), off, worst, bad, hot, cold)
				if len(all[ty]) < 500 {
					t.Errorf("only %d goldens", len(all[ty]))
				}
			})
		}
	}
}

// checksum returns a hash of the results over the goldens. It changes if any
// bit of a result changes.
func checksum(p *prim.Program, ty dtype.Type, gs []golden, n int) string {
	h := fnv.New64a()
	var buf [8]byte
	for _, g := range gs {
		v := resultOf(p, ty, g, n)
		for i := range buf {
			buf[i] = byte(v >> (8 * i))
		}
		h.Write(buf[:])
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

const checksumFile = "../../../testdata/lowerings/checksums.txt"

// TestLowerChecksums compares the checksums of all lowerings with the recorded
// ones. Run it with -update-checksums after an intended change.
func TestLowerChecksums(t *testing.T) {
	var w strings.Builder
	for _, name := range names() {
		all := readGoldens(t, name)
		for _, ty := range []dtype.Type{dtype.F32, dtype.F64} {
			fmt.Fprintf(&w, "%s %s %s\n", name, ty.Short(), checksum(program(t, name, ty), ty, all[ty], arity(name)))
		}
	}
	if *update {
		if err := os.WriteFile(checksumFile, []byte(w.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(checksumFile)
	if err != nil {
		t.Fatal(err)
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(w.String(), "\n")
	for i := range b {
		if i >= len(a) || a[i] != b[i] {
			t.Errorf("the bits changed: %s", b[i])
		}
	}
}
