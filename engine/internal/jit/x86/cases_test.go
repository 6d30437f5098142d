package x86

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A testCase is an instruction that the assembler accepts.
type testCase struct {
	form  int // index in forms
	evex  bool
	in    insn
	ops   []Operand
	bytes []byte
	text  string
}

// allCases has each form with each length, low and high registers in every
// place, every kind of address, masks, zeroing and broadcasts. A
// relative address is to label 0, at the beginning of the instruction.
func allCases(t testing.TB) []testCase {
	if made != nil {
		return made
	}
	g := generator{t: t, rng: rand.New(rand.NewPCG(1, 1))}
	for i := range forms {
		g.form(i)
	}
	g.covered()
	made = g.cases
	return made
}

// made keeps the cases: there are several users.
var made []testCase

// covered checks that there is a case for each form in each length, with
// each kind of operand and each decoration that it has.
func (g *generator) covered() {
	hit := map[string]bool{}
	for _, c := range g.cases {
		for _, k := range c.features() {
			hit[k] = true
		}
	}
	for i := range forms {
		for _, k := range formFeatures(i) {
			if !hit[k] {
				g.t.Errorf("%s: no case of %s", forms[i].op, k)
			}
		}
	}
}

func (c *testCase) features() []string {
	f := &forms[c.form]
	key := fmt.Sprintf("form %d evex %t ", c.form, c.evex)
	fs := []string{key + fmt.Sprint(c.in.len)}
	for i, k := range c.in.kind[:c.in.n] {
		switch {
		case k == kindMem && c.in.mem.Broadcast:
			fs = append(fs, key+"broadcast")
		case k == kindMem && c.in.mem.rip:
			fs = append(fs, key+"rip")
		case k == kindMem:
			fs = append(fs, key+"memory")
		case f.ops[i] == patM || f.ops[i] == patGM || f.ops[i] == patKM:
			fs = append(fs, key+"register")
		}
	}
	if c.in.with.K != 0 {
		fs = append(fs, fmt.Sprint(key, "zero ", c.in.with.Zero))
	}
	return fs
}

// formFeatures are the features that cases of form i have.
func formFeatures(i int) (fs []string) {
	f := &forms[i]
	operands := func(key string, broadcast bool) {
		for _, p := range f.ops {
			switch p {
			case patM, patGM, patKM:
				fs = append(fs, key+"register", key+"memory", key+"rip")
			case patMem:
				fs = append(fs, key+"memory", key+"rip")
			case patVSIB:
				fs = append(fs, key+"memory")
			}
		}
		if broadcast && f.ops[0] != patM {
			fs = append(fs, key+"broadcast")
		}
	}
	lengths := func(key string, set uint8) {
		for _, l := range lens(f) {
			bit := map[Len]uint8{L128: len128, L256: len256, L512: len512}[l]
			if f.gp || bit == 0 || set&bit != 0 {
				fs = append(fs, key+fmt.Sprint(l))
			}
		}
	}
	if f.vex != 0 || f.gp {
		key := fmt.Sprintf("form %d evex false ", i)
		lengths(key, f.vex)
		operands(key, false)
	}
	if f.evex == 0 {
		return fs
	}
	key := fmt.Sprintf("form %d evex true ", i)
	lengths(key, f.evex)
	operands(key, f.tup <= tupHalf)
	if f.flags&(flagMask|flagVSIB) != 0 {
		fs = append(fs, key+"zero false")
	}
	if f.flags&flagZero != 0 {
		fs = append(fs, key+"zero true")
	}
	return fs
}

// someCases are all of them under -exhaustive, else a few.
func someCases(t testing.TB) []testCase {
	cases := allCases(t)
	if *exhaustive {
		return cases
	}
	var some []testCase
	for i := 0; i < len(cases); i += 23 {
		some = append(some, cases[i])
	}
	return some
}

var exhaustive = flag.Bool("exhaustive", false, "give every case to the other assemblers")

type generator struct {
	t     testing.TB
	rng   *rand.Rand
	cases []testCase
	asm   Asm
	vals  [][]Operand // of each operand of the form at hand
}

