package interp

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A siteInfo is a Load, Store or Index in its loop. If several loops use one access
// of a kernel, each has its own siteInfo.
type siteInfo struct {
	access int32 // index in Kernel.Access; -1 for an Index
	ix     prim.Ix
	vec    int32   // the vec loop of its lanes, or -1 for one lane
	values []int32 // registers of the values in the index expressions
	guard  []int32 // the loops that it was moved out of; it loads nothing if one has no iterations
	view   bool    // the register may point at the array itself
}

// exprs returns the axes and values of the index expressions of in.
func (c *compiler) exprs(in *ir.Ins) (axes, values []int32) {
	for ix := range c.k.Exprs(in) {
		for n := range c.k.Nodes(ix) {
			switch n.Op {
			case prim.IxAxis:
				axes = append(axes, int32(n.K))
			case prim.IxValue:
				values = append(values, int32(n.K))
			}
		}
	}
	return axes, values
}

// load translates a Load or an Index. If it is the same in all lanes, it becomes a
// one-lane instruction and moves out of the loops that it does not depend on.
func (c *compiler) load(in *ir.Ins) {
	axes, values := c.exprs(in)
	s := stub{reads: slices.Clone(in.Args[:in.NumArgs()]), apart: true}
	fills := len(s.reads)
	s.reads = append(s.reads, values...)
	info := siteInfo{access: -1, vec: -1, values: values}
	moves := true
	if in.Op == ir.Load {
		info.access = in.Aux
		b := &c.k.Bufs[c.k.Access[in.Aux].Buf]
		s.fn = loadKernels[b.Type]
		moves = c.vec < 0 || !c.stored(c.levels[c.vec].loop, c.k.Access[in.Aux].Buf)
		info.view = moves && (b.Mode == ir.In || b.Mode == ir.Row) && viewable(b.Type)
	} else {
		info.ix = prim.Ix(in.Imm)
		s.fn = indexKernel
	}
	s.site, s.load, s.aux = loadSite, true, int32(len(c.code.sites))
	vector := c.vec >= 0 && (!moves || c.anyVector(s.reads) ||
		slices.ContainsFunc(axes, func(a int32) bool { return c.axisLevel[a] == c.vec }))
	if vector {
		if fills > 0 {
			s.reads[0] = c.inAllLanes(s.reads[0])
		}
		info.vec = int32(len(c.code.vecs) - 1)
		c.code.sites = append(c.code.sites, info)
		c.putVector(s, in.Dst)
		return
	}
	info.view = false
	depth := c.depthOf(s.reads)
	for _, a := range axes {
		depth = max(depth, c.axisLevel[a])
	}
	for _, l := range c.levels[depth+1:] {
		if l.kind == vecLevel || l.kind == seqLevel {
			info.guard = append(info.guard, l.loop)
		}
	}
	c.code.sites = append(c.code.sites, info)
	c.put(s, in.Dst, depth)
}

// viewable reports whether elements of t have the same bits in memory and in a
// register. Bool may have other bits than 1 in memory, and halves are float32 in
// registers.
func viewable(t dtype.Type) bool { return t != dtype.Bool && !t.IsHalf() }

// stored reports whether loop l has a store to a buffer.
func (c *compiler) stored(l int32, buf int32) bool {
	return c.uses(c.k.Loops[l].Body, ir.Store, buf) > 0
}

// uses counts the loads or stores of a buffer in a region.
func (c *compiler) uses(r int32, op prim.Op, buf int32) (n int) {
	for i := range c.k.Regions[r].Code {
		in := &c.k.Regions[r].Code[i]
		if in.Op == op && c.k.Access[in.Aux].Buf == buf {
			n++
		}
		if b := c.k.Body(in); b >= 0 {
			n += c.uses(b, op, buf)
		}
	}
	return n
}

func (c *compiler) store(in *ir.Ins) {
	_, values := c.exprs(in)
	b := &c.k.Bufs[c.k.Access[in.Aux].Buf]
	info := siteInfo{access: in.Aux, vec: -1, values: values}
	s := stub{ins: ins{fn: storeKernels[b.Type], aux: int32(len(c.code.sites))}, dst: -1, site: storeSite}
	v := in.Args[0]
	if c.vec >= 0 {
		v = c.inAllLanes(v)
		info.vec = int32(len(c.code.vecs) - 1)
	} else {
		s.lanes = 1
	}
	s.reads = append([]int32{v}, values...)
	c.code.sites = append(c.code.sites, info)
	c.append(s, len(c.levels)-1)
}

// directStores returns the stores of a vec loop whose value an instruction can
// write to the array directly. The instruction must be a plain one in the body of
// the loop. The kernel must have no other store to the array, and the loop no load
// of it.
func (c *compiler) directStores(b *blk, loop int32) (out []directStore) {
	body := c.k.Loops[loop].Body
	taken := map[int32]bool{}
	for i := range b.code {
		s := &b.code[i]
		if s.site != storeSite || len(s.reads) != 1 {
			continue
		}
		info := &c.code.sites[s.aux]
		buf := c.k.Access[info.access].Buf
		t, v := c.k.Bufs[buf].Type, s.reads[0]
		if !viewable(t) && t != dtype.Bool || taken[v] || c.uses(body, ir.Load, buf) > 0 || c.uses(0, ir.Store, buf) > 1 {
			continue
		}
		plain := false
		for j := range b.code[:i] {
			if d := &b.code[j]; d.dst == v {
				plain = d.body == nil && !d.apart && d.site == noSite
			}
		}
		if plain {
			taken[v] = true
			out = append(out, directStore{v, s.aux})
		}
	}
	return out
}
