package emit

import (
	"math/bits"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/ir"
)

// expandGathers adds the nodes that compute offsets to the body.
func (f *phaseCode) expandGathers() {
	if !slices.ContainsFunc(f.Layout.Sites, func(s layout.Site) bool { return s.Gather != nil }) {
		return
	}
	var loads []int32 // since the last store
	var walk func(list []int32) []int32
	walk = func(list []int32) []int32 {
		var out []int32
		for _, id := range list {
			n := &f.Nodes[id]
			switch n.Op {
			case ir.Cold:
				body := walk(n.Body)
				f.Nodes[id].Body = body
			case ir.Load, ir.Store:
				switch s := &f.Layout.Sites[n.Aux]; {
				case s.Gather == nil:
				case f.takes(n, s, loads):
				case f.Layout.Laid > 0:
					f.chooseRows(n.Aux, s.Gather)
				default:
					out = f.expandGather(out, id, s.Gather)
				}
			}
			if n := &f.Nodes[id]; n.Op == ir.Load {
				loads = append(loads, id)
			} else if n.Op == ir.Store {
				loads = loads[:0]
			}
			out = append(out, id)
		}
		return out
	}
	f.top = walk(f.top)
	if len(f.chosen)+len(f.Takes) > 0 {
		f.dropUnused()
	}
}

// expandGather adds the nodes that compute the offsets and the mask of an access.
func (f *phaseCode) expandGather(out []int32, id int32, g *layout.GatherPlan) []int32 {
	s, cold := &f.Layout.Sites[f.Nodes[id].Aux], f.Nodes[id].Cold
	sum, mask := f.offsets(&out, g, cold, func(c lower.Coord) int32 {
		if c.Node != lower.None {
			return c.Node
		}
		x := f.node(&out, ir.Index, dtype.I64, dtype.I64, cold)
		f.Nodes[x].Aux = c.Site
		return x
	})
	n := &f.Nodes[id]
	switch {
	case s.Kind != layout.Computed:
		n.Args[1] = mask
	case n.Op == ir.Store:
		n.Args[1] = sum
	default:
		fill := n.Args[0]
		n.Op, n.Args = lower.OpGather, [3]int32{sum, mask, fill}
		if mask == lower.None {
			n.Args[2] = lower.None
		}
	}
	return out
}

// offsets adds the nodes that compute offsets and their mask to a list, from the nodes of the
// coordinates. Strides and extents are constants of the code. Cells would let more bindings share
// the code, but it would be longer.
func (f *phaseCode) offsets(list *[]int32, g *layout.GatherPlan, cold bool, coord func(lower.Coord) int32) (sum, mask int32) {
	i64 := func(op prim.Op, a, b int32) int32 { return f.node(list, op, dtype.I64, dtype.I64, cold, a, b) }
	sum, mask = lower.None, lower.None
	add := func(x int32) {
		if sum != lower.None {
			x = i64(prim.Add, sum, x)
		}
		sum = x
	}
	for _, dim := range g.Dims {
		x := coord(dim.Coord)
		top, zero := f.constant(dtype.I64, uint64(dim.Extent-1)), f.constant(dtype.I64, 0)
		switch at := &f.Nodes[x]; {
		case dim.Bounds == ir.Clamped && at.Op == prim.Cvt && at.In.IsUnsigned() && at.In.Size() < 4 && uint64(dim.Extent) > at.In.Mask(): // inside by its type
		case dim.Bounds == ir.Clamped:
			x = i64(prim.Max, i64(prim.Min, x, top), zero)
		case dim.Bounds == ir.Guarded:
			a := f.node(list, prim.Le, dtype.Bool, dtype.I64, cold, zero, x)
			b := f.node(list, prim.Le, dtype.Bool, dtype.I64, cold, x, top)
			a = f.node(list, prim.And, dtype.Bool, dtype.Bool, cold, a, b)
			if mask != lower.None {
				a = f.node(list, prim.And, dtype.Bool, dtype.Bool, cold, a, mask)
			}
			mask = a
		}
		switch dim.Stride {
		case 0:
		case 1:
			add(x)
		default:
			add(i64(prim.Mul, x, f.constant(dtype.I64, uint64(dim.Stride))))
		}
	}
	return sum, mask
}

// settleGathers completes the accesses with computed offsets. It needs the result of
// findUniform. A uniform offset becomes part of the address; a vector instruction can
// then load or store contiguous lanes. To other offsets it adds the affine part of
// each lane.
func (f *phaseCode) settleGathers() {
	if !f.Layout.Computes() {
		return
	}
	own := *f.Layout // a copy: other variants need the original
	own.Sites = slices.Clone(own.Sites)
	f.Layout = &own
	f.top = f.settleList(f.top, f.Phase.Kind != lower.ScalarPhase)
}

