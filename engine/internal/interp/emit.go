package interp

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// This file translates instructions. Each goes to the outermost level where it may
// run.

func (c *compiler) top() *level { return &c.levels[len(c.levels)-1] }

// floor returns the outermost level to which the current instruction may move.
// Code in a vec loop may move out of the loop. Scalar code does not move, and no
// code leaves a cold region.
func (c *compiler) floor() int {
	i := len(c.levels) - 1
	for ; i > 0; i-- {
		if k := c.levels[i].kind; k == coldLevel || k == scalarLevel {
			break
		}
	}
	return i
}

func (c *compiler) region(r int32) { c.list(c.k.Regions[r].Code) }

func (c *compiler) list(code []ir.Ins) {
	for i := range code {
		if c.err != nil {
			return
		}
		c.ins(&code[i])
	}
}

func (c *compiler) ins(in *ir.Ins) {
	switch in.Op {
	case prim.Const:
		r := &c.regs[in.Dst]
		r.konst, r.bits = true, in.Imm
		c.code.inits = append(c.code.inits, initial{in.Dst, r.t.Size(), in.Imm, 1})
	case prim.Bitcast:
		c.regs[in.Dst].alias = c.root(in.Args[0]) // the same memory
	case ir.Load, ir.Index:
		c.load(in)
	case ir.Store:
		c.store(in)
	case ir.Scalar:
		c.put(stub{ins: ins{fn: scalarKernel, aux: in.Aux}}, in.Dst, c.floor())
	case ir.Reduce:
		c.reduce(in)
	case ir.Carry:
		c.carry(in)
	case ir.Next:
		c.next(in)
	case ir.Fault:
		c.fault(in)
	case ir.For:
		c.loop(in.Aux)
	case ir.Cold:
		c.cold(in)
	default:
		c.primitive(in)
	}
}

// fault appends the test of a fault. It stays in its loop, even if its condition
// has one lane: a loop without iterations must not raise the fault. The cost is one
// test for each block.
func (c *compiler) fault(in *ir.Ins) {
	s := stub{ins: ins{fn: faultKernel, aux: in.Aux}, dst: -1, reads: []int32{in.Args[0]}}
	if !c.anyVector(s.reads) {
		s.lanes = 1
	}
	c.append(s, len(c.levels)-1)
}

func (c *compiler) root(v int32) int32 { return root(c.regs, v) }

// root returns the register whose memory register v has.
func root(regs []reg, v int32) int32 {
	for regs[v].alias >= 0 {
		v = regs[v].alias
	}
	return v
}

// append adds s to the code of a level. It sets the operands of s from its reads.
func (c *compiler) append(s stub, depth int) {
	for i, r := range s.reads {
		r = c.root(r)
		s.reads[i] = r
		if i < 3 {
			*[3]*int32{&s.a, &s.b, &s.c}[i] = r * regSize
		}
	}
	if s.dst >= 0 {
		s.d = s.dst * regSize
	}
	b := c.levels[depth].blk
	b.code = append(b.code, s)
}

// put appends a one-lane instruction to the level at depth.
func (c *compiler) put(s stub, dst int32, depth int) {
	c.regs[dst].depth = depth
	s.dst, s.lanes = dst, 1
	c.append(s, depth)
}

// putVector appends an instruction that works on a block to the current level.
func (c *compiler) putVector(s stub, dst int32) {
	c.regs[dst].vector = true
	s.dst = dst
	c.append(s, len(c.levels)-1)
}

// anyVector reports whether one of the values is in a vector register.
func (c *compiler) anyVector(vs []int32) bool {
	return slices.ContainsFunc(vs, func(v int32) bool { return c.regs[c.root(v)].vector })
}

// depthOf returns the outermost level to which an instruction with operands vs may
// move. The operands have one lane.
func (c *compiler) depthOf(vs []int32) int {
	d := c.floor()
	for _, v := range vs {
		if r := c.regs[c.root(v)]; !r.konst {
			d = max(d, r.depth)
		}
	}
	return d
}