// lens are the lengths worth trying with f.
func lens(f *form) []Len {
	var ls []Len
	all := f.vex | f.evex
	if f.gp {
		for _, l := range []Len{W8, W16, W32, W64} {
			if f.vex&uint8(l/8) != 0 {
				ls = append(ls, l)
			}
		}
		if ls == nil {
			ls = []Len{0}
		}
		return ls
	}
	for l, bit := range map[Len]uint8{L128: len128, L256: len256, L512: len512} {
		if all&bit != 0 {
			ls = append(ls, l)
		}
	}
	slices.Sort(ls)
	switch {
	case all&lenGPR != 0:
		ls = []Len{W32, W64}
	case ls == nil:
		ls = []Len{0}
	}
	return ls
}

var (
	gprs      = []Reg{RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R12, R13, R15}
	lowVecs   = []Vec{0, 1, 7, 8, 15}
	highVecs  = []Vec{16, 23, 24, 31}
	someMasks = []Mask{K0, K1, K3, K7}
	someImms  = []Imm{0, 1, 5, 127, 128, 255}
)

func (g *generator) form(i int) {
	f := &forms[i]
	for _, l := range lens(f) {
		g.vals = g.vals[:0]
		for k := range f.ops {
			g.vals = append(g.vals, g.values(f, l, k))
		}
		// One operand at a time takes all its values, the others one at random.
		for k, p := range f.ops {
			if p == patNone {
				continue
			}
			for n, o := range g.vals[k] {
				ops := g.random(f, pick(n%3))
				ops[k] = o
				g.add(i, l, ops)
			}
		}
		if f.ops[0] == patNone {
			g.add(i, l, nil)
		}
		for n := range 24 {
			ops := g.random(f, pick(n%3))
			for k, p := range f.ops {
				if p == patM || p == patMem || p == patGM || p == patKM {
					ops[k] = AtLabel(0, g.rng.Int32()>>g.rng.IntN(32))
				}
			}
			g.add(i, l, ops)
		}
		if f.evex == 0 {
			continue
		}
		for k := K1; k <= K7; k++ {
			g.add(i, l, append(g.random(f, registers), Merge(k)))
			g.add(i, l, append(g.random(f, registers), Zero(k)))
			g.add(i, l, append(g.random(f, anything), Merge(k)))
			g.add(i, l, append(g.random(f, anything), Zero(k)))
		}
	}
}

// A pick restricts random operands.
type pick int

const (
	anything pick = iota
	registers
	lowRegisters // that VEX can express
)

func (g *generator) random(f *form, from pick) []Operand {
	var ops []Operand
	for k, p := range f.ops {
		if p == patNone {
			break
		}
		vs := g.vals[k]
		n := slices.IndexFunc(vs, func(o Operand) bool {
			_, mem := o.(Mem)
			v, vec := o.(Vec)
			return from >= registers && mem || from == lowRegisters && vec && v > 15
		})
		if n > 0 {
			vs = vs[:n]
		}
		o := vs[g.rng.IntN(len(vs))]
		if m, ok := o.(Mem); ok && from == lowRegisters && m.VecIndex {
			m.Index &= 15
			o = m
		}
		ops = append(ops, o)
	}
	return ops
}