func (f *phaseCode) settleList(list []int32, outside bool) (out []int32) {
	for _, id := range list {
		n := &f.Nodes[id]
		switch n.Op {
		case ir.Cold:
			body := f.settleList(n.Body, false)
			f.Nodes[id].Body = body
		case lower.OpGather:
			if outside && f.Uniform[n.Args[0]] && (n.Args[1] == lower.None || f.Uniform[n.Args[1]]) && f.own(n, n.Args[0]) {
				n.Op, n.Args = ir.Load, [3]int32{n.Args[2], n.Args[1], lower.None}
				break
			}
			out = f.addLanes(out, id, 0)
		case ir.Store:
			if s := &f.Layout.Sites[n.Aux]; s.Kind != layout.Computed {
				break
			}
			if outside && f.Uniform[n.Args[1]] && f.own(n, n.Args[1]) {
				n.Args[1] = lower.None
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
func (f *phaseCode) own(n *lower.Node, off int32) bool {
	s := &f.Layout.Sites[n.Aux]
	step := s.Line.Step()
	switch {
	case step == 1:
		s.Kind = layout.Unit
	case n.Op == ir.Store:
		return false
	case step == 0:
		s.Kind = layout.Uniform
	case s.Size < 4 || step >= 1<<24 || step <= -1<<24:
		return false
	default:
		s.Kind = layout.Strided
	}
	s.Origin = frame.SiteOwn
	f.owned = append(f.owned, owned{s, off})
	return true
}

// addLanes adds lane * step to the offset of access id.
func (f *phaseCode) addLanes(out []int32, id int32, arg int) []int32 {
	step := f.Layout.Sites[f.Nodes[id].Aux].Line.Step()
	if step == 0 {
		return out
	}
	cold := f.Nodes[id].Cold
	lane := f.node(&out, lower.OpIota, dtype.I64, dtype.I64, cold)
	f.Nodes[lane].Imm = uint64(step)
	sum := f.node(&out, prim.Add, dtype.I64, dtype.I64, cold, f.Nodes[id].Args[arg], lane)
	f.Nodes[id].Args[arg] = sum
	f.Grow(2)
	return out
}

// ownAddresses emits the addresses of owned sites.
func (f *phaseCode) ownAddresses() {
	for _, o := range f.owned {
		if r := f.Home[o.off]; r >= 0 {
			f.Lanes.OffsetLane(isa.T0, isa.Vec(r), 0)
		} else {
			f.Lanes.UniformInt(isa.T0, o.off)
		}
		f.Int(isa.Shl, isa.T0, isa.K(bits.TrailingZeros(uint(o.site.Size))))
		f.Int(isa.Add, isa.T0, isa.Word(o.site.Arg+frame.SitePtr))
		f.Int(isa.Mov, isa.Word(o.site.Arg+frame.SiteOwn), isa.T0)
	}
}

// chooseRows adds the nodes that compute the offsets of the rows of a site.
func (f *phaseCode) chooseRows(site int32, g *layout.GatherPlan) {
	sum, _ := f.offsets(&f.rowTop, g, false, func(c lower.Coord) int32 { return f.copyToRows(c.Node) })
	c := chosen{site, sum, f.Slots.Take()}
	f.chosen = append(f.chosen, c)
	zero.Put(&f.ChosenSlots, site, c.slot)
}

// copyToRows adds copies of a node, and of those that it needs, to the nodes of rows.
func (f *phaseCode) copyToRows(id int32) int32 {
	n := f.Nodes[id]
	if n.Op == prim.Const || n.Op == lower.OpCell {
		return id
	}
	if to, ok := f.rowNodes[id]; ok {
		return to
	}
	for i, a := range n.Args {
		if a != lower.None {
			n.Args[i] = f.copyToRows(a)
		}
	}
	to := f.node(&f.rowTop, n.Op, n.Type, n.In, false, n.Args[:]...)
	f.Nodes[to].Aux, f.Nodes[to].Imm = n.Aux, n.Imm
	zero.Put(&f.rowNodes, id, to)
	return to
}

// dropUnused leaves out the nodes that only computed offsets.
func (f *phaseCode) dropUnused() {
	used := make([]bool, len(f.Nodes))
	for i := range f.Phase.Reds {
		used[f.Phase.Reds[i].Arg] = true
	}
	for i := range f.Phase.Carries {
		used[f.Phase.Carries[i].Load] = true
	}
	f.top = f.living(f.top, used)
}

// living returns the nodes of a list that are used, or have an effect. It marks their operands as used.
func (f *phaseCode) living(list []int32, used []bool) []int32 {
	var kept []int32
	for _, id := range slices.Backward(list) {
		n := &f.Nodes[id]
		if !used[id] && (n.Op < prim.NumOps || n.Op == ir.Load || n.Op == ir.Index) {
			continue
		}
		for _, a := range n.Args {
			if a != lower.None {
				used[a] = true
			}
		}
		if n.Op == ir.Cold {
			used[n.Yield] = true
			n.Body = f.living(n.Body, used)
		}
		kept = append(kept, id)
	}
	slices.Reverse(kept)
	return kept
}
