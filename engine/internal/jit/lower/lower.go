// Package lower splits a kernel into phases: straight code that one function of machine
// code runs. Consecutive scalar instructions are a phase; so is a vec loop. A vec loop
// with seq loops inside is several: the code before, the seq loop, the code between, and
// so on. A phase passes a value to another through a cell of the frame (one lane) or a
// scratch array (all lanes).
package lower

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Kernel splits k into phases. The error is the reason why machine code cannot run
// the kernel.
func Kernel(k *ir.Kernel) (p *Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(Unsupported)
			if !ok {
				panic(r)
			}
			p, err = nil, u
		}
	}()
	l := lowerers.Get().(*lowerer)
	l.room = &roomyProgram{}
	l.k, l.p, l.origins = k, &l.room.Program, slices.Grow(l.origins, len(k.Types))[:len(k.Types)]
	l.p.IR, l.p.Main, l.p.Phases = k, -1, l.room.phases[:0]
	l.p.cells = append(l.p.cells, k.Scalars...)
	l.p.Items = l.items(0, true)
	for _, ph := range l.p.Phases {
		l.conflicts(ph)
		halves := ph.roundOnce()
		ph.removeDead()
		halves.asBits(l.p)
		ph.findBytes()
		ph.LaneSize, ph.Widest = ph.laneSize(), Widest(ph.Nodes)
		ph.combineBytes()
		ph.Widens, ph.Counts = ph.widens(), ph.counts()
		ph.Prefixes = ph.prefixes()
	}
	if l.p.Units, _ = bound.UnitsOf(k); l.p.Units != bound.OneUnit {
		l.p.Main = slices.IndexFunc(l.p.Items, func(it Item) bool { return it.Vec != nil || it.Axes != nil })
	}
	l.p.place()
	p = l.p
	clear(l.origins)
	*l = lowerer{origins: l.origins[:0]}
	lowerers.Put(l)
	return p, nil
}

// newPhase returns a new phase for about so many instructions.
func (l *lowerer) newPhase(kind phaseKind, instructions int) *Phase {
	n := instructions + 4
	var ph *Phase
	if n <= roomyNodes {
		room := &roomyPhase{}
		ph = &room.Phase
		ph.Nodes, ph.Named, ph.Top, ph.Sites = room.nodes[:0], room.named[:0], room.top[:0], room.sites[:0]
	} else {
		ph = &Phase{Nodes: make([]Node, 0, n), Named: make([]ir.Value, 0, n), Top: make([]int32, 0, n), Sites: make([]site, 0, 4)}
	}
	ph.Kind, ph.list = kind, &ph.Top
	ph.ID, ph.Vec = int32(len(l.p.Phases)), l.vec
	l.p.Phases = append(l.p.Phases, ph)
	return ph
}

