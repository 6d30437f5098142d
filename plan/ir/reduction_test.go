package ir

import (
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// registers are the types of values in registers.
var registers = dtype.Registers()

// TestReductionRows checks that every row has what back ends read, for each of
// its types.
func TestReductionRows(t *testing.T) {
	names := map[string]bool{}
	for _, r := range Reductions() {
		if !isName(r.Name()) || r.Doc() == "" || r.Types() == 0 || r.Row().Identity == nil || names[r.Name()] {
			t.Errorf("%s: a row needs a name of its own, a doc, types and an identity", r.Name())
			continue
		}
		names[r.Name()] = true
		if r.Native() == (r.Row().Combine != nil) {
			t.Errorf("%s: a row has either a primitive or a program", r.Name())
		}
		if (r.Position() || r.Row().IgnoreNaN) && r.Op() != prim.Min && r.Op() != prim.Max {
			t.Errorf("%s: positions and NaN belong to extremes", r.Name())
		}
		for _, typ := range registers {
			if r.Types().Has(typ) {
				testRow(t, r, typ)
			}
		}
	}
}

// testRow evaluates the row. The identity of a native row must change no value.
func testRow(t *testing.T, r *prim.Reduction, typ dtype.Type) {
	x := prim.FromInt(typ, 1)
	if !fits(typ, r.Identity(typ)) || !fits(r.Result(typ), r.Nothing(typ)) {
		t.Errorf("%s of %s: the identity does not fit", r.Name(), typ)
	}
	if r.Position() {
		return
	}
	d := Reducer{Reduction: r, Type: typ}
	p, err := d.Scalar()
	if err != nil {
		t.Fatalf("%s of %s: %v", r.Name(), typ, err)
	}
	if id := r.Identity(typ); r.Native() && (p.Call(id, x) != x || p.Call(x, id) != x) {
		t.Errorf("%s of %s: the identity %s changes %s", r.Name(), typ, prim.Text(typ, id), prim.Text(typ, x))
	}
}

// maxAbs is a row with a program that has a cold region.
var maxAbs = prim.NewReduction(prim.ReductionRow{
	Name: "max abs", Types: prim.Num, Order: prim.Num, Identity: prim.Zero,
	Combine: func(b *prim.B, x ...prim.V) prim.V {
		a, y := b.Abs(x[0]), b.Abs(x[1])
		twice := b.Add(a, b.Int(a.Type, 2))
		return b.Cold(b.Lt(a, y), b.Sub(twice, b.Int(a.Type, 2)), func() prim.V {
			i := b.And(b.Cvt(dtype.I32, y), b.Int(dtype.I32, 1))
			return b.Sub(b.Add(y, b.Lookup(a.Type, []uint64{0, 0}, i)), b.Int(a.Type, 0))
		})
	},
})

// program builds a kernel that reduces by rows.
func program(rows ...*prim.Reduction) *Kernel {
	b := NewBuilder("k")
	i := b.Axis("i0")
	x := b.Buf(Buf{Name: "x", Type: dtype.F32, Rank: 1})
	y := b.Buf(Buf{Name: "y", Type: dtype.F32, Mode: Out, Rank: 1})
	at := []prim.Ix{b.K.Index.Axis(i)}
	b.Open(Vec, i)
	v := b.Load(x, InBounds, at, prim.V{})
	var out []prim.V
	for _, r := range rows {
		out = append(out, b.Reduce(r, v))
	}
	b.Close()
	for k, v := range out {
		b.Store(y, []prim.Ix{b.K.Index.Const(int64(k))}, v)
	}
	return b.K
}

// TestProgramText parses the text of a reduction with a program and compares
// the programs.
func TestProgramText(t *testing.T) {
	sum, other := ReductionByName("sum"), *maxAbs
	k := program(sum, maxAbs, &other, maxAbs)
	for range 2 {
		if err := Check(k); err != nil {
			t.Fatalf("%v\n%s", err, k)
		}
		if len(k.Reducers) != 3 {
			t.Errorf("%d reducers, want 3", len(k.Reducers))
		}
		Prune(k)
	}
	text := k.String()
	if !strings.Contains(text, "reduction r0 max_abs f32 0x00000000 0x00000000") || !strings.Contains(text, "reduce r1 f32") {
		t.Errorf("text:\n%s", text)
	}
	back, err := Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := Check(back); err != nil {
		t.Fatal(err)
	}
	if got := back.String(); got != text {
		t.Errorf("got\n%s\nwant\n%s", got, text)
	}
	want, err := (&Reducer{Reduction: maxAbs, Type: dtype.F32}).Scalar()
	if err != nil {
		t.Fatal(err)
	}
	i := back.Regions[0].Code[0].Aux // the loop
	for _, in := range back.Regions[back.Loops[i].Body].Code {
		if in.Op != Reduce || back.Reducer(&in).Native() {
			continue
		}
		got, err := back.Reducer(&in).Scalar()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range [][2]float64{{1, -3}, {-4, 2}, {0, 0}} {
			x, y := prim.FromFloat(dtype.F32, c[0]), prim.FromFloat(dtype.F32, c[1])
			if g, w := got.Call(x, y), want.Call(x, y); g != w {
				t.Errorf("of %v: %#x, want %#x", c, g, w)
			}
		}
	}
	if n := k.Flops([]int{10}); n != 10*(1+3*2) {
		t.Errorf("%d flops", n)
	}
}

func TestRejectPrograms(t *testing.T) {
	for want, break_ := range map[string]func(k *Kernel){
		"has no row or no program": func(k *Kernel) { k.Reducers[0].Reduction = nil },
		"does not take bool":       func(k *Kernel) { k.Reducers[0].Type = dtype.Bool },
		"holds primitives only":    func(k *Kernel) { k.Regions[k.Reducers[0].Body].Code[0].Op = Scalar },
		"there is no region 99":    func(k *Kernel) { k.Reducers[0].Body = 99 },
		"there is no %99":          func(k *Kernel) { k.Reducers[0].X = 99 },
		"yields no f32":            func(k *Kernel) { k.Reducers[0].Yield = 99 },
		"is defined twice":         func(k *Kernel) { k.Reducers[0].Y = k.Reducers[0].X },
		"the identity does not fit": func(k *Kernel) {
			r := maxAbs.Row()
			r.Identity = prim.Ones
			r.Empty = func(dtype.Type) uint64 { return 1 << 40 }
			k.Reducers[0].Reduction = prim.NewReduction(r)
		},
		"no reduction 7":      func(k *Kernel) { k.Regions[1].Code[1].Aux = 7 },
		"is not visible here": func(k *Kernel) { k.Regions[1].Code[1].Args[0] = k.Reducers[0].X },
	} {
		k := program(maxAbs)
		break_(k)
		if err := Check(k); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	text := program(maxAbs).String()
	for from, want := range map[string]string{
		"reduction r0": "expected r0", "yield": "", "reduce r0": `expected a reduction, not "r9"`,
	} {
		to := map[string]string{"reduction r0": "reduction r1", "yield": "%77 = yield", "reduce r0": "reduce r9"}[from]
		if _, err := Parse(strings.Replace(text, from, to, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", to, err, want)
		}
	}
}
