package jit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// expandGathers adds the nodes that compute offsets to the body.
func (f *emitter) expandGathers() {
	var walk func(list []int32) []int32
	walk = func(list []int32) []int32 {
		var out []int32
		for _, id := range list {
			n := &f.nodes[id]
			switch n.op {
			case ir.Cold:
				body := walk(n.body)
				f.nodes[id].body = body
			case ir.Load, ir.Store:
				if g := f.bp.sites[n.aux].gather; g != nil {
					out = f.expandGather(out, id, g)
				}
			}
			out = append(out, id)
		}
		return out
	}
	f.top = walk(f.top)
}

func (f *emitter) node(list *[]int32, op prim.Op, t, in dtype.Type, cold bool, args ...int32) int32 {
	n := node{op: op, typ: t, in: in, args: [3]int32{none, none, none}, cold: cold}
	copy(n.args[:], args)
	f.nodes = append(f.nodes, n)
	id := int32(len(f.nodes) - 1)
	if list != nil {
		*list = append(*list, id)
	}
	return id
}

func (f *emitter) constant(t dtype.Type, x uint64) int32 {
	id := f.node(nil, prim.Const, t, t, false)
	f.nodes[id].imm = x
	return id
}

// expandGather adds the nodes that compute the offsets and the mask of an access.
// Strides and extents are constants of the code. Cells would let more bindings share
// the code, but it would be longer.
func (f *emitter) expandGather(out []int32, id int32, g *gatherPlan) []int32 {
	s, cold := &f.bp.sites[f.nodes[id].aux], f.nodes[id].cold
	i64 := func(op prim.Op, a, b int32) int32 { return f.node(&out, op, dtype.I64, dtype.I64, cold, a, b) }
	sum, mask := none, none
	add := func(x int32) {
		if sum != none {
			x = i64(prim.Add, sum, x)
		}
		sum = x
	}
	for _, dim := range g.dims {
		x := dim.coord.node
		if x == none {
			x = f.node(&out, ir.Index, dtype.I64, dtype.I64, cold)
			f.nodes[x].aux = dim.coord.site
		}
		top, zero := f.constant(dtype.I64, uint64(dim.extent-1)), f.constant(dtype.I64, 0)
		switch dim.bounds {
		case ir.Clamped:
			x = i64(prim.Max, i64(prim.Min, x, top), zero)
		case ir.Guarded:
			a := f.node(&out, prim.Le, dtype.Bool, dtype.I64, cold, zero, x)
			b := f.node(&out, prim.Le, dtype.Bool, dtype.I64, cold, x, top)
			a = f.node(&out, prim.And, dtype.Bool, dtype.Bool, cold, a, b)
			if mask != none {
				a = f.node(&out, prim.And, dtype.Bool, dtype.Bool, cold, a, mask)
			}
			mask = a
		}
		switch dim.stride {
		case 0:
		case 1:
			add(x)
		default:
			add(i64(prim.Mul, x, f.constant(dtype.I64, uint64(dim.stride))))
		}
	}
	n := &f.nodes[id]
	switch {
	case s.kind != gatherSite:
		n.args[1] = mask
	case n.op == ir.Store:
		n.args[1] = sum
	default:
		fill := n.args[0]
		n.op, n.args = opGather, [3]int32{sum, mask, fill}
		if mask == none {
			n.args[2] = none
		}
	}
	return out
}

// An owned site has an address that the prologue computes.
type owned struct {
	site *boundSite
	off  int32 // node
}

// settleGathers completes the accesses with computed offsets. It needs the result of
// findUniform. A uniform offset becomes part of the address; a vector instruction can
// then load or store contiguous lanes. To other offsets it adds the affine part of
// each lane.
func (f *emitter) settleGathers() {
	if !f.bp.computes() {
		return
	}
	own := *f.bp // a copy: other variants need the original
	own.sites = slices.Clone(own.sites)
	f.bp = &own
	f.top = f.settleList(f.top, f.ph.kind != scalarPhase)
}