// items lowers the entry or a par body.
func (l *lowerer) items(r int32, entry bool) (out []Item) {
	if l.cur = nil; entry {
		out = l.room.items[:0]
	}
	code := l.k.Regions[r].Code
	for i := range code {
		in := &code[i]
		if in.Op == prim.Const || in.Op == ir.Scalar {
			l.leaf(in)
			continue
		}
		if in.Op != ir.For {
			if l.cur == nil {
				l.cur = l.newPhase(ScalarPhase, 4)
				out = append(out, Item{Scalar: l.cur})
			}
			l.ins(in)
			continue
		}
		l.cur = nil
		loop := &l.k.Loops[in.Aux]
		switch {
		case loop.Kind == ir.Vec:
			out = append(out, Item{Vec: l.vecLoop(loop)})
		case loop.Kind == ir.Par && entry:
			body := l.items(loop.Body, false)
			out = append(out, Item{Par: body, Axes: loop.Axes})
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

func (l *lowerer) vecLoop(loop *ir.Loop) *VecLoop {
	v := &l.room.vec
	if l.room.vecs++; l.room.vecs > 1 {
		v = &VecLoop{}
	} else {
		v.Phases = l.room.inside[:0]
	}
	v.Axes = loop.Axes
	l.vec = v
	l.cur = nil
	code := l.k.Regions[loop.Body].Code
	for i := range code {
		in := &code[i]
		if in.Op == ir.For {
			seq := &l.k.Loops[in.Aux]
			l.carries(v, seq.Body)
			l.cur = l.newPhase(SeqPhase, len(l.k.Regions[seq.Body].Code))
			l.cur.Seq = seq.Axes
			v.Phases = append(v.Phases, l.cur)
			l.steps(l.k.Regions[seq.Body].Code, seq.Body)
			l.cur = nil
			continue
		}
		if in.Op == prim.Const || in.Op == ir.Scalar {
			l.leaf(in)
			continue
		}
		if l.cur == nil {
			l.cur = l.newPhase(MapPhase, len(code)-i)
			v.Phases = append(v.Phases, l.cur)
		}
		l.ins(in)
	}
	for _, ph := range v.Phases {
		for i := range ph.Reds {
			if ph.Kind == MapPhase {
				v.Reds = append(v.Reds, &ph.Reds[i])
			}
		}
	}
	l.vec, l.cur = nil, nil
	return v
}

// steps lowers the body of a seq loop. After the instructions that say whether later steps
// change something, the loop may end.
func (l *lowerer) steps(code []ir.Ins, body int32) {
	n, held := l.k.Settled(body)
	l.list(code[:n])
	some := None
	for _, v := range held {
		if p := l.use(v); some == None {
			some = p
		} else {
			some = l.cur.add(Node{Op: prim.Or, Type: dtype.Bool, In: dtype.Bool, Args: [3]int32{some, p, None}}, ir.None)
		}
	}
	if some != None {
		l.cur.Leaves = true
		l.cur.add(Node{Op: OpLeave, Type: dtype.Bool, In: dtype.Bool, Args: [3]int32{some, None, None}}, ir.None)
	}
	l.list(code[n:])
}

func (l *lowerer) region(r int32) { l.list(l.k.Regions[r].Code) }

func (l *lowerer) list(code []ir.Ins) {
	for i := range code {
		l.ins(&code[i])
	}
}

// carries gives each carry of a seq loop a scratch array, which holds its value
// between two steps, and stores the first values there.
func (l *lowerer) carries(v *VecLoop, body int32) {
	code := l.k.Regions[body].Code
	for i := range code {
		in := &code[i]
		if in.Op != ir.Carry {
			continue
		}
		if l.cur == nil {
			l.cur = l.newPhase(MapPhase, 4)
			v.Phases = append(v.Phases, l.cur)
		}
		array := l.newArray(in.Type)
		l.storeArray(l.cur, in.Type, array, l.use(in.Args[0]))
		l.origins[in.Dst] = origin{kind: arrayOrigin, id: array}
	}
}

func (l *lowerer) define(v ir.Value, id int32) {
	l.origins[v] = origin{kind: phaseOrigin, from: l.cur, node: id, last: l.cur, at: id}
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
	case ir.Carry:
		array := l.origins[in.Dst].id
		ph.Carries = append(ph.Carries, Carry{Load: l.loadArray(in.Type, array, in.Dst), Array: array, Type: in.Type})
		return
	case ir.Next:
		array := l.origins[in.Args[0]].id
		store := l.storeArray(ph, in.Type, array, l.use(in.Args[1]))
		i := slices.IndexFunc(ph.Carries, func(c Carry) bool { return c.Array == array })
		ph.Carries[i].Store = store
		l.origins[in.Dst] = origin{kind: arrayOrigin, id: array}
		return
	case ir.Cold:
		l.coldRegion(in)
		return
	case ir.For:
		l.fail("a loop at this place")
	}
	n := Node{Op: in.Op, Type: in.Type, Aux: in.Aux, Imm: in.Imm, Args: [3]int32{None, None, None}}
	for i, a := range in.Args[:in.NumArgs()] {
		n.Args[i] = l.use(a)
	}
	switch {
	case in.Op == ir.Fault:
		n.In = dtype.Bool
	case in.Op == prim.Scale || n.numArgs() == 1:
		n.In = l.k.Types[in.Args[0]]
	default:
		n.In = l.k.Types[in.Args[n.numArgs()-1]]
	}
	switch {
	case n.Op == prim.Mul && n.Type.IsInt():
		ph.selects(&n)
	case n.Op == prim.Cvt && n.Type == dtype.Bool && n.In != dtype.Bool:
		n.Op, n.Args[1] = prim.Ne, ph.constant(n.In, 0, ir.None)
	}
	id := ph.add(n, in.Dst)
	if in.Dst != ir.None {
		l.define(in.Dst, id)
	}
}

// selects rewrites a product of integers of which one is a predicate: it selects the other one, or 0.
func (ph *Phase) selects(n *Node) {
	for k, a := range n.Args[:2] {
		if c := ph.Nodes[a]; c.Op == prim.Cvt && c.In == dtype.Bool {
			*n = Node{Op: prim.Select, Type: n.Type, In: n.Type, Args: [3]int32{c.Args[0], n.Args[1-k], ph.constant(n.Type, 0, ir.None)}}
			return
		}
	}
}

func (l *lowerer) access(in *ir.Ins) {
	ph := l.cur
	if in.Op == ir.Index && l.varies(prim.Ix(in.Imm)) {
		l.define(in.Dst, l.expression(prim.Ix(in.Imm)))
		return
	}
	s := site{Access: -1, Buf: -1, Array: -1, Type: dtype.I64, Cold: ph.cold > 0}
	n := Node{Op: in.Op, Type: in.Type, Args: [3]int32{None, None, None}}
	if in.Op == ir.Index {
		s.Ix = prim.Ix(in.Imm)
	} else {
		s.Access = in.Aux
		s.Buf = l.k.Access[in.Aux].Buf
		s.Type = l.k.Bufs[s.Buf].Type
		s.Store = in.Op == ir.Store
		l.coordinates(&s, false)
	}
	for ix := range l.k.Exprs(in) {
		s.values = l.cellValues(s.values, ix)
	}
	if in.NumArgs() > 0 {
		n.Args[0] = l.use(in.Args[0])
	}
	n.In = s.Type
	n.Aux = int32(len(ph.Sites))
	ph.Sites = append(ph.Sites, s)
	id := ph.add(n, in.Dst)
	if in.Dst != ir.None {
		l.define(in.Dst, id)
	}
}

func (l *lowerer) reduce(in *ir.Ins) {
	ph := l.cur
	if ph.Kind == ScalarPhase || ph.cold > 0 {
		l.fail("a reduction at this place")
	}
	row := l.k.Reducer(in)
	r := Red{Kern: reduce.Native(row.Reduction, row.Type), Arg: l.use(in.Args[0]), Type: l.k.Types[in.Args[0]], Out: in.Type, Cell: -1, Array: -1, State: int32(l.p.States)}
	if r.Kern == nil {
		r.Kern, r.Prog = l.programKern(row)
	}
	l.p.States++
	if ph.Kind == MapPhase {
		r.Cell = l.newCell(in.Type)
		l.origins[in.Dst] = origin{kind: cellOrigin, id: r.Cell}
	} else {
		r.Array = l.newArray(in.Type)
		l.origins[in.Dst] = origin{kind: arrayOrigin, id: r.Array}
	}
	ph.Reds = append(ph.Reds, r)
}

// programKern lowers the program of a reduction to a phase of its own.
func (l *lowerer) programKern(row *ir.Reducer) (*reduce.Kern, *Phase) {
	k, err := reduce.OfProgram(row)
	if err != nil || row.Type == dtype.Bool || row.Position() {
		l.fail("reduction %s of %s: %v", row.Name(), row.Type, err)
	}
	cur := l.cur
	p := &Phase{Kind: ScalarPhase}
	p.list = &p.Top
	l.cur = p
	var args [3]int32
	for i, v := range []ir.Value{row.X, row.Y} {
		args[i] = l.cur.add(Node{Op: OpOperand, Type: row.Type, In: row.Type, Aux: int32(i), Args: [3]int32{None, None, None}}, v)
		if v != ir.None {
			l.define(v, args[i])
		}
	}
	if row.Body < 0 {
		args[2] = None
		l.cur.Yield = l.cur.add(Node{Op: row.Op(), Type: row.Type, In: row.Type, Args: args}, ir.None)
	} else {
		l.region(row.Body)
		l.cur.Yield = l.use(row.Yield)
	}
	l.cur = cur
	return k, p
}

func (l *lowerer) coldRegion(in *ir.Ins) {
	ph := l.cur
	n := Node{Op: ir.Cold, Type: in.Type, In: in.Type, Args: [3]int32{l.use(in.Args[0]), l.use(in.Args[1]), None}}
	var body []int32
	outer := ph.list
	ph.list = &body
	ph.cold++
	l.region(in.Aux)
	n.Yield = l.use(ir.Value(in.Imm))
	ph.cold--
	ph.list = outer
	n.Body = body
	l.define(in.Dst, ph.add(n, in.Dst))
}
