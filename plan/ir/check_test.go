package ir

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
)

const small = `kernel small
axis i0 i1
params 1
buf x f32 in 1
buf y f32 out 1
buf e f32 row [i1]
table t0 f32 [1, 2]
{
  %0 = const bool true
  %1 = const f32 1
  par i0 {
    vec i1 {
      %2 = cold f32 %0 %1 {
        %3 = load f32 x[div(i1, p0)] else %1
        yield %3
      }
      store f32 e[i1] %2
      %4 = reduce sum f32 %2
    }
    store f32 y[i0] %4
  }
}
`

// TestCheckAllocates tests that the rules of each instruction take no memory where it keeps them.
func TestCheckAllocates(t *testing.T) {
	var b strings.Builder
	for v := range 200 {
		fmt.Fprintf(&b, "%%%d = load f32 x[i0]\n", v)
	}
	k, err := Parse("kernel many\naxis i0\nbuf x f32 in 1\n{\nvec i0 {\n" + b.String() + "}\n}\n")
	if err != nil || Check(k) != nil {
		t.Fatal(err, Check(k))
	}
	if n := testlevel.Allocs(5, func() { _ = Check(k) }); n > 40 {
		t.Errorf("the check of 200 loads allocates %v times", n)
	}
}

// TestTampered checks kernels that no text can describe, because Parse resolves
// names and numbers things.
func TestTampered(t *testing.T) {
	ins := func(k *Kernel, region int32, i int) *Ins { return &k.Regions[region].Code[i] }
	// Regions: 0 const const par; 1 vec store; 2 cold store reduce; 3 load.
	for _, c := range []struct {
		tamper func(k *Kernel)
		want   string
	}{
		{func(k *Kernel) { k.Name = "a b" }, `ir: a b: "a b" cannot name a kernel`},
		{func(k *Kernel) { k.Axes[0] = "i1" }, "ir: small: axis i1 is declared twice"},
		{func(k *Kernel) { k.Params = -1 }, "ir: small: -1 parameters"},
		{func(k *Kernel) { k.Params = 0 }, "ir: small: index expression 1: no parameter 0"},
		{func(k *Kernel) { k.Bufs[0].Name = "" }, `ir: small: "" cannot name a buffer`},
		{func(k *Kernel) { k.Bufs[0].Name = "y" }, "ir: small: buffer y is declared twice"},
		{func(k *Kernel) { k.Bufs[0].Type = 0 }, "ir: small: buffer x has no type"},
		{func(k *Kernel) { k.Bufs[0].Mode = 9 }, "ir: small: buffer x has no mode"},
		{func(k *Kernel) { k.Bufs[0].Rank = -1 }, "ir: small: buffer x has rank -1"},
		{func(k *Kernel) { k.Bufs[0].Axes = []int32{0} }, "ir: small: buffer x has axes but is not a row buffer"},
		{func(k *Kernel) { k.Bufs[2].Rank = 2 }, "ir: small: row buffer e has rank 2 and 1 axes"},
		{func(k *Kernel) { k.Bufs[2].Axes[0] = 7 }, "ir: small: row buffer e: no axis 7"},
		{func(k *Kernel) { k.Tables[0].Bits[0] = 1 << 40 }, "ir: small: table t0: 0x10000000000 does not fit f32"},
		{func(k *Kernel) { k.Regions = nil }, "ir: small: no entry region"},
		{func(k *Kernel) { k.Regions = append(k.Regions, Region{}) }, "ir: small: region 4 is not used"},
		{func(k *Kernel) { k.Loops = append(k.Loops, Loop{}) }, "ir: small: loop 2 is not used"},
		{func(k *Kernel) { k.Types = append(k.Types, dtype.F32) }, "ir: small: %5 is never defined"},
		{func(k *Kernel) { k.Types[1] = dtype.F64 }, "ir: small: region 0: %1 = const f32 0x3f800000 ; 1: the kernel says that %1 is f64"},

		{func(k *Kernel) { k.Index.Nodes[2] = prim.IxNode{Op: 99} }, "ir: small: index expression 2: no operation 99"},
		{func(k *Kernel) { k.Index.Nodes[0].K = 9 }, "ir: small: index expression 0: no axis 9"},
		{func(k *Kernel) { k.Index.Nodes[0] = prim.IxNode{Op: prim.IxValue, K: 9} }, "ir: small: index expression 0: no value %9"},
		{func(k *Kernel) { k.Index.Nodes[2].A = 2 }, "ir: small: index expression 2 refers to 2 and 1"},
		{func(k *Kernel) { k.Access[0].Coords[0] = 50 }, "ir: small: region 3: %3 = load f32 x[?ix 50] else %1: there is no index expression 50"},
		{func(k *Kernel) { k.Access[0].Buf = 9 }, "ir: small: region 3: %3 = load f32 ?[div(i1, p0)] else %1: access 0 has no buffer"},
		{func(k *Kernel) { k.Access[0].Bounds = 9 }, "ir: small: region 3: %3 = load f32 x[div(i1, p0)] %1: 1 operands, want 0"},
		{func(k *Kernel) { k.Access[1].Bounds = 9 }, "ir: small: region 2: store f32 e[i1] %2: no bounds 9"},
		{func(k *Kernel) { k.Access[1].Bounds = Clamped }, "ir: small: region 2: store f32 e[i1] clamp %2: a store stays inside its buffer"},
		{func(k *Kernel) { ins(k, 3, 0).Aux = -1 }, "ir: small: region 3: %3 = load f32 ?access -1 %1: 1 operands, want 0"},

		{func(k *Kernel) { ins(k, 0, 0).Op = Next + 1 }, "ir: small: region 0: %0 = ? bool: unknown operation"},
		{func(k *Kernel) { ins(k, 0, 0).Op = prim.Invalid }, "ir: small: region 0: %0 =  bool: unknown operation"},
		{func(k *Kernel) { ins(k, 0, 0).Imm = 2 }, "ir: small: region 0: %0 = const bool 0x02 ; true: the bits do not fit bool"},
		{func(k *Kernel) { ins(k, 0, 1).Dst = 0 }, "ir: small: region 0: %0 = const f32 0x3f800000 ; 1: %0 is defined twice"},
		{func(k *Kernel) { ins(k, 0, 1).Dst = 9 }, "ir: small: region 0: %9 = const f32 0x3f800000 ; 1: there is no %9"},
		{func(k *Kernel) { ins(k, 0, 2).Dst = 2 }, "ir: small: region 0: %2 = par i0: for has no result"},
		{func(k *Kernel) { ins(k, 0, 2).Aux = 9 }, "ir: small: region 0: ?loop 9: there is no loop 9"},
		{func(k *Kernel) { ins(k, 1, 1).Args = [3]Value{77, None, None} }, "ir: small: region 1: store f32 y[i0] %77: there is no %77"},
		{func(k *Kernel) { ins(k, 1, 1).Args = [3]Value{None, 4, None} }, "ir: small: region 1: store f32 y[i0]: operand 1 is missing"},
		{func(k *Kernel) { ins(k, 2, 2).Aux = 99 }, "ir: small: region 2: %4 = reduce ? f32 %2: no reduction 99"},
		{func(k *Kernel) { ins(k, 2, 0).Imm = math.MaxUint64 }, "ir: small: region 2: %2 = cold f32 %0 %1: the cold region yields no value"},
		{func(k *Kernel) { ins(k, 2, 0).Aux = 44 }, "ir: small: region 2: %2 = cold f32 %0 %1: there is no region 44"},
		{func(k *Kernel) { ins(k, 2, 0).Aux = 2 }, "ir: small: region 2: %2 = cold f32 %0 %1: region 2 is used twice"},
		{func(k *Kernel) { ins(k, 1, 0).Aux = 0 }, "ir: small: region 1: par i0: loop 0 is used twice"},
		{func(k *Kernel) { k.Loops[1].Kind = 9 }, "ir: small: region 1: ? i1: no kind of loop 9"},
		{func(k *Kernel) { k.Loops[1].Axes[0] = -1 }, "ir: small: region 1: vec ?axis: there is no axis -1"},
		{func(k *Kernel) { k.Loops[1].Body = 0 }, "ir: small: region 1: vec i1: region 0 is used twice"},
		{
			func(k *Kernel) {
				*ins(k, 3, 0) = Ins{Op: Index, Type: dtype.F32, Dst: 3, Args: [3]Value{None, None, None}}
			},
			"ir: small: region 3: %3 = index i1: the result is i64",
		},
		{
			func(k *Kernel) {
				*ins(k, 3, 0) = Ins{Op: Scalar, Type: dtype.F32, Dst: 3, Args: [3]Value{None, None, None}}
			},
			"ir: small: region 3: %3 = scalar f32 s0: scalar s0 is not declared",
		},
		{
			func(k *Kernel) {
				*ins(k, 3, 0) = Ins{Op: prim.Lookup, Type: dtype.F32, Dst: 3, Args: [3]Value{1, None, None}, Aux: 4}
			},
			"ir: small: region 3: %3 = lookup f32 t4 %1: it does not take f32",
		},
	} {
		k := mustParse(t, small)
		if err := Check(k); err != nil {
			t.Fatal(err)
		}
		c.tamper(k)
		err := Check(k)
		if err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		_ = k.String() // must not panic
	}
}

