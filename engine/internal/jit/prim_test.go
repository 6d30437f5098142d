package jit

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
)

var registers = dtype.Registers()

// A primCase is an instruction: operand types, result type and text.
type primCase struct {
	name string
	args []dtype.Type
	typ  dtype.Type
	text string // with %s for each operand
	pre  string // declarations
}

func primCases() (out []primCase) {
	for op := prim.Add; op < prim.NumOps; op++ {
		info := op.Info()
		for _, t := range registers {
			switch op {
			case prim.Cvt, prim.Bitcast:
				for _, to := range registers {
					if op == prim.Bitcast && (t == dtype.Bool || to == dtype.Bool || t.Size() != to.Size()) {
						continue
					}
					out = append(out, primCase{name: op.String() + " " + t.Short() + " " + to.Short(), args: []dtype.Type{t}, typ: to, text: op.String() + " " + to.Short() + " %s"})
				}
				continue
			}
			if !info.Types.Has(t) || t == dtype.F64 && (op == prim.RoundF16 || op == prim.RoundBF16) {
				continue
			}
			c := primCase{name: op.String() + " " + t.Short(), typ: t}
			for range info.Arity {
				c.args = append(c.args, t)
			}
			switch op {
			case prim.Select:
				c.args[0] = dtype.Bool
			case prim.Scale:
				c.args[1] = dtype.I32
				if t == dtype.F64 {
					c.args[1] = dtype.I64
				}
			case prim.Eq, prim.Ne, prim.Lt, prim.Le:
				c.typ = dtype.Bool
			case prim.Lookup:
				for _, to := range registers[1:] {
					for _, n := range []int{2, 4, 8, 16, 32, 64} {
						var bits []string
						for i := range n {
							bits = append(bits, fmt.Sprintf("%#x", uint64(i*37+1)&(1<<(8*to.Size()-1)-1)))
						}
						out = append(out, primCase{
							name: fmt.Sprintf("lookup %s %s %d", t.Short(), to.Short(), n), args: []dtype.Type{t}, typ: to,
							text: "lookup " + to.Short() + " t0 %s", pre: "table t0 " + to.Short() + " [" + strings.Join(bits, ", ") + "]\n",
						})
					}
				}
				continue
			}
			c.text = op.String() + " " + c.typ.Short() + strings.Repeat(" %s", info.Arity)
			out = append(out, c)
		}
	}
	return out
}

// kernel returns a kernel that applies c to arrays. Bit i of uni makes operand i
// uniform. wide adds an operation of 64 bits.
func (c *primCase) kernel(uni int, wide bool) string {
	var b strings.Builder
	b.WriteString("kernel p\naxis i0\n")
	for i, t := range c.args {
		rank := 1
		if uni>>i&1 != 0 {
			rank = 0
		}
		fmt.Fprintf(&b, "buf x%d %s in %d\n", i, t.Short(), rank)
	}
	fmt.Fprintf(&b, "buf y %s out 1\n", c.typ.Short())
	if wide {
		b.WriteString("buf w f64 inout 1\n")
	}
	b.WriteString(c.pre + "{\n  vec i0 {\n")
	var names []any
	for i, t := range c.args {
		at := "i0"
		if uni>>i&1 != 0 {
			at = ""
		}
		fmt.Fprintf(&b, "    %%%d = load %s x%d[%s]\n", i, t.Short(), i, at)
		names = append(names, fmt.Sprintf("%%%d", i))
	}
	fmt.Fprintf(&b, "    %%8 = "+c.text+"\n    store %s y[i0] %%8\n", append(names, c.typ.Short())...)
	if wide {
		b.WriteString("    %9 = load f64 w[i0]\n    %10 = add f64 %9 %9\n    store f64 w[i0] %10\n")
	}
	b.WriteString("  }\n}\n")
	return b.String()
}