// inAllLanes returns a vector register with v in every lane. It appends a splat if
// there is none yet.
func (c *compiler) inAllLanes(v int32) int32 {
	v = c.root(v)
	if c.regs[v].vector {
		return v
	}
	if s := c.regs[v].splat; s >= 0 {
		return s
	}
	t, konst, depth := c.regs[v].t, c.regs[v].konst, c.regs[v].depth
	s := c.newReg(t)
	c.regs[v].splat = s
	c.regs[s].vector = true
	if konst {
		c.regs[s].konst = true
		c.code.inits = append(c.code.inits, initial{s, t.Size(), c.regs[v].bits, block})
		return s
	}
	c.append(stub{ins: ins{fn: splatKernels[t.Size()], lanes: block}, dst: s, reads: []int32{v}}, depth)
	return s
}

func (c *compiler) primitive(in *ir.Ins) {
	args := slices.Clone(in.Args[:in.NumArgs()])
	types := lists.Map(args, func(v ir.Value) dtype.Type { return c.k.Types[v] })
	s := stub{reads: args}
	switch in.Op {
	case prim.Cvt:
		s.fn = cvtKernels[types[0]][in.Type]
	case prim.Lookup:
		s.fn = lookupKernels[types[0]][in.Type]
		s.aux = in.Aux
		s.imm = uint64(len(c.k.Tables[in.Aux].Bits) - 1)
	default:
		if in.Op >= prim.NumOps || len(args) == 0 {
			c.fail("%s is no primitive", in.Op)
			return
		}
		t := types[in.Op.Typed()]
		if !c.anyVector(args) {
			s.fn = kernels[in.Op][t][0]
		} else {
			s.fn = c.form(in.Op, t, s.reads)
		}
	}
	if s.fn == nil {
		c.fail("no kernel for %s of %v", in.Op, types)
		return
	}
	if !c.anyVector(s.reads) {
		c.put(s, in.Dst, c.depthOf(args))
		return
	}
	if in.Op == prim.Cvt || in.Op == prim.Lookup {
		s.reads[0] = c.inAllLanes(s.reads[0])
	}
	c.putVector(s, in.Dst)
}

// form returns the kernel for the pattern of one-lane operands, or nil. If there is
// none for the pattern, it replaces some of args by splats. It swaps the operands
// of a commutative primitive if the first has one lane.
func (c *compiler) form(op prim.Op, t dtype.Type, args []int32) kernel {
	one := func(i int) bool { return !c.regs[c.root(args[i])].vector }
	if op.Info().Commutes && one(0) {
		args[0], args[1] = args[1], args[0]
	}
	mask := 0
	for i := range args {
		if one(i) {
			mask |= 1 << i
		}
	}
	for try := mask; ; try = (try - 1) & mask { // the subsets of mask, in descending order
		if fn := kernels[op][t][try]; fn != nil {
			for i := range args {
				if mask&^try>>i&1 != 0 {
					args[i] = c.inAllLanes(args[i])
				}
			}
			return fn
		}
		if try == 0 {
			return nil
		}
	}
}

func (c *compiler) cold(in *ir.Ins) {
	vector := c.vec >= 0
	p, fast := in.Args[0], in.Args[1]
	if vector {
		p, fast = c.inAllLanes(p), c.inAllLanes(fast)
	}
	b := &blk{}
	c.levels = append(c.levels, level{blk: b, kind: coldLevel})
	c.region(in.Aux)
	yield := int32(in.Imm)
	if vector {
		yield = c.inAllLanes(yield)
	}
	c.levels = c.levels[:len(c.levels)-1]
	size := in.Type.Size()
	s := stub{ins: ins{fn: coldKernels[size]}, reads: []int32{p, fast, yield}, body: b}
	if vector {
		c.putVector(s, in.Dst)
	} else {
		c.put(s, in.Dst, len(c.levels)-1)
	}
}

