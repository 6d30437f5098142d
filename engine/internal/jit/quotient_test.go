package jit

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/isa/amd64"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

const quotientText = "kernel q\naxis i0\nbuf x %[1]s in 1\nbuf y %[1]s out 1\nscalar s0 %[1]s\n{\n  %%0 = scalar %[1]s s0\n  vec i0 {\n" +
	"    %%1 = load %[1]s x[i0]\n    %%2 = div %[1]s %%1 %%0\n    store %[1]s y[i0] %%2\n  }\n}\n"

// TestQuotients compares divisions by a scalar with those of Go: of random numbers, of numbers at
// the ends of the ranges, and of those whose quotients are nearest to the middle of two numbers.
func TestQuotients(t *testing.T) {
	defer func(old amd64.Divider) { amd64.Divides = old }(amd64.Divides)
	amd64.Divides = amd64.SlowDivider // others divide float32
	for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
		t.Run(typ.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			k := parse(t, fmt.Sprintf(quotientText, typ.Short()))
			const n = 700 // groups of vectors, single ones and a tail
			s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, {n}}, true)
			defer s.release()
			for _, be := range isas(t) {
				in := s.instance(t, be)
				if be.Name() == "avx512" && !strings.Contains(textOfCode(t, in), "reciprocal") {
					t.Error("the code does not compute quotients from a reciprocal")
				}
				for i, d := range divisors(r, typ) {
					s.b.Scalars[0] = d
					x := dividends(r, typ, d, n)
					if i%4 == 0 { // zeros beside what may need the divider
						for j := range x {
							x[j] *= r.Uint64() & 1
						}
					}
					quotients(t, s, in, be.Name(), typ, d, x)
				}
			}
		})
	}
}

// quotients runs the kernel on a divisor and dividends, and compares the results.
func quotients(t *testing.T, s *setup, in backend.Instance, name string, typ dtype.Type, d uint64, x []uint64) {
	t.Helper()
	size := typ.Size()
	for i, b := range x {
		randir.Put(s.mem[0][i*size:], size, b)
	}
	if f := runAll(in); f != 0 {
		t.Fatal(f)
	}
	bad := 0
	for i, b := range x {
		have := randir.Get(s.mem[1][i*size:], size)
		want := quotient(typ, b, d)
		if have != want && !(isNaN(typ, have) && isNaN(typ, want)) {
			if bad++; bad < 3 {
				t.Errorf("%s: %#x / %#x is %#x, not %#x", name, b, d, have, want)
			}
		}
	}
}

func quotient(typ dtype.Type, x, d uint64) uint64 {
	if typ == dtype.F32 {
		return uint64(math.Float32bits(math.Float32frombits(uint32(x)) / math.Float32frombits(uint32(d))))
	}
	return math.Float64bits(math.Float64frombits(x) / math.Float64frombits(d))
}

// parts returns the number of bits of a significand without the first one, and of an exponent.
func parts(typ dtype.Type) (significand, exponent int) {
	if typ == dtype.F32 {
		return 23, 8
	}
	return 52, 11
}

// divisors returns bits of numbers of a type: of any exponent, with few or many ones, and both signs.
func divisors(r *rand.Rand, typ dtype.Type) (out []uint64) {
	p, e := parts(typ)
	one := uint64(1)<<(e-1) - 1
	for _, m := range []uint64{0, 1, 1<<p - 1, 1<<p - 2, 1 << (p - 1)} {
		for _, exp := range []uint64{0, 1, one - one/2, one - 28, one - 27, one, one + 1, one + 72, one + 73, 2*one - 1, 2 * one, 2*one + 1} {
			out = append(out, exp<<p|m)
		}
	}
	for _, m := range []uint64{3 << 1, 5 << 1, 7 << 1} { // the smallest numbers times m/2 have quotients near half of one
		out = append(out, randir.FloatBits(typ, float64(m))-1)
	}
	for range testlevel.Every(40000, 400) {
		exp := one - 27 + r.Uint64N(40)
		if r.IntN(8) == 0 {
			exp = r.Uint64N(2*one + 2)
		}
		sign := uint64(0)
		if r.IntN(8) == 0 {
			sign = 1
		}
		out = append(out, sign<<(p+e)|exp<<p|r.Uint64N(1<<p))
	}
	return out
}

// dividends returns n numbers: hard ones of a divisor, random ones, and those whose quotients are at
// the ends of what is computed from a reciprocal.
func dividends(r *rand.Rand, typ dtype.Type, d uint64, n int) (out []uint64) {
	p, e := parts(typ)
	one, most := uint64(1)<<(e-1)-1, uint64(1)<<e-1
	hard := hardDividends(d&(1<<p-1)|1<<p, p+1)
	exps := []uint64{one, one - 75, one - 74, one - 76, one + 52, one + 53, one - 500, one - 501, one + 523, one + 524, 0, 1, most - 1, most}
	for len(out) < n {
		m := r.Uint64N(1 << p)
		if len(hard) > 0 && r.IntN(2) == 0 {
			m = hard[r.IntN(len(hard))] &^ (1 << p)
		}
		exp := exps[r.IntN(len(exps))]
		if near := exp + d>>p&most - one; r.IntN(2) == 0 && near < most {
			exp = near
		}
		out = append(out, r.Uint64N(2)<<(p+e)|exp&most<<p|m, r.Uint64N(16))
	}
	return out[:n]
}

// hardDividends returns significands of p bits whose quotients by a significand are nearest to the
// middle of two numbers: x * 2^s = c*divisor + k, for an odd c of p+1 bits and a small odd k.
func hardDividends(divisor uint64, p int) (out []uint64) {
	if divisor%2 == 0 {
		return nil
	}
	m := new(big.Int).SetUint64(divisor)
	for _, s := range []int{p, p + 1} { // quotients of at least 1, and below
		modulus := new(big.Int).Lsh(big.NewInt(1), uint(s))
		inverse := new(big.Int).ModInverse(m, modulus)
		for k := int64(-9); k <= 9; k += 2 {
			c := new(big.Int).Mul(inverse, big.NewInt(-k))
			c.Mod(c, modulus)
			for ; c.BitLen() <= p+1; c.Add(c, modulus) {
				x := new(big.Int).Add(new(big.Int).Mul(c, m), big.NewInt(k))
				if x.Rsh(x, uint(s)); c.BitLen() == p+1 && x.BitLen() == p {
					out = append(out, x.Uint64())
				}
			}
		}
	}
	return slices.Compact(out)
}

// textOfCode returns the listing of an instance.
func textOfCode(t *testing.T, in backend.Instance) string {
	t.Helper()
	fns, err := in.(backend.Native).Listing()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, fn := range fns {
		for _, l := range fn.Lines {
			fmt.Fprintln(&b, l.Text)
		}
	}
	return b.String()
}
