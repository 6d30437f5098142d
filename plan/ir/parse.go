package ir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// Parse reads the text form of a kernel, as [Kernel.String] prints it. Text
// from # or ; to the end of a line is a comment. A constant may also be written
// as a number: const f32 1.5. The numbers of values are free; Parse makes them
// dense and keeps their order. The kernel still has to pass [Check].
func Parse(text string) (*Kernel, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("ir: text of more than %d bytes", maxText)
	}
	p := &parser{
		lines: strings.Split(text, "\n"),
		k:     &Kernel{},
		axes:  map[string]int32{},
		bufs:  map[string]int32{},
	}
	p.number()
	p.header()
	if p.err == nil {
		if len(p.k.Regions) == 0 {
			p.k.Regions = append(p.k.Regions, Region{})
		}
		p.block(0, false, 1)
	}
	if p.err == nil && p.next() {
		p.fail("text after the kernel")
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.k, nil
}

// number finds all defined values and gives them dense numbers.
func (p *parser) number() {
	p.values = map[int32]Value{}
	var nums []int32
	for p.next() {
		count := 1
		if p.keyword("reduction") { // its two operands are at the end of the line
			count = 2
			p.s = p.s[max(strings.IndexByte(p.s, '%'), 0):]
		}
		for ; count > 0 && strings.HasPrefix(p.s, "%"); count-- {
			n := p.valueNumber()
			if _, ok := p.values[n]; ok {
				p.fail("%%%d is defined twice", n)
			}
			p.values[n] = None
			nums = append(nums, n)
		}
	}
	slices.Sort(nums)
	for i, n := range nums {
		p.values[n] = Value(i)
	}
	p.k.Types = make([]dtype.Type, len(nums))
	p.line = 0
}

func (p *parser) header() {
	if !p.next() {
		p.fail("no kernel")
		return
	}
	if p.word() != "kernel" {
		p.fail("a text starts with: kernel NAME")
		return
	}
	p.k.Name = p.name()
	p.end()
	for p.next() {
		if p.accept("{") {
			p.end()
			return
		}
		switch w := p.word(); w {
		case "axis":
			p.axisLine()
		case "params":
			p.k.Params = p.count(maxParams)
		case "buf":
			p.bufLine()
		case "scalar":
			p.ordinal("s", len(p.k.Scalars))
			p.k.Scalars = append(p.k.Scalars, p.dtype())
		case "table":
			p.tableLine()
		case "reduction":
			p.reduction()
			continue
		default:
			p.fail("expected axis, params, buf, scalar, table, reduction or {, not %s", quote(w))
		}
		p.end()
	}
	p.fail("no { after the declarations")
}

func (p *parser) axisLine() {
	for p.err == nil && p.s != "" {
		a := p.name()
		if _, ok := p.axes[a]; ok {
			p.fail("axis %s is declared twice", a)
		}
		p.axes[a] = int32(len(p.k.Axes))
		p.k.Axes = append(p.k.Axes, a)
	}
}

func (p *parser) bufLine() {
	b := Buf{Name: p.name(), Type: p.dtype()}
	m := p.word()
	i := slices.Index(modeNames[:], m)
	if i < 0 {
		p.fail("expected in, out, inout or row, not %s", quote(m))
		return
	}
	b.Mode = Mode(i)
	if b.Mode == Row {
		p.expect("[")
		b.Axes = p.axisList("]")
		p.expect("]")
		b.Rank = len(b.Axes)
	} else {
		b.Rank = p.count(maxRank)
	}
	if _, ok := p.bufs[b.Name]; ok {
		p.fail("buffer %s is declared twice", b.Name)
	}
	p.bufs[b.Name] = int32(len(p.k.Bufs))
	p.k.Bufs = append(p.k.Bufs, b)
}

func (p *parser) tableLine() {
	p.ordinal("t", len(p.k.Tables))
	t := Table{Type: p.dtype()}
	p.expect("[")
	for p.err == nil && !p.accept("]") {
		if len(t.Bits) > 0 {
			p.expect(",")
		}
		t.Bits = append(t.Bits, p.constant(t.Type))
	}
	p.k.Tables = append(p.k.Tables, t)
}

// reduction reads a reduction that has a program.
func (p *parser) reduction() {
	k := p.k
	n := len(k.Reducers)
	p.ordinal("r", n)
	row := prim.ReductionRow{Name: p.name(), Types: prim.Num, Order: prim.Num}
	r := Reducer{Type: p.dtype()}
	identity, nothing := p.constant(r.Type), p.constant(r.Type)
	row.Identity = func(dtype.Type) uint64 { return identity }
	row.Empty = func(dtype.Type) uint64 { return nothing }
	row.Combine = func(b *prim.B, x ...prim.V) prim.V { return k.replay(&k.Reducers[n], b, x...) }
	r.Reduction = prim.NewReduction(row)
	r.X, r.Y = p.value(), p.value()
	if p.err != nil {
		return
	}
	k.Types[r.X], k.Types[r.Y] = r.Type, r.Type
	if len(k.Regions) == 0 {
		k.Regions = append(k.Regions, Region{}) // the entry
	}
	k.Reducers = append(k.Reducers, r)
	body, yield := p.region(true, 1)
	k.Reducers[n].Body, k.Reducers[n].Yield = body, yield
}

// reducer reads the name of a reduction. It returns a row of the table, or nil
// and the number of a declared reducer.
func (p *parser) reducer() (row *prim.Reduction, n int32) {
	w := p.word()
	if row = ReductionByName(w); row != nil {
		return row, -1
	}
	i, err := strconv.ParseUint(strings.TrimPrefix(w, "r"), 10, 31)
	if err != nil || !strings.HasPrefix(w, "r") || int(i) >= programs(p.k.Reducers) {
		p.fail("expected a reduction, not %s", quote(w))
		return nil, 0
	}
	return nil, int32(i)
}