func TestLookupTableMissing(t *testing.T) {
	k := mustParse(t, texts(t)["lookup"])
	k.Tables = nil
	want := "ir: lookup: region 1: %1 = lookup f64 t0 %0: table t0 is not declared"
	if err := Check(k); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestStrings(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{FaultKind(9).String(), "?"},
		{IndexFault.String(), "index"},
		{Mode(9).String(), "?"},
		{InOut.String(), "inout"},
		{LoopKind(9).String(), "?"},
		{Seq.String(), "seq"},
		{OpName(prim.Fma), "fma"},
		{OpName(Cold), "cold"},
		{OpName(200), "?"},
		{prim.Text(dtype.I8, 0xff), "-1"},
		{prim.Text(dtype.I64, math.MaxUint64), "-1"},
		{prim.Text(dtype.U64, math.MaxUint64), "18446744073709551615"},
		{prim.Text(dtype.F32, 0x80000000), "-0"},
		{prim.Text(dtype.F64, 0x7ff8000000000000), "NaN"},
		{prim.Text(dtype.Bool, 1), "true"},
	} {
		if c.got != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
	sum, most := ReductionByName("sum"), ReductionByName("max")
	if !sum.Ordered(dtype.F32) || sum.Ordered(dtype.I32) || most.Ordered(dtype.F32) {
		t.Error("Ordered")
	}
}

// Constants may be written as numbers.
func TestConstants(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"f32 -0.1", "f32 0xbdcccccd ; -0.1"},
		{"f32 0x1p-2", ""},
		{"f32 -inf", "f32 0xff800000 ; -Inf"},
		{"f64 1e300", "f64 0x7e37e43c8800759c ; 1e+300"},
		{"f32 1e300", ""},
		{"i8 -128", "i8 0x80 ; -128"},
		{"u8 255", "u8 0xff ; 255"},
		{"u8 -1", ""},
		{"i64 -1", "i64 0xffffffffffffffff ; -1"},
		{"u64 18446744073709551615", "u64 0xffffffffffffffff ; 18446744073709551615"},
		{"bool true", "bool 0x01 ; true"},
		{"bool 0x0", "bool 0x00 ; false"},
	} {
		k, err := Parse("kernel k\n{\n%7 = const " + c.in + " # here\n}")
		if err != nil {
			if c.out != "" {
				t.Error(err)
			}
			continue
		}
		if got, want := k.String(), "kernel k\n{\n  %0 = const "+c.out+"\n}\n"; got != want {
			t.Errorf("%s: got %s", c.in, got)
		}
	}
}

