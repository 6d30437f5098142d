package jit

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Lowering splits a kernel into phases: straight code that one function of machine
// code runs. Consecutive scalar instructions are a phase; so is a vec loop. A vec
// loop with seq loops inside is several: the code before, the seq loop, the code
// between, and so on. A phase passes a value to another through a cell of the frame
// (one lane) or a scratch array (all lanes).

// The operations of nodes beyond those of the IR.
const (
	opCell    = ir.Cold + 1 + iota // the value in cell aux
	opExport                       // args[0] to cell aux
	opIota                         // I64: lane times imm
	opOperand                      // operand aux of the program of a reduction
)

// A node is an instruction of a phase; operands are nodes of the same phase.
type node struct {
	op    prim.Op
	typ   dtype.Type // of the result
	in    dtype.Type // of the operands that decide the instruction
	args  [3]int32
	aux   int32
	imm   uint64
	body  []int32 // of a Cold
	yield int32
	cold  bool  // in a cold region
	at    int32 // position in the order of emission
}

const none = int32(-1)

func (n *node) numArgs() int {
	c := 0
	for c < len(n.args) && n.args[c] != none {
		c++
	}
	return c
}

// A site is one access or one index expression of a phase.
type site struct {
	access int32 // index in the kernel, or -1
	ix     prim.Ix
	typ    dtype.Type // in memory
	buf    int32      // or -1
	array  int32      // scratch array, or -1
	store  bool
	cold   bool
	values []valueRef
	coords []coord // of an access whose offsets machine code may compute
	coord  bool    // a coordinate of another site
}

// A coord is a coordinate of an access: a node, or the index of the site that has
// its expression.
type coord struct{ node, site int32 }

// A valueRef is a value in an index expression, and its node.
type valueRef struct {
	value ir.Value
	node  int32
}

// A red is a reduction of a phase.
type red struct {
	kern  *redKern
	arg   int32 // node
	typ   dtype.Type
	out   dtype.Type
	cell  int32 // of the result, in a vec loop
	array int32 // of the result, in a seq loop
	state int32 // index of its state in the worker
}

type phaseKind uint8

const (
	scalarPhase phaseKind = iota
	mapPhase
	seqPhase
)

type phase struct {
	kind    phaseKind
	id      int32
	vec     *vecLoop
	seq     []int32 // axes
	nodes   []node
	top     []int32
	sites   []site
	reds    []red
	yield   int32 // of the program of a reduction: the new accumulator
	ops     int
	argBase int        // offset of its sites in the frame
	lanes   int        // offset of its number of lanes in the frame
	scratch int32      // number of its first site
	named   []ir.Value // of each node: the value it computes, or None

	local map[ir.Value]int32
	cells map[int32]int32
	konst map[constKey]int32
	saved map[ir.Value]int32 // exported values: cell or array
	list  *[]int32
	cold  int
}

type constKey struct {
	t    dtype.Type
	bits uint64
}

type vecLoop struct {
	axes   []int32
	phases []*phase
	arrays []dtype.Type // scratch arrays, in memory types
	reds   []*red       // of its map phases
}

// An item is a step of the entry or a par body.
type item struct {
	scalar *phase
	vec    *vecLoop
	par    []item
	axes   []int32 // of par
}

// A program is a lowered kernel.
type program struct {
	k      *ir.Kernel
	items  []item
	phases []*phase
	cells  []dtype.Type // types of the cells; scalars first
	states int
	main   int // index in items of the loop that units divide, or -1
	units  bound.UnitKind
}

type originKind uint8

const (
	noOrigin originKind = iota
	constOrigin
	cellOrigin
	phaseOrigin
	arrayOrigin
)

// An origin says where other phases find a value.
type origin struct {
	kind originKind
	bits uint64
	id   int32 // cell or array
	from *phase
}

type lowerer struct {
	k       *ir.Kernel
	p       *program
	origins []origin
	cur     *phase
	vec     *vecLoop
}

type unsupported string

func (u unsupported) Error() string { return string(u) }

func (l *lowerer) fail(format string, args ...any) { panic(unsupported(fmt.Sprintf(format, args...))) }