func (f *emitter) settleList(list []int32, outside bool) (out []int32) {
	for _, id := range list {
		n := &f.nodes[id]
		switch n.op {
		case ir.Cold:
			body := f.settleList(n.body, false)
			f.nodes[id].body = body
		case opGather:
			if outside && f.uniform[n.args[0]] && (n.args[1] == none || f.uniform[n.args[1]]) && f.own(n, n.args[0]) {
				n.op, n.args = ir.Load, [3]int32{n.args[2], n.args[1], none}
				break
			}
			out = f.addLanes(out, id, 0)
		case ir.Store:
			if s := &f.bp.sites[n.aux]; s.kind != gatherSite {
				break
			}
			if outside && f.uniform[n.args[1]] && f.own(n, n.args[1]) {
				n.args[1] = none
				break
			}
			out = f.addLanes(out, id, 1)
		}
		out = append(out, id)
	}
	return out
}

// own makes a uniform offset part of the address of an access. It reports whether
// machine code can use the step from lane to lane.
func (f *emitter) own(n *node, off int32) bool {
	s := &f.bp.sites[n.aux]
	step := s.line.Step()
	switch {
	case step == 1:
		s.kind = unitSite
	case n.op == ir.Store:
		return false
	case step == 0:
		s.kind = uniSite
	case s.size < 4 || step >= 1<<24 || step <= -1<<24:
		return false
	default:
		s.kind = strideSite
	}
	s.origin = siteOwn
	f.owned = append(f.owned, owned{s, off})
	return true
}

// addLanes adds lane * step to the offset of access id.
func (f *emitter) addLanes(out []int32, id int32, arg int) []int32 {
	step := f.bp.sites[f.nodes[id].aux].line.Step()
	if step == 0 {
		return out
	}
	cold := f.nodes[id].cold
	lane := f.node(&out, opIota, dtype.I64, dtype.I64, cold)
	f.nodes[lane].imm = uint64(step)
	sum := f.node(&out, prim.Add, dtype.I64, dtype.I64, cold, f.nodes[id].args[arg], lane)
	f.nodes[id].args[arg] = sum
	for range 2 {
		f.uniform, f.uslot, f.home = append(f.uniform, false), append(f.uslot, -1), append(f.home, -1)
	}
	return out
}

// ownAddresses emits the addresses of owned sites.
func (f *emitter) ownAddresses() {
	for _, o := range f.owned {
		f.i(x86.MOV, x86.W64, x86.RAX, f.uniMem(o.off))
		f.i(x86.SHL, x86.W64, x86.RAX, x86.Imm(bits.TrailingZeros(uint(o.site.size))))
		f.i(x86.ADD, x86.W64, x86.RAX, frameAt(o.site.arg+sitePtr))
		f.i(x86.MOV, x86.W64, frameAt(o.site.arg+siteOwn), x86.RAX)
	}
}

// scatter stores lane by lane, in order, through scratch memory. Offsets are in
// elements.
func (f *emitter) scatter(n *node, s *boundSite, t dtype.Type) {
	const values = frameTmp + 128
	f.isa.storeTo(f, n, t, frameAt(values), false)
	offs := f.src(n.args[1])
	f.i(x86.VMOVUPS, x86.L256, frameAt(frameTmp), offs)
	if f.w == 8 { // two stores, which the processor forwards to the loads of single offsets
		high := f.tmp()
		f.i(x86.VEXTRACTF64X4, x86.L512, high, offs, x86.Imm(1))
		f.i(x86.VMOVUPS, x86.L256, frameAt(frameTmp+32), high)
	}
	if f.masked {
		f.isa.tailBits(f)
	}
	load, store := x86.MOV, x86.W64
	from := store
	switch t.Size() {
	case 4:
		from, store = x86.W32, x86.W32
	case 2:
		load, from, store = x86.MOVZXW, x86.W32, x86.W16
	case 1:
		load, from, store = x86.MOVZXB, x86.W32, x86.W8
	}
	for lane := range f.w {
		skip := f.a.NewLabel()
		if f.masked {
			f.i(x86.BT, x86.W32, x86.RAX, x86.Imm(lane))
			f.i(x86.JAE, 0, skip)
		}
		f.i(x86.MOV, x86.W64, x86.RCX, frameAt(s.arg+f.pointer(s)))
		f.i(x86.MOV, x86.W64, x86.RDX, frameAt(frameTmp+8*lane))
		f.i(x86.LEA, x86.W64, x86.RDX, x86.AtX(x86.RCX, x86.RDX, uint8(t.Size()), 0))
		f.i(load, from, x86.RCX, frameAt(values+t.Size()*lane))
		f.i(x86.MOV, store, x86.At(x86.RDX, 0), x86.RCX)
		f.a.Bind(skip)
	}
}