// The form in which index expressions come out.
func TestIndexText(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{"i0+1+2", "i0+1+2"},
		{"i0+(1+2)", "i0+3"},
		{"i0-1", "i0-1"},
		{"i0--1", "i0+1"},
		{"i0-(i1-1)", "i0-(i1-1)"},
		{"-i0", "i0*-1"},
		{"p0-i0-1", "p0-i0-1"},
		{"p0-i0*2", "p0-i0*2"},
		{"i0-9223372036854775807-1", "i0-9223372036854775807-1"},
		{"i0+-9223372036854775808", "i0+-9223372036854775808"},
		{"(i0+i1)*(p0*2)", "(i0+i1)*(p0*2)"},
		{"i0 * p0 * 2", "i0*p0*2"},
		{"i0+(i1+p0)", "i0+(i1+p0)"},
		{"i0*1+0", "i0"},
		{"i0*0", "0"},
		{"mod( i0 , 1)", "0"},
		{"div(i0+1, 3)*3+mod(i0+1, p0)", "div(i0+1, 3)*3+mod(i0+1, p0)"},
	} {
		for _, in := range []string{c.in, c.out} {
			k := mustParse(t, "kernel k\naxis i0 i1\nparams 1\n{\nvec i0 i1 {\n%0 = index "+in+"\n}\n}\n")
			if err := Check(k); err != nil {
				t.Error(err)
			}
			if got := k.IxText(prim.Ix(k.Regions[1].Code[0].Imm)); got != c.out {
				t.Errorf("%s: got %s, want %s", in, got, c.out)
			}
		}
	}
}

// Numbers become dense and keep their order.
func TestNumbering(t *testing.T) {
	k := mustParse(t, "kernel k\r\n{\r\n%900 = const i64 5\r\n%20 = index %900+%900\r\n}\r\n")
	want := "kernel k\n{\n  %1 = const i64 0x0000000000000005 ; 5\n  %0 = index %1+%1\n}\n"
	if got := k.String(); got != want {
		t.Errorf("got %s", got)
	}
}

func TestWalk(t *testing.T) {
	k := mustParse(t, small)
	var names []string
	uses := 0
	for r, in := range k.All() {
		names = append(names, strings.Repeat(".", int(r))+OpName(in.Op))
		for range k.Uses(in) {
			uses++
		}
	}
	if got, want := strings.Join(names, " "), "const const for .for ..cold ...load ..store ..reduce .store"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if uses != 7 { // cold: two operands, its yield; the fill; two stores, the reduction
		t.Errorf("%d uses", uses)
	}
	n := 0
	for range k.All() {
		if n++; n == 6 { // in the innermost region
			break
		}
	}
	for _, in := range k.All() {
		for range k.Uses(in) {
			break
		}
		for ix := range k.Exprs(in) {
			for range k.Nodes(ix) {
				break
			}
			break
		}
	}
	k = mustParse(t, "kernel k\n{\n%0 = index 2\n%1 = index (%0+1)*2+%0\n}")
	in := &k.Regions[0].Code[1]
	var got []Value
	for v := range k.Uses(in) {
		got = append(got, v)
	}
	if len(got) != 1 || got[0] != 0 {
		t.Errorf("uses %v", got)
	}
}