func TestPrimitives(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, c := range primCases() {
		t.Run(c.name, func(t *testing.T) {
			for uni := range 1 << len(c.args) {
				for _, wide := range []bool{false, true} {
					k := parse(t, c.kernel(uni, wide))
					for j, n := range []int{1, 5, 16, 40, 300, 1000} {
						if (i+j)%testlevel.Every(1, 3, 6) != 0 {
							continue
						}
						var shapes [][]int
						for i := range c.args {
							if uni>>i&1 != 0 {
								shapes = append(shapes, nil)
							} else {
								shapes = append(shapes, []int{n})
							}
						}
						shapes = append(shapes, []int{n}, []int{n})
						differ(t, r, newSetup(t, r, k, []int{n}, nil, shapes[:len(k.Bufs)], r.IntN(3) > 0))
					}
				}
			}
		})
	}
}

// TestEveryTarget checks that all targets have rules for all primitives, also the targets of other machines.
func TestEveryTarget(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(1, 3))
	for _, c := range primCases() {
		k := parse(t, c.kernel(0, false))
		s := newSetup(t, r, k, []int{40}, nil, slices.Repeat([][]int{{40}}, len(k.Bufs)), true)
		for _, be := range Generators() {
			code, err := be.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := code.Bind(s.b); err != nil {
				t.Fatal(err)
			}
			if why := code.(backend.Fallback).Fallback(); why != "" {
				t.Errorf("left to the interpreter: %s", why)
			}
		}
		s.release()
	}
}

func TestReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for i, c := range randir.Reductions(dtype.Real()...) {
		for j, n := range []int{0, 1, 2, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 191, 193, 320, 511, 512, 513, 4095, 4096, 4097, 10000, 40000} {
			if n == 0 && c.Extreme() || n > 10000 && !c.Alone() {
				continue // an extreme of no elements is an error before execution
			}
			if (i+j)%testlevel.Every(1, 13, 27) != 0 {
				continue
			}
			results := 1 + r.IntN(40)
			if n > 4000 {
				results = 1 + r.IntN(3)
			}
			axes, arrays := c.Extents(results, n)
			differ(t, r, newSetup(t, r, c.Kernel, axes, nil, arrays, r.IntN(2) == 0))
		}
	}
}

// TestWholeArrays compares reductions of all elements of one array, whose loop goes over both halves at once where the order is free.
func TestWholeArrays(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	const kernel = "kernel whole\naxis i0\nbuf x TYPE in 1\nbuf y REG out 0\n{\nvec i0 {\n%0 = load REG x[i0]\n%1 = reduce OP REG %0\n}\nstore REG y[] %1\n}\n"
	for _, typ := range []dtype.Type{dtype.U8, dtype.I16, dtype.I32, dtype.U64, dtype.F16, dtype.F32, dtype.F64} {
		for _, op := range []string{"max", "sum"} {
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "REG", typ.Register().Short(), "OP", op).Replace(kernel))
			for n := 1; n < 1200; n += 1 + r.IntN(testlevel.Every(2, 40)) {
				differ(t, r, newSetup(t, r, k, []int{n}, nil, [][]int{{n}, nil}, true))
			}
		}
	}
}

// TestLimits compares minima and maxima of numbers and one uniform value with the interpreter: a constant, a scalar, or an
// element of an array. All of them may be NaN and zeros.
func TestLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 8))
	const kernel = `kernel limits
axis i0
buf x T in 1
buf w T in 0
buf o T out 1
scalar s0 T
{
%1 = scalar T s0
%2 = const T BITS
vec i0 {
%0 = load T x[i0]
%3 = load T w[]
%4 = OP T FIRST
%5 = OTHER T %4 SECOND
%9 = add T %4 %5
store T o[i0] %9
}
}`
	for range testlevel.Every(600, 200) {
		typ := []dtype.Type{dtype.F32, dtype.F64}[r.IntN(2)]
		special := func() uint64 { return randir.FloatBits(typ, specialExtremes[r.IntN(len(specialExtremes))]) }
		n, u := 1+r.IntN(70), fmt.Sprintf("%%%d", 1+r.IntN(3))
		first := []string{"%0 " + u, u + " %0"}[r.IntN(2)]
		k := parse(t, strings.NewReplacer("OP", []string{"min", "max"}[r.IntN(2)], "OTHER", []string{"min", "max"}[r.IntN(2)], "FIRST", first,
			"SECOND", fmt.Sprintf("%%%d", 1+r.IntN(3)), "BITS", fmt.Sprintf("%#x", special()), "T ", typ.Short()+" ", " T", " "+typ.Short()).Replace(kernel))
		s := newSetup(t, r, k, []int{n}, nil, [][]int{{n}, nil, {n}}, r.IntN(3) > 0)
		s.b.Scalars[0] = special()
		for i := range 2 {
			for at := 0; at < len(s.mem[i]); at += typ.Size() {
				randir.Put(s.mem[i][at:], typ.Size(), special())
			}
		}
		differ(t, r, s)
	}
}

