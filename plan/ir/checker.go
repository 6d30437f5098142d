package ir

import (
	"fmt"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// entry is the kind of a region that is not the body of a loop.
const entry LoopKind = 255

// A place describes the region that holds an instruction.
type place struct {
	region int32
	kind   LoopKind // kind of the loop whose body the region is
	par    int32    // the par loop around it, or -1
	cold   bool
	pure   bool  // the region belongs to the program of a reduction
	yield  Value // of a cold region
}

type rowUse struct {
	par     int32
	touched bool
	written bool
}

type checker struct {
	k       *Kernel
	in      *Ins // the instruction being checked, for errors
	reg     int32
	defined []bool   // by value: defined in any region
	visible []bool   // by value: visible here
	regions []bool   // referred to
	loops   []bool   // referred to
	bound   []bool   // by axis: an enclosing loop binds it
	inner   []bool   // by axis: a vec or seq loop binds it
	carries []Value  // of the open seq loop, without a next so far
	ending  bool     // the open seq loop has a next
	rows    []rowUse // by buffer
	err     error    // the first error; checking stops there
}

func (c *checker) fail(format string, args ...any) {
	if c.err != nil {
		return
	}
	where := ""
	if c.in != nil {
		where = fmt.Sprintf("region %d: %s: ", c.reg, c.k.InsText(c.in))
	}
	c.err = fmt.Errorf("ir: %s: %s%s", c.k.Name, where, fmt.Sprintf(format, args...))
}

// A short is a type whose text is its short name.
type short dtype.Type

func (t short) String() string { return dtype.Type(t).Short() }

// failIf fails if bad holds. Arguments that are texts take memory where nothing fails, too: frequent rules have none.
func (c *checker) failIf(bad bool, format string, args ...any) {
	if bad {
		c.fail(format, args...)
	}
}

func (c *checker) declarations() {
	k := c.k
	c.failIf(!isName(k.Name), "%q cannot name a kernel", k.Name)
	for i, a := range k.Axes {
		c.failIf(!isAxisName(a), "%q cannot name an axis", a)
		c.failIf(slices.Contains(k.Axes[:i], a), "axis %s is declared twice", a)
	}
	c.failIf(k.Params < 0, "%d parameters", k.Params)
	for i := range k.Bufs {
		c.buf(&k.Bufs[i])
		if slices.ContainsFunc(k.Bufs[:i], func(b Buf) bool { return b.Name == k.Bufs[i].Name }) {
			c.fail("buffer %s is declared twice", k.Bufs[i].Name)
		}
	}
	for i, t := range k.Scalars {
		c.failIf(!prim.Any.Has(t), "scalar s%d: %s is not a register type", i, short(t))
	}
	for i, t := range k.Tables {
		c.table(i, t)
	}
	for v, t := range k.Types {
		c.failIf(!prim.Any.Has(t), "%%%d: %s is not a register type", v, short(t))
	}
	c.failIf(len(k.Regions) == 0, "no entry region")
}

func (c *checker) buf(b *Buf) {
	switch {
	case !isName(b.Name):
		c.fail("%q cannot name a buffer", b.Name)
	case !b.Type.Valid() || b.Type.IsComplex():
		c.fail("buffer %s has no type", b.Name)
	case b.Mode > Row:
		c.fail("buffer %s has no mode", b.Name)
	case b.Rank < 0:
		c.fail("buffer %s has rank %d", b.Name, b.Rank)
	case b.Mode != Row && len(b.Axes) > 0:
		c.fail("buffer %s has axes but is not a row buffer", b.Name)
	case b.Mode == Row && b.Rank != len(b.Axes):
		c.fail("row buffer %s has rank %d and %d axes", b.Name, b.Rank, len(b.Axes))
	}
	for i, a := range b.Axes {
		if a < 0 || int(a) >= len(c.k.Axes) {
			c.fail("row buffer %s: no axis %d", b.Name, a)
		} else if slices.Contains(b.Axes[:i], a) {
			c.fail("row buffer %s: axis %s twice", b.Name, c.k.Axes[a])
		}
	}
}

func (c *checker) table(i int, t Table) {
	n := len(t.Bits)
	c.failIf(!prim.Num.Has(t.Type), "table t%d: %s is not a number type of registers", i, short(t.Type))
	c.failIf(n < 2 || n > 64 || n&(n-1) != 0, "table t%d has %d entries, not a power of two from 2 to 64", i, n)
	for _, bits := range t.Bits {
		c.failIf(!fits(t.Type, bits), "table t%d: %#x does not fit %s", i, bits, short(t.Type))
	}
}

// fits reports whether bits are a constant of type t.
func fits(t dtype.Type, bits uint64) bool {
	if t == dtype.Bool {
		return bits <= 1
	}
	return bits>>(8*uint(t.Size())-1)>>1 == 0
}

// index checks that nodes of index expressions refer to declared things and
// earlier nodes. Rules about their use are checked at each use.
func (c *checker) index() {
	for i, n := range c.k.Index.Nodes {
		if ix := prim.Ix(i); n.Op >= prim.IxAdd && (n.A < 0 || n.B < 0 || n.A >= ix || n.B >= ix) {
			c.fail("index expression %d refers to %d and %d", i, n.A, n.B)
			return
		}
		switch n.Op {
		case prim.IxConst, prim.IxAdd, prim.IxMul, prim.IxDiv, prim.IxMod:
		case prim.IxParam:
			c.failIf(n.K < 0 || n.K >= int64(c.k.Params), "index expression %d: no parameter %d", i, n.K)
		case prim.IxAxis:
			c.failIf(n.K < 0 || n.K >= int64(len(c.k.Axes)), "index expression %d: no axis %d", i, n.K)
		case prim.IxValue:
			c.failIf(n.K < 0 || n.K >= int64(len(c.k.Types)), "index expression %d: no value %%%d", i, n.K)
		default:
			c.fail("index expression %d: no operation %d", i, n.Op)
		}
	}
}