func (c *compiler) loop(n int32) {
	l := &c.k.Loops[n]
	b := &blk{}
	at := level{blk: b, loop: n}
	s := stub{dst: -1, body: b, loop: true}
	for _, a := range l.Axes {
		c.axisLevel[a] = len(c.levels)
	}
	switch l.Kind {
	case ir.Par:
		s.fn = parKernel
		s.aux = n
	case ir.Vec:
		if c.vec >= 0 {
			c.fail("a vec loop in a vec loop")
			return
		}
		at.kind = vecLevel
		s.fn = vecKernel
		s.aux = int32(len(c.code.vecs))
		c.code.vecs = append(c.code.vecs, vecInfo{axes: l.Axes})
		c.vec = len(c.levels)
	case ir.Seq:
		if c.vec < 0 {
			c.fail("a seq loop outside a vec loop")
			return
		}
		at.kind = seqLevel
		s.fn = seqKernel
		s.aux = int32(len(c.code.seqs))
		q := seqInfo{axes: l.Axes}
		q.settled, q.held = c.k.Settled(l.Body)
		c.code.seqs = append(c.code.seqs, q)
	}
	if at.kind == scalarLevel && c.vec >= 0 {
		c.fail("a par loop in a vec loop")
		return
	}
	c.levels = append(c.levels, at)
	if l.Kind == ir.Seq {
		c.steps(l.Body, b, s.aux)
	} else {
		c.region(l.Body)
	}
	c.levels = c.levels[:len(c.levels)-1]
	switch l.Kind {
	case ir.Vec:
		c.vec = -1
		v := &c.code.vecs[s.aux]
		v.ops = len(b.code)
		v.direct = c.directStores(b, n)
	case ir.Seq:
		c.code.seqs[s.aux].ops = len(b.code)
		c.widen(&c.code.seqs[s.aux], b)
		v := &c.code.vecs[len(c.code.vecs)-1]
		v.seqs = append(v.seqs, s.aux)
		for _, r := range c.code.seqs[s.aux].runs {
			s.reads = append(s.reads, c.code.runs[r].dst)
		}
		for _, y := range c.code.seqs[s.aux].carries {
			s.reads = append(s.reads, y.first, y.now, y.next)
		}
		// The loop reads the predicates after all instructions that may be the last to read them.
		s.reads = append(s.reads, c.code.seqs[s.aux].held...)
	}
	c.append(s, len(c.levels)-1)
}

// steps translates the body of seq loop q, whose code is b.
func (c *compiler) steps(body int32, b *blk, q int32) {
	code := c.k.Regions[body].Code
	n := c.code.seqs[q].settled
	c.list(code[:n])
	s := &c.code.seqs[q]
	for i, p := range s.held {
		s.held[i] = c.root(p)
	}
	s.settled = len(b.code)
	c.list(code[n:])
}

// reduce appends the accumulation of a reduction. The loop sets the result when it
// ends, so the result belongs to the enclosing level.
func (c *compiler) reduce(in *ir.Ins) {
	src := c.inAllLanes(in.Args[0])
	arg := c.k.Types[in.Args[0]]
	info := redInfo{row: c.k.Reducer(in), arg: arg, typ: in.Type, dst: in.Dst, src: src, tmp: -1}
	var own bool
	var body *blk
	if info.kern, own = reducerOf(info.row); !own {
		body = c.program(&info)
	}
	switch c.top().kind {
	case vecLevel:
		n := int32(len(c.code.reds))
		c.code.reds = append(c.code.reds, info)
		v := &c.code.vecs[len(c.code.vecs)-1]
		v.reds = append(v.reds, n)
		c.regs[in.Dst].depth = len(c.levels) - 2
		c.append(stub{ins: ins{fn: info.kern.lanes, aux: n}, dst: -1, reads: []int32{src}, body: body}, len(c.levels)-1)
	case seqLevel:
		n := int32(len(c.code.runs))
		info.tmp = c.newReg(arg)
		c.regs[info.tmp].pointer = true
		c.code.runs = append(c.code.runs, info)
		q := &c.code.seqs[c.seqIndex()]
		q.runs = append(q.runs, n)
		c.regs[in.Dst].vector = true
		c.append(stub{ins: ins{fn: info.kern.runs, aux: n}, dst: in.Dst, reads: []int32{src, in.Dst}, apart: true, body: body}, len(c.levels)-1)
	default:
		c.fail("a reduction outside a vec or seq loop")
	}
}

// seqIndex returns the index of the seq loop in translation. Seq loops do not nest.
func (c *compiler) seqIndex() int { return len(c.code.seqs) - 1 }
