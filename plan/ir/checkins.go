package ir

import (
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// ins checks one instruction without the regions inside it.
func (c *checker) ins(in *Ins, at place) {
	if in.Op > Next || in.Op == prim.Invalid {
		c.fail("unknown operation")
		return
	}
	if at.pure && in.Op >= prim.NumOps && in.Op != Cold {
		c.fail("the program of a reduction holds primitives only")
		return
	}
	c.failIf(c.ending && in.Op != Next && at.kind == Seq, "only a next follows a next")
	n := in.NumArgs()
	for i, a := range in.Args {
		switch {
		case i >= n && a != None:
			c.fail("operand %d is missing", n+1)
		case i < n:
			c.use(a)
		}
	}
	c.arity(in, n)
	c.dst(in)
	if c.err != nil {
		return
	}
	switch in.Op {
	case Load, Store:
		c.access(in, at)
	case Index:
		c.ix(prim.Ix(in.Imm))
		c.result(in, dtype.I64)
	case Scalar:
		if in.Aux < 0 || int(in.Aux) >= len(c.k.Scalars) {
			c.fail("scalar s%d is not declared", in.Aux)
			return
		}
		c.result(in, c.k.Scalars[in.Aux])
	case Reduce:
		c.reduce(in, at)
	case Fault:
		if k := FaultKind(in.Aux); k != DivideFault && k != IndexFault {
			c.fail("no fault %d", in.Aux)
		}
		c.operand(in, 0, dtype.Bool)
		c.notCold(at)
	case Carry, Next:
		c.carry(in, at)
	case For:
		c.nest(in, at)
	case Cold:
		c.operand(in, 0, dtype.Bool)
		c.operand(in, 1, in.Type)
		c.claim(in.Aux)
		c.failIf(in.Imm >= uint64(len(c.k.Types)), "the cold region yields no value")
	default:
		c.primitive(in)
	}
}

// use checks that a value is visible.
func (c *checker) use(v Value) {
	switch {
	case v < 0 || int(v) >= len(c.k.Types):
		c.fail("there is no %%%d", v)
	case c.visible[v]:
	case c.defined[v]:
		c.fail("%%%d is not visible here", v)
	default:
		c.fail("%%%d is used before its definition", v)
	}
}

func (c *checker) arity(in *Ins, n int) {
	want := 0
	switch in.Op {
	case Store, Reduce, Fault, Carry:
		want = 1
	case Cold, Next:
		want = 2
	case Load:
		if a, ok := element(c.k.Access, in.Aux); ok && a.Bounds == Guarded {
			want = 1
		}
	default:
		if in.Op < prim.NumOps {
			want = in.Op.Info().Arity
		}
	}
	c.failIf(n != want, "%d operands, want %d", n, want)
}

func (c *checker) dst(in *Ins) {
	result := in.Op != Store && in.Op != Fault && in.Op != For
	switch {
	case !result && in.Dst != None:
		c.fail("%s has no result", OpName(in.Op))
	case !result:
	case in.Dst < 0 || int(in.Dst) >= len(c.k.Types):
		c.fail("there is no %%%d", in.Dst)
	case c.defined[in.Dst]:
		c.fail("%%%d is defined twice", in.Dst)
	case c.k.Types[in.Dst] != in.Type:
		c.fail("the kernel says that %%%d is %s", in.Dst, c.k.Types[in.Dst].Short())
	default:
		c.defined[in.Dst] = true
	}
}

func (c *checker) result(in *Ins, want dtype.Type) {
	c.failIf(in.Type != want, "the result is %s", short(want))
}

func (c *checker) operand(in *Ins, i int, want dtype.Type) {
	if c.err != nil {
		return
	}
	if t := c.k.Types[in.Args[i]]; t != want {
		c.fail("operand %d is %s, want %s", i+1, t.Short(), want.Short())
	}
}

func (c *checker) notCold(at place) {
	c.failIf(at.cold, "not allowed in a cold region")
}

// claim marks a region as used. It fails if the region was used before.
func (c *checker) claim(r int32) {
	switch {
	case r < 0 || int(r) >= len(c.regions):
		c.fail("there is no region %d", r)
	case c.regions[r]:
		c.fail("region %d is used twice", r)
	default:
		c.regions[r] = true
	}
}

func (c *checker) access(in *Ins, where place) {
	a, ok := element(c.k.Access, in.Aux)
	if !ok || a.Buf < 0 || int(a.Buf) >= len(c.k.Bufs) {
		c.fail("access %d has no buffer", in.Aux)
		return
	}
	b, store := &c.k.Bufs[a.Buf], in.Op == Store
	if len(a.Coords) != b.Rank {
		c.fail("%d coordinates, but %s has rank %d", len(a.Coords), b.Name, b.Rank)
	}
	for _, x := range a.Coords {
		c.ix(x)
	}
	c.result(in, b.Type.Register())
	switch {
	case a.Bounds > Clamped:
		c.fail("no bounds %d", a.Bounds)
	case store && b.Mode == In:
		c.fail("%s is an input", b.Name)
	case !store && b.Mode == Out:
		c.fail("%s is an output", b.Name)
	case store && a.Bounds != InBounds:
		c.fail("a store stays inside its buffer")
	}
	if store {
		c.notCold(where)
	}
	if store || a.Bounds == Guarded {
		c.operand(in, 0, in.Type)
	}
	if b.Mode == Row {
		c.row(b, &c.rows[a.Buf], store, where)
	}
}

// row checks that a row buffer belongs to one par loop, or to none, and is
// written before it is read.
func (c *checker) row(b *Buf, u *rowUse, store bool, at place) {
	c.failIf(u.touched && u.par != at.par, "row buffer %s is used in two places that do not share a row", b.Name)
	c.failIf(!store && !u.written, "row buffer %s is read before it is written", b.Name)
	u.par, u.touched, u.written = at.par, true, u.written || store
}

// ix checks an index expression and its axes and values.
func (c *checker) ix(ix prim.Ix) {
	if ix < 0 || int(ix) >= len(c.k.Index.Nodes) {
		c.fail("there is no index expression %d", ix)
		return
	}
	for n := range c.k.Nodes(ix) {
		switch n.Op {
		case prim.IxAxis:
			if !c.bound[n.K] {
				c.fail("no loop around binds axis %s", c.k.Axes[n.K])
			}
		case prim.IxValue:
			c.use(Value(n.K))
			if t := c.k.Types[n.K]; t != dtype.I64 {
				c.fail("%%%d is %s; an index is i64", n.K, t.Short())
			}
		case prim.IxMul:
			for m := range c.k.Nodes(n.B) {
				if m.Op == prim.IxAxis || m.Op == prim.IxValue {
					c.fail("the right side of * is not invariant: %s", c.k.IxText(n.B))
				}
			}
		case prim.IxDiv, prim.IxMod:
			if b := c.k.Index.At(n.B); b.Op != prim.IxParam && (b.Op != prim.IxConst || b.K <= 0) {
				c.fail("the divisor is not a parameter or a positive constant: %s", c.k.IxText(n.B))
			}
		}
	}
}

func (c *checker) reduce(in *Ins, at place) {
	if at.cold {
		c.notCold(at)
		return
	}
	c.failIf(at.kind != Vec && at.kind != Seq, "a reduction stands in a vec or seq loop")
	r, ok := element(c.k.Reducers, in.Aux)
	if !ok {
		c.fail("no reduction %d", in.Aux)
		return
	}
	c.failIf(!r.Types().Has(r.Type), "it does not take %s", short(r.Type))
	c.operand(in, 0, r.Type)
	c.result(in, r.Result(r.Type))
}

// carry checks a carry or a next. The first value of a carry comes from outside of
// the loop.
func (c *checker) carry(in *Ins, at place) {
	c.notCold(at)
	if at.kind != Seq {
		c.fail("a %s stands in a seq loop", OpName(in.Op))
	}
	c.operand(in, 0, in.Type)
	if in.Op == Carry {
		if v := in.Args[0]; slices.ContainsFunc(c.k.Regions[at.region].Code, func(x Ins) bool { return x.Dst == v }) {
			c.fail("%%%d is a value of the loop itself", v)
		}
		c.carries = append(c.carries, in.Dst)
		return
	}
	c.operand(in, 1, in.Type)
	c.ending = true
	i := slices.Index(c.carries, in.Args[0])
	if i < 0 {
		c.fail("%%%d is no carry, or has a next", in.Args[0])
		return
	}
	c.carries = slices.Delete(c.carries, i, i+1)
}

// nest checks that a loop is allowed in this region and that no enclosing loop
// binds its axes.
func (c *checker) nest(in *Ins, at place) {
	if in.Aux < 0 || int(in.Aux) >= len(c.loops) {
		c.fail("there is no loop %d", in.Aux)
		return
	}
	c.failIf(c.loops[in.Aux], "loop %d is used twice", in.Aux)
	c.loops[in.Aux] = true
	l := &c.k.Loops[in.Aux]
	c.notCold(at)
	switch l.Kind {
	case Par:
		c.failIf(at.kind != entry, "a par loop stands in the entry region")
	case Vec:
		c.failIf(at.kind != entry && at.kind != Par, "a vec loop stands in the entry region or in a par loop")
	case Seq:
		c.failIf(at.kind != Vec, "a seq loop stands in a vec loop")
	default:
		c.fail("no kind of loop %d", l.Kind)
	}
	c.failIf(len(l.Axes) == 0, "a loop needs an axis")
	for i, a := range l.Axes {
		switch {
		case a < 0 || int(a) >= len(c.k.Axes):
			c.fail("there is no axis %d", a)
			return
		case c.bound[a] || slices.Contains(l.Axes[:i], a):
			c.fail("axis %s is bound already", c.k.Axes[a])
		}
	}
	c.claim(l.Body)
}

// primitive checks the types of an operation of package prim.
func (c *checker) primitive(in *Ins) {
	info := in.Op.Info()
	types := make([]dtype.Type, 0, 3)
	for _, a := range in.Args[:info.Arity] {
		types = append(types, c.k.Types[a])
	}
	var t dtype.Type // the operands' common type
	switch in.Op {
	case prim.Const:
		c.failIf(!fits(in.Type, in.Imm), "the bits do not fit %s", short(in.Type))
		return
	case prim.Select:
		c.operand(in, 0, dtype.Bool)
		t, types = types[2], types[1:]
	case prim.Scale:
		t, types = types[0], types[:1]
		c.operand(in, 1, prim.IntOf(t))
	default:
		t = types[len(types)-1]
	}
	c.failIf(!info.Types.Has(t) || in.Op >= prim.RoundF16 && in.Op <= prim.RoundBF16 && t != dtype.F32, "it does not take %s", short(t))
	for _, u := range types {
		c.failIf(u != t, "operands are %s and %s", short(u), short(t))
	}
	switch {
	case info.Result == prim.IsPred:
		c.result(in, dtype.Bool)
	case info.Result == prim.Same || in.Op == prim.Scale:
		c.result(in, t)
	case in.Op == prim.Bitcast:
		c.failIf(!prim.Num.Has(in.Type) || in.Type.Size() != t.Size(), "the sizes differ")
	case in.Op == prim.Lookup:
		if in.Aux < 0 || int(in.Aux) >= len(c.k.Tables) {
			c.fail("table t%d is not declared", in.Aux)
			return
		}
		c.result(in, c.k.Tables[in.Aux].Type)
	}
}