// values has what operand k of f may be, registers before memory.
func (g *generator) values(f *form, l Len, k int) (vs []Operand) {
	p := f.ops[k]
	switch p {
	case patR, patV, patU, patIs4, patM:
		for _, v := range lowVecs {
			vs = append(vs, v)
		}
		if f.evex != 0 {
			for _, v := range highVecs {
				vs = append(vs, v)
			}
		}
	case patK, patKV, patKU, patKM:
		for _, v := range someMasks {
			vs = append(vs, v)
		}
	case patG, patGV, patGU, patGM, patGO:
		for _, v := range gprs {
			vs = append(vs, v)
		}
	case patCL:
		return []Operand{RCX}
	case patRel:
		return []Operand{Label(0)}
	case patI:
		for _, v := range someImms {
			vs = append(vs, v)
		}
	case patI1:
		return []Operand{Imm(0), Imm(1), Imm(-1), Imm(127), Imm(-128)}
	case patIZ:
		vs = []Operand{Imm(1), Imm(-128), Imm(127)}
		if l != W8 {
			vs = append(vs, Imm(128), Imm(-129), Imm(0x1234), Imm(-0x1234))
		}
		if l > W16 {
			vs = append(vs, Imm(0x12345678), Imm(-0x12345678), Imm(1<<31-1), Imm(-1<<31))
		}
	case patI8:
		return []Operand{Imm(1 << 31), Imm(0x123456789abcdef0), Imm(-1 << 63)}
	}
	switch p {
	case patM, patMem, patGM, patKM:
		vs = append(vs, g.addresses(f)...)
	case patVSIB:
		for _, base := range gprs {
			vs = append(vs, AtV(base, Vec(g.rng.IntN(16)), 1<<g.rng.IntN(4), 0))
		}
		for _, x := range slices.Concat(lowVecs, highVecs) {
			for _, d := range displacements(false) {
				vs = append(vs, AtV(gprs[g.rng.IntN(len(gprs))], x, 1<<g.rng.IntN(4), d))
			}
		}
	}
	return vs
}

func (g *generator) addresses(f *form) (vs []Operand) {
	pick := func() Reg { return gprs[g.rng.IntN(len(gprs))] }
	index := func() Reg {
		for {
			if r := pick(); r != RSP {
				return r
			}
		}
	}
	for _, b := range gprs {
		vs = append(vs, At(b, 0), At(b, 8), At(b, -1000), AtX(b, index(), 1<<g.rng.IntN(4), 0))
	}
	for _, x := range gprs {
		if x != RSP {
			vs = append(vs, AtX(pick(), x, 1<<g.rng.IntN(4), int32(g.rng.IntN(300))))
		}
	}
	for _, s := range []uint8{1, 2, 4, 8} {
		vs = append(vs, AtX(R13, R12, s, 0), AtX(RBP, RBP, s, 0), AtX(R12, R13, s, -128))
	}
	vs = append(vs, AtLabel(0, 0), AtLabel(0, 0x12345), AtLabel(0, -77))
	for _, d := range displacements(false) {
		vs = append(vs, At(pick(), d))
	}
	if f.evex != 0 && f.tup <= tupHalf {
		for _, d := range displacements(true) {
			vs = append(vs, At(pick(), d).Bcast(), AtX(pick(), index(), 8, d).Bcast())
		}
		vs = append(vs, AtLabel(0, 64).Bcast())
	}
	return vs
}

// displacements are those around the limits of 8 bits, scaled by each power of
// two, of which one is the form's unit.
func displacements(bcast bool) (ds []int32) {
	for n := int32(1); n <= 64; n *= 2 {
		if bcast && (n < 4 || n > 8) {
			continue
		}
		ds = append(ds, n, -n, 127*n, 128*n, -128*n, -129*n, 127*n+1)
	}
	return append(ds, 0, 0x12345678, -1<<31, 1<<31-1)
}

// add records the instruction if the assembler takes it; what it must take
// and what not is for other tests.
func (g *generator) add(form int, l Len, ops []Operand) {
	var in insn
	if !in.set(forms[form].op, l, ops) {
		return
	}
	c, evex := in.match()
	if c == nil {
		return
	}
	g.asm.Reset()
	g.asm.Bind(g.asm.NewLabel())
	g.asm.I(in.op, l, ops...)
	obj, err := g.asm.Finish()
	if err != nil {
		g.t.Errorf("%s: %v", requestText(in.op, l, ops), err)
		return
	}
	which := 0
	for which = int(firstForm[in.op]); &codings[which] != c; which++ {
	}
	g.cases = append(g.cases, testCase{which, evex, in, ops, obj.Code, in.text(c.form)})
}

// TestCases makes all cases, without another assembler to compare them with.
func TestCases(t *testing.T) { t.Logf("%d cases", len(allCases(t))) }