// lower splits k into phases. The error is the reason why machine code cannot run
// the kernel.
func lower(k *ir.Kernel) (p *program, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(unsupported)
			if !ok {
				panic(r)
			}
			p, err = nil, u
		}
	}()
	l := &lowerer{k: k, p: &program{k: k, main: -1}, origins: make([]origin, len(k.Types))}
	l.p.cells = append(l.p.cells, k.Scalars...)
	l.p.items = l.items(0, true)
	for _, ph := range l.p.phases {
		l.conflicts(ph)
	}
	if l.p.units, _ = bound.UnitsOf(k); l.p.units != bound.OneUnit {
		l.p.main = slices.IndexFunc(l.p.items, func(it item) bool { return it.vec != nil || it.axes != nil })
	}
	return l.p, nil
}

func (l *lowerer) newPhase(kind phaseKind) *phase {
	ph := emptyPhase(kind)
	ph.id, ph.vec = int32(len(l.p.phases)), l.vec
	l.p.phases = append(l.p.phases, ph)
	return ph
}

func emptyPhase(kind phaseKind) *phase {
	ph := &phase{kind: kind, local: map[ir.Value]int32{}, cells: map[int32]int32{}, konst: map[constKey]int32{}, saved: map[ir.Value]int32{}}
	ph.list = &ph.top
	return ph
}

// items lowers the entry or a par body.
func (l *lowerer) items(r int32, entry bool) (out []item) {
	l.cur = nil
	code := l.k.Regions[r].Code
	for i := range code {
		in := &code[i]
		if in.Op == prim.Const || in.Op == ir.Scalar {
			l.leaf(in)
			continue
		}
		if in.Op != ir.For {
			if l.cur == nil {
				l.cur = l.newPhase(scalarPhase)
				out = append(out, item{scalar: l.cur})
			}
			l.ins(in)
			continue
		}
		l.cur = nil
		loop := &l.k.Loops[in.Aux]
		switch {
		case loop.Kind == ir.Vec:
			out = append(out, item{vec: l.vecLoop(loop)})
		case loop.Kind == ir.Par && entry:
			body := l.items(loop.Body, false)
			out = append(out, item{par: body, axes: loop.Axes})
		default:
			l.fail("a %s loop at this place", loop.Kind)
		}
		l.cur = nil
	}
	return out
}

func (l *lowerer) leaf(in *ir.Ins) {
	if in.Op == prim.Const {
		l.origins[in.Dst] = origin{kind: constOrigin, bits: in.Imm}
	} else {
		l.origins[in.Dst] = origin{kind: cellOrigin, id: in.Aux}
	}
}

func (l *lowerer) vecLoop(loop *ir.Loop) *vecLoop {
	v := &vecLoop{axes: loop.Axes}
	l.vec = v
	l.cur = nil
	code := l.k.Regions[loop.Body].Code
	for i := range code {
		in := &code[i]
		if in.Op == ir.For {
			seq := &l.k.Loops[in.Aux]
			l.cur = l.newPhase(seqPhase)
			l.cur.seq = seq.Axes
			v.phases = append(v.phases, l.cur)
			l.region(seq.Body)
			l.cur = nil
			continue
		}
		if in.Op == prim.Const || in.Op == ir.Scalar {
			l.leaf(in)
			continue
		}
		if l.cur == nil {
			l.cur = l.newPhase(mapPhase)
			v.phases = append(v.phases, l.cur)
		}
		l.ins(in)
	}
	for _, ph := range v.phases {
		for i := range ph.reds {
			if ph.kind == mapPhase {
				v.reds = append(v.reds, &ph.reds[i])
			}
		}
	}
	l.vec, l.cur = nil, nil
	return v
}

func (l *lowerer) region(r int32) {
	code := l.k.Regions[r].Code
	for i := range code {
		l.ins(&code[i])
	}
}

func (ph *phase) add(n node, v ir.Value) int32 {
	n.cold = ph.cold > 0
	ph.nodes = append(ph.nodes, n)
	ph.named = append(ph.named, v)
	id := int32(len(ph.nodes) - 1)
	*ph.list = append(*ph.list, id)
	ph.ops++
	return id
}

// leafNode adds a node to no list and returns it. Constants and cells need no list.
func (ph *phase) leafNode(n node, v ir.Value) int32 {
	ph.nodes = append(ph.nodes, n)
	ph.named = append(ph.named, v)
	return int32(len(ph.nodes) - 1)
}

