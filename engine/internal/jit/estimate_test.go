package jit

import (
	le "encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/isa/amd64"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// estimates are operations that machine code computes from estimates, and what they are.
var estimates = []struct {
	name, text string
	want       func(float64) float64
}{
	{"root", "sqrt %[1]s %%0", math.Sqrt},
	{"reciprocal", "div %[1]s %%9 %%0", func(x float64) float64 { return 1 / x }},
}

// TestEstimates compares square roots and reciprocals with those of Go: of float32 all
// significands, at the ends of the range of exponents too, and of float64 random
// numbers and those whose roots are nearest to the middle of two numbers.
func TestEstimates(t *testing.T) {
	defer func(old amd64.Divider) { amd64.Divides = old }(amd64.Divides)
	amd64.Divides = amd64.SlowDivider // the others divide by most of these
	for _, e := range estimates {
		t.Run(e.name+" f32", func(t *testing.T) {
			const mantissas = 1 << 23
			step := testlevel.Every(1, 23)
			for _, exp := range []uint32{0, 1, 2, 3, 26, 27, 28, 127, 128, 249, 250, 251, 252, 254, 255} {
				every := uint32(step)
				if exp != 127 && exp != 128 {
					every = 101 * every
				}
				var in []uint64
				for m := exp % 3; m < mantissas; m += every {
					in = append(in, uint64(exp<<23|m), uint64(1<<31|exp<<23|m)*uint64(m%64/63))
				}
				in = append(in, uint64(exp<<23|(mantissas-1)))
				estimate(t, dtype.F32, e.text, in, func(b uint64) uint64 {
					return uint64(math.Float32bits(float32(e.want(float64(math.Float32frombits(uint32(b)))))))
				})
			}
		})
		t.Run(e.name+" f64", func(t *testing.T) {
			in := hardRoots()
			r := rand.New(rand.NewPCG(1, 2))
			for range testlevel.Every(1<<22, 1<<18) {
				b := r.Uint64()
				switch b % 4 {
				case 0:
					b |= 1<<52 - 1 // a significand of ones, or nearly
				case 1:
					b &= 0x7fff_ffff_ffff_ffff
				}
				in = append(in, b, b&^(1<<63))
			}
			estimate(t, dtype.F64, e.text, in, func(b uint64) uint64 { return math.Float64bits(e.want(math.Float64frombits(b))) })
		})
	}
}

// TestDividers tests which operations of a loop take estimates: a fast divider computes roots of float32 sooner, but not two operations, and
// one that divides vectors of 512 bits at once computes quotients by uniform values sooner.
func TestDividers(t *testing.T) {
	be, err := New("avx512")
	if err != nil {
		t.Skip(err)
	}
	defer func(old amd64.Divider) { amd64.Divides = old }(amd64.Divides)
	r := rand.New(rand.NewPCG(5, 4))
	inverseRoot := "%20 = const f32 1\n%21 = sqrt f32 %0\n%22 = div f32 %20 %21\n"
	for i := range 12 {
		inverseRoot += fmt.Sprintf("%%%d = mul f32 %%%d %%0\n", 23+i, 22+i)
	}
	inverseRoot += "%8 = add f32 %34 %0"
	for _, divides := range []amd64.Divider{amd64.SlowDivider, amd64.FastDivider, amd64.WideDivider} {
		amd64.Divides = divides
		for _, c := range []struct {
			typ, text string
			estimates [3]bool // of each divider
		}{
			{"f32", "%8 = sqrt f32 %0", [3]bool{true, false, false}},
			{"f64", "%8 = sqrt f64 %0", [3]bool{true, true, true}},
			{"f32", "%7 = sqrt f32 %0\n%8 = div f32 %0 %7", [3]bool{true, true, true}},
			{"f32", inverseRoot, [3]bool{true, false, false}},
			{"f32", "%7 = const f32 3\n%8 = div f32 %0 %7", [3]bool{true, true, false}},
			{"f64", "%7 = const f64 3\n%8 = div f64 %0 %7", [3]bool{true, true, true}},
		} {
			k := parse(t, fmt.Sprintf("kernel d\naxis i0\nbuf x %[1]s in 1\nbuf y %[1]s out 1\n{\nvec i0 {\n%%0 = load %[1]s x[i0]\n%[2]s\nstore %[1]s y[i0] %%8\n}\n}", c.typ, c.text))
			s := newSetup(t, r, k, []int{700}, nil, [][]int{{700}, {700}}, true)
			in := s.instance(t, be)
			if has, want := countIn(t, in, "main loop", "vfnmadd") > 0, c.estimates[divides]; has != want {
				t.Errorf("%q, divider %d: estimates: %v, want %v", c.text, divides, has, want)
			}
			differ(t, r, s)
		}
	}
}

// estimate runs an operation on numbers of a type, and compares the results.
func estimate(t *testing.T, typ dtype.Type, text string, in []uint64, want func(uint64) uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	head := "kernel e\naxis i0\nbuf x %[1]s in 1\nbuf y %[1]s out 1\n{\n  %%9 = const %[1]s %#[2]x\n  vec i0 {\n    %%0 = load %[1]s x[i0]\n    %%8 = "
	k := parse(t, fmt.Sprintf(head+text+"\n    store %[1]s y[i0] %%8\n  }\n}\n", typ.Short(), randir.FloatBits(typ, 1)))
	s := newSetup(t, r, k, []int{len(in)}, nil, [][]int{{len(in)}, {len(in)}}, true)
	defer s.release()
	for _, be := range isas(t) {
		size := typ.Size()
		for i, b := range in {
			randir.Put(s.mem[0][i*size:], size, b)
		}
		if f := runAll(s.instance(t, be)); f != 0 {
			t.Fatal(f)
		}
		bad := 0
		for i, b := range in {
			have, exact := uint64(le.LittleEndian.Uint32(s.mem[1][i*size:])), want(b)
			if size == 8 {
				have = le.LittleEndian.Uint64(s.mem[1][i*size:])
			}
			if have != exact && !(isNaN(typ, have) && isNaN(typ, exact)) {
				if bad++; bad < 5 {
					t.Errorf("%s: of %#x: %#x, not %#x", be.Name(), b, have, exact)
				}
			}
		}
	}
}

// hardRoots returns the numbers from 1 to 4 whose roots are within 2^-53 units in the last place
// of the middle of two numbers: those with M*M = x*2^s + k for an odd M of 54 bits and a small k.
// An odd k has roots modulo a power of 2 if it is 1 modulo 8.
func hardRoots() (out []uint64) {
	for _, s := range []uint{54, 55} { // M*M has 107 or 108 bits, x has 53
		for k := int64(-39); k < 40; k += 8 {
			for root := range int64(8) {
				m := liftRoot(root, k, s)
				for _, c := range []*big.Int{m, new(big.Int).Add(m, new(big.Int).Lsh(big.NewInt(1), s-1))} {
					for c.BitLen() < 54 {
						c = new(big.Int).Add(c, new(big.Int).Lsh(big.NewInt(1), s-1))
					}
					x := new(big.Int).Sub(new(big.Int).Mul(c, c), big.NewInt(k))
					if x.TrailingZeroBits() < s || x.BitLen() != 53+int(s) {
						continue
					}
					f, _ := new(big.Float).SetInt(x).Float64()
					out = append(out, math.Float64bits(math.Ldexp(f, -2*53)))
				}
			}
		}
	}
	return out
}

// liftRoot returns a root of k modulo 2^s from its last three bits, if there is one.
func liftRoot(root, k int64, s uint) *big.Int {
	m := big.NewInt(root | 1)
	for bit := uint(3); bit < s; bit++ {
		d := new(big.Int).Sub(new(big.Int).Mul(m, m), big.NewInt(k))
		if d.Bit(int(bit)) != 0 {
			m.Add(m, new(big.Int).Lsh(big.NewInt(1), bit-1))
		}
	}
	return m
}

// isNaN reports whether the bits of a float are those of a NaN.
func isNaN(typ dtype.Type, bits uint64) bool {
	if typ == dtype.F32 {
		return bits<<33 > 0xff<<56
	}
	return bits<<1 > 0x7ff<<53
}

// TestAnyEstimate computes the hard roots from any estimates within 2^-14, because processors
// differ in theirs.
func TestAnyEstimate(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	roots := hardRoots()
	if len(roots) < 20 {
		t.Fatalf("there are only %d hard roots", len(roots))
	}
	for _, bits := range roots {
		x := math.Float64frombits(bits)
		for range 2000 {
			y := (1 + (2*r.Float64()-1)*0x1p-14) / math.Sqrt(x)
			g, h := x*y, .5*y
			for range 2 {
				e := math.FMA(-g, h, .5)
				g, h = math.FMA(g, e, g), math.FMA(h, e, h)
			}
			if root := math.FMA(math.FMA(-g, g, x), h, g); root != math.Sqrt(x) {
				t.Fatalf("the root of %x from %x is %x, not %x", x, y, root, math.Sqrt(x))
			}
		}
	}
}