// native returns the number of a reducer for a native row.
func (p *parser) native(row *prim.Reduction, t dtype.Type) int32 {
	for i, r := range p.k.Reducers {
		if r.Reduction == row && r.Type == t {
			return int32(i)
		}
	}
	p.k.Reducers = append(p.k.Reducers, Reducer{Reduction: row, Type: t, Body: -1, X: None, Y: None, Yield: None})
	return int32(len(p.k.Reducers) - 1)
}

// axisList reads names of axes up to mark.
func (p *parser) axisList(mark string) (axes []int32) {
	for p.err == nil && !strings.HasPrefix(p.s, mark) {
		name := p.word()
		a, ok := p.axes[name]
		if !ok {
			p.fail("expected an axis or %s before %s", mark, quote(name+p.s))
		}
		axes = append(axes, a)
	}
	return axes
}

// block reads the lines of region r, after {, up to its }. It returns the value
// of the yield that ends a cold region.
func (p *parser) block(r int32, cold bool, depth int) Value {
	if depth > maxDepth {
		p.fail("regions more than %d deep", maxDepth)
	}
	first := p.line
	var code []Ins
	for p.next() {
		if p.accept("}") {
			if cold {
				p.fail("a cold region ends with: yield %%value")
			}
			p.end()
			p.k.Regions[r].Code = code
			return None
		}
		if cold && p.keyword("yield") {
			v := p.value()
			p.end()
			if p.next() && !p.accept("}") {
				p.fail("expected } after yield")
			}
			p.end()
			p.k.Regions[r].Code = code
			return v
		}
		in := Ins{Dst: None, Args: [3]Value{None, None, None}}
		p.ins(&in, depth)
		code = append(code, in)
	}
	p.fail("no } for the { of line %d", first)
	return None
}

// region adds a region and reads its block.
func (p *parser) region(cold bool, depth int) (r int32, yield Value) {
	p.expect("{")
	p.end()
	r = int32(len(p.k.Regions))
	p.k.Regions = append(p.k.Regions, Region{})
	return r, p.block(r, cold, depth+1)
}

func (p *parser) ins(in *Ins, depth int) {
	if strings.HasPrefix(p.s, "%") {
		in.Dst = p.value()
		p.expect("=")
	}
	name := p.word()
	op, ok := prim.ByName(name)
	if i := slices.Index(opNames[:], name); i >= 0 && i != int(For-Load) {
		op, ok = Load+prim.Op(i), true
	}
	if i := slices.Index(loopNames[:], name); i >= 0 && in.Dst == None {
		p.loop(in, LoopKind(i), depth)
		return
	}
	if result := op != Store && op != Fault; !ok {
		p.fail("unknown operation %s", quote(name))
		return
	} else if result != (in.Dst != None) {
		p.fail("%s %s", name, map[bool]string{true: "needs a result: %N = " + name, false: "has no result"}[result])
		return
	}
	in.Op = op
	p.operation(in, depth)
	p.end()
	if in.Dst != None {
		p.k.Types[in.Dst] = in.Type
	}
}

func (p *parser) loop(in *Ins, kind LoopKind, depth int) {
	in.Op, in.Aux = For, int32(len(p.k.Loops))
	p.k.Loops = append(p.k.Loops, Loop{Kind: kind})
	axes := p.axisList("{")
	body, _ := p.region(false, depth)
	p.k.Loops[in.Aux] = Loop{Kind: kind, Axes: axes, Body: body}
}

// operation reads the text after the name of in.Op.
func (p *parser) operation(in *Ins, depth int) {
	var row *prim.Reduction
	switch in.Op {
	case Index:
		in.Type, in.Imm = dtype.I64, uint64(p.ix())
		return
	case Reduce:
		row, in.Aux = p.reducer()
	case Fault:
		in.Aux = p.oneOf("a fault", faultNames[:])
		in.Args[0] = p.value()
		return
	}
	in.Type = p.dtype()
	switch in.Op {
	case prim.Const:
		in.Imm = p.constant(in.Type)
		return
	case prim.Lookup:
		in.Aux = int32(p.reference(p.word(), "t", len(p.k.Tables)))
	case Scalar:
		in.Aux = int32(p.reference(p.word(), "s", len(p.k.Scalars)))
	case Load, Store:
		in.Aux = p.access(in.Op == Load)
		if in.Op == Load && p.k.Access[in.Aux].Bounds == Guarded || in.Op == Store {
			in.Args[0] = p.value()
		}
		return
	}
	for i := 0; i < len(in.Args) && strings.HasPrefix(p.s, "%"); i++ {
		in.Args[i] = p.value()
	}
	if row != nil && in.Args[0] != None {
		in.Aux = p.native(row, p.k.Types[in.Args[0]])
	}
	if in.Op == Cold {
		var yield Value
		in.Aux, yield = p.region(true, depth)
		in.Imm = uint64(yield)
	}
}

func (p *parser) access(load bool) int32 {
	a := Access{}
	name := p.word()
	buf, ok := p.bufs[name]
	if !ok {
		p.fail("expected a buffer, not %s", quote(name))
	}
	a.Buf = buf
	p.expect("[")
	for p.err == nil && !p.accept("]") {
		if len(a.Coords) > 0 {
			p.expect(",")
		}
		a.Coords = append(a.Coords, p.ix())
	}
	switch {
	case load && p.keyword("else"):
		a.Bounds = Guarded
	case load && p.keyword("clamp"):
		a.Bounds = Clamped
	}
	p.k.Access = append(p.k.Access, a)
	return int32(len(p.k.Access) - 1)
}