func (ph *phase) constant(t dtype.Type, bits uint64, v ir.Value) int32 {
	key := constKey{t, bits}
	if id, ok := ph.konst[key]; ok {
		return id
	}
	id := ph.leafNode(node{op: prim.Const, typ: t, in: t, imm: bits, args: [3]int32{none, none, none}}, v)
	ph.konst[key] = id
	return id
}

func (ph *phase) cell(t dtype.Type, cell int32, v ir.Value) int32 {
	if id, ok := ph.cells[cell]; ok {
		return id
	}
	id := ph.leafNode(node{op: opCell, typ: t, in: t, aux: cell, args: [3]int32{none, none, none}}, v)
	ph.cells[cell] = id
	return id
}

// use returns the node of value v in the current phase. If another phase computes v,
// it adds a cell or a load.
func (l *lowerer) use(v ir.Value) int32 {
	ph := l.cur
	if id, ok := ph.local[v]; ok {
		return id
	}
	t := l.k.Types[v]
	o := l.origins[v]
	switch o.kind {
	case constOrigin:
		return ph.constant(t, o.bits, v)
	case cellOrigin:
		return ph.cell(t, o.id, v)
	case arrayOrigin:
		return l.loadArray(t, o.id, v)
	case phaseOrigin:
		from := o.from
		id, ok := from.saved[v]
		if from.kind == scalarPhase {
			if !ok {
				id = l.newCell(t)
				from.saved[v] = id
				from.add(node{op: opExport, typ: t, in: t, args: [3]int32{from.local[v], none, none}, aux: id}, ir.None)
			}
			return ph.cell(t, id, v)
		}
		if from.kind == mapPhase && from.vec == l.vec {
			if !ok {
				id = l.newArray(t)
				from.saved[v] = id
				s := int32(len(from.sites))
				from.sites = append(from.sites, site{access: -1, typ: t, buf: -1, array: id, store: true})
				from.add(node{op: ir.Store, typ: t, in: t, args: [3]int32{from.local[v], none, none}, aux: s}, ir.None)
			}
			return l.loadArray(t, id, v)
		}
	}
	l.fail("%%%d is used outside the loop that computes it", v)
	return none
}

func (l *lowerer) loadArray(t dtype.Type, array int32, v ir.Value) int32 {
	ph := l.cur
	s := int32(len(ph.sites))
	ph.sites = append(ph.sites, site{access: -1, typ: t, buf: -1, array: array})
	// A load of an array is outside cold regions, even if its first use is inside one.
	list, cold := ph.list, ph.cold
	ph.cold = 0
	id := none
	if cold > 0 {
		id = ph.leafNode(node{op: ir.Load, typ: t, in: t, args: [3]int32{none, none, none}, aux: s}, v)
		ph.top = append(ph.top, id)
	} else {
		id = ph.add(node{op: ir.Load, typ: t, in: t, args: [3]int32{none, none, none}, aux: s}, v)
	}
	ph.list, ph.cold = list, cold
	ph.local[v] = id
	return id
}

func (l *lowerer) newCell(t dtype.Type) int32 {
	l.p.cells = append(l.p.cells, t)
	return int32(len(l.p.cells) - 1)
}

func (l *lowerer) newArray(t dtype.Type) int32 {
	l.vec.arrays = append(l.vec.arrays, t)
	return int32(len(l.vec.arrays) - 1)
}

func (l *lowerer) define(v ir.Value, id int32) {
	l.cur.local[v] = id
	l.origins[v] = origin{kind: phaseOrigin, from: l.cur}
}

func (l *lowerer) ins(in *ir.Ins) {
	ph := l.cur
	switch in.Op {
	case prim.Const, ir.Scalar:
		l.leaf(in)
		return
	case ir.Load, ir.Store, ir.Index:
		l.access(in)
		return
	case ir.Reduce:
		l.reduce(in)
		return
	case ir.Cold:
		l.coldRegion(in)
		return
	case ir.For:
		l.fail("a loop at this place")
	}
	n := node{op: in.Op, typ: in.Type, aux: in.Aux, imm: in.Imm, args: [3]int32{none, none, none}}
	for i, a := range in.Args[:in.NumArgs()] {
		n.args[i] = l.use(a)
	}
	switch {
	case in.Op == ir.Fault:
		n.in = dtype.Bool
	case in.Op == prim.Scale || n.numArgs() == 1:
		n.in = l.k.Types[in.Args[0]]
	default:
		n.in = l.k.Types[in.Args[n.numArgs()-1]]
	}
	id := ph.add(n, in.Dst)
	if in.Dst != ir.None {
		l.define(in.Dst, id)
	}
}