// numberBeside finds an extreme of numbers in the lanes of a predicate.
var numberBeside = regexp.MustCompile(`vrangep[sd] [xyz]mm\d+\{k`)

// TestTreesOfExtremes tests minima and maxima of others, some of which have other uses, with NaN and zeros.
func TestTreesOfExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 9))
	found := 0
	for range testlevel.Every(900, 300) {
		typ := []dtype.Type{dtype.F32, dtype.F64}[r.IntN(2)]
		leaves, nodes, other := 1+r.IntN(9), 1+r.IntN(10), r.IntN(4)
		var b strings.Builder
		for i := range leaves {
			fmt.Fprintf(&b, "%%%d = load T x[%d, i0]\n", i, i)
		}
		for i := leaves; i < leaves+nodes; i++ {
			x, y, op := r.IntN(i), i-1, "max"
			if r.IntN(4) == 0 {
				y = r.IntN(i)
			}
			if r.IntN(5) < other {
				op = "min"
			}
			fmt.Fprintf(&b, "%%%d = %s T %%%d %%%d\n", i, op, x, y)
		}
		n := 1 + r.IntN(70)
		k := parse(t, strings.ReplaceAll(fmt.Sprintf("kernel extremes\naxis i0\nbuf x T in 2\nbuf o T out 2\n{\nvec i0 {\n%sstore T o[0, i0] %%%d\nstore T o[1, i0] %%%d\n}\n}",
			&b, leaves+nodes-1, r.IntN(leaves+nodes)), "T", typ.Short()))
		s := newSetup(t, r, k, []int{n}, nil, [][]int{{leaves, n}, {2, n}}, r.IntN(3) > 0)
		pick := specialExtremes[r.IntN(len(specialExtremes)-1):]
		for at := 0; at < len(s.mem[0]); at += typ.Size() {
			randir.Put(s.mem[0][at:], typ.Size(), randir.FloatBits(typ, pick[r.IntN(len(pick))]))
		}
		for _, be := range isas(t) {
			if be.Name() == "avx512" && numberBeside.MatchString(textOfCode(t, s.instance(t, be))) {
				found++
			}
		}
		differ(t, r, s)
	}
	if isas(t)[0].Name() == "avx512" && found == 0 {
		t.Error("no tree has extremes of numbers")
	}
}

// TestExtremes tests combinations of NaN and zeros, which are rare in random data.
func TestExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, c := range randir.Reductions(dtype.F32, dtype.F64) {
		if !c.Extreme() {
			continue
		}
		for range testlevel.Every(60, 20) {
			n := 1 + r.IntN(9)
			if r.IntN(4) == 0 {
				n = 4090 + r.IntN(12)
			}
			axes, arrays := c.Extents(3, n)
			s := newSetup(t, r, c.Kernel, axes, nil, arrays, true)
			pick := specialExtremes[r.IntN(len(specialExtremes)-1):]
			pick = pick[:1+r.IntN(len(pick))]
			size := c.Type.Size()
			for i := range len(s.mem[0]) / size {
				x := pick[r.IntN(len(pick))]
				bits := randir.FloatBits(c.Type, x)
				if x != x { // positions of NaNs do not depend on their bits
					bits ^= uint64(r.IntN(4)) | uint64(r.IntN(2))<<(8*size-1)
				}
				randir.Put(s.mem[0][i*size:], size, bits)
			}
			differ(t, r, s)
		}
	}
}