func (l *lowerer) access(in *ir.Ins) {
	ph := l.cur
	if in.Op == ir.Index && l.varies(prim.Ix(in.Imm)) {
		l.define(in.Dst, l.expression(prim.Ix(in.Imm)))
		return
	}
	s := site{access: -1, buf: -1, array: -1, typ: dtype.I64, cold: ph.cold > 0}
	n := node{op: in.Op, typ: in.Type, args: [3]int32{none, none, none}}
	if in.Op == ir.Index {
		s.ix = prim.Ix(in.Imm)
	} else {
		s.access = in.Aux
		s.buf = l.k.Access[in.Aux].Buf
		s.typ = l.k.Bufs[s.buf].Type
		s.store = in.Op == ir.Store
		l.coordinates(&s, false)
	}
	for ix := range l.k.Exprs(in) {
		s.values = l.cellValues(s.values, ix)
	}
	if in.NumArgs() > 0 {
		n.args[0] = l.use(in.Args[0])
	}
	n.in = s.typ
	n.aux = int32(len(ph.sites))
	ph.sites = append(ph.sites, s)
	id := ph.add(n, in.Dst)
	if in.Dst != ir.None {
		l.define(in.Dst, id)
	}
}

func (l *lowerer) reduce(in *ir.Ins) {
	ph := l.cur
	if ph.kind == scalarPhase || ph.cold > 0 {
		l.fail("a reduction at this place")
	}
	row := l.k.Reducer(in)
	r := red{kern: redKerns[kernKey{row.Reduction, row.Type}], arg: l.use(in.Args[0]), typ: l.k.Types[in.Args[0]], out: in.Type, cell: -1, array: -1, state: int32(l.p.states)}
	if r.kern == nil {
		r.kern = l.programKern(row)
	}
	l.p.states++
	if ph.kind == mapPhase {
		r.cell = l.newCell(in.Type)
		l.origins[in.Dst] = origin{kind: cellOrigin, id: r.cell}
	} else {
		r.array = l.newArray(in.Type)
		l.origins[in.Dst] = origin{kind: arrayOrigin, id: r.array}
	}
	ph.reds = append(ph.reds, r)
}

// programKern lowers the program of a reduction to a phase of its own.
func (l *lowerer) programKern(row *ir.Reducer) *redKern {
	k, err := programKern(row)
	if err != nil || row.Type == dtype.Bool || row.Position {
		l.fail("reduction %s of %s: %v", row.Name, row.Type, err)
	}
	cur := l.cur
	l.cur = emptyPhase(scalarPhase)
	k.prog = l.cur
	var args [3]int32
	for i, v := range []ir.Value{row.X, row.Y} {
		args[i] = l.cur.add(node{op: opOperand, typ: row.Type, in: row.Type, aux: int32(i), args: [3]int32{none, none, none}}, v)
		if v != ir.None {
			l.define(v, args[i])
		}
	}
	if row.Body < 0 {
		args[2] = none
		l.cur.yield = l.cur.add(node{op: row.Op, typ: row.Type, in: row.Type, args: args}, ir.None)
	} else {
		l.region(row.Body)
		l.cur.yield = l.use(row.Yield)
	}
	l.cur = cur
	return k
}

func (l *lowerer) coldRegion(in *ir.Ins) {
	ph := l.cur
	n := node{op: ir.Cold, typ: in.Type, in: in.Type, args: [3]int32{l.use(in.Args[0]), l.use(in.Args[1]), none}}
	var body []int32
	outer := ph.list
	ph.list = &body
	ph.cold++
	l.region(in.Aux)
	n.yield = l.use(ir.Value(in.Imm))
	ph.cold--
	ph.list = outer
	n.body = body
	l.define(in.Dst, ph.add(n, in.Dst))
}
