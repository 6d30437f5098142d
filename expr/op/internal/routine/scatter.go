package routine

import (
	"math"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// A Combine says what a scatter does with the updates of one element.
type Combine uint8

// The ways to combine.
const (
	Set Combine = iota // the last update is the value
	Add
	Max // NaN if one is NaN
	Min
	Count // Add, of indices that do not count from the end
)

// Scatter returns the routine of an ordered scatter. The operands are indices of
// type int64, updates, and optionally a base. Axes has the axis. The updates
// broadcast to the shape of the result with the axis replaced by the axes of the
// indices. The updates of an element are combined in the order of the indices,
// beginning with the base, or without one with the identity.
func Scatter(how Combine) *tree.Routine {
	return &tree.Routine{
		New:     func(n *tree.Node) func(*tree.Call) error { return newScatter(n, how) },
		Work:    func(n *tree.Node) int { return room(n.Args[0].Shape().Size(), 8) },
		Base:    3,
		Checked: true,
	}
}

func newScatter(n *tree.Node, how Combine) func(*tree.Call) error {
	p := positionsOf(n)
	if how == Count {
		how, p.least = Add, 0
	}
	return kinds[n.DType().Register()].scatter(p, how)
}

// positions are the checked indices of a scatter.
type positions struct {
	name                 string
	axis, size           int // the axis, and its extent in the result
	least                int // the least index: -size or 0
	before, count, after int // elements of the axes before, of the indices, of the axes after
	index                []int64
}

func positionsOf(n *tree.Node) *positions {
	s, axis, count := n.Shape(), n.Axes[0], n.Args[0].Shape().Size()
	return &positions{
		name: n.Op.Constructor(), axis: axis, size: s[axis], least: -s[axis], count: count,
		before: s[:axis].Size(), after: s[axis+1:].Size(),
	}
}

// find sets index to the indices, of which negative ones count from the end. It
// returns an error for the first that is outside.
func (p *positions) find(c *tree.Call) error {
	a := &c.Args[0]
	at := seriesOf(a.Shape, a.Strides)
	p.index, _ = as[int64](c.Work, 0, p.count)
	if at.table == nil && (at.step == 1 || p.count == 1) {
		p.index = elements[int64](a, p.count-1)
	} else {
		for i := range p.index {
			p.index[i] = load[int64](a, at.at(i))
		}
	}
	n, least := int64(p.size), int64(p.least)
	if within(p.index, n) {
		return nil
	}
	lo, hi := int64(0), int64(-1)
	for _, x := range p.index {
		lo, hi = min(lo, x), max(hi, x)
	}
	if lo < least || hi >= n {
		i := slices.IndexFunc(p.index, func(x int64) bool { return x < least || x >= n })
		return failure(tree.ErrIndex, p.name, "index %d at position %v is outside of axis %d of size %d", p.index[i], positionOf(i, a.Shape), p.axis, n)
	}
	if lo < 0 {
		to, _ := as[int64](c.Work, 0, p.count)
		for i, x := range p.index {
			if x < 0 {
				x += n
			}
			to[i] = x
		}
		p.index = to
	}
	return nil
}

// within reports whether all indices are from 0 to n-1: neither x nor n-1-x has a sign.
func within(index []int64, n int64) bool {
	var a, b int64
	for ; len(index) >= 4; index = index[4:] {
		a |= index[0] | (n - 1 - index[0]) | index[1] | (n - 1 - index[1])
		b |= index[2] | (n - 1 - index[2]) | index[3] | (n - 1 - index[3])
	}
	for _, x := range index {
		a |= x | (n - 1 - x)
	}
	return a|b >= 0
}

// positionOf returns the coordinates of element i of a shape, or i of a vector.
func positionOf(i int, s shape.Shape) any {
	if len(s) < 2 {
		return i
	}
	at := make([]int, len(s))
	for k := len(s) - 1; k >= 0; k-- {
		at[k] = i % s[k]
		i /= s[k]
	}
	return at
}

// A scatter is a scatter of elements of type T.
type scatter[T number] struct {
	*positions
	how                Combine
	call               *tree.Call       // of the current run
	out, updates       *tree.Strided    // of its arrays
	rows, along, inner series           // offsets of the updates: along the axes before, of the indices, after
	known              bool             // the series are
	block, blocks      int              // columns of a unit, units of a row
	machine            tree.CombineRows // of rows of a block, whose updates are neighbours or one number and a step apart; or nil
	run                func(worker, lo, hi int)
}

func scatterOf[T number](p *positions, how Combine) func(*tree.Call) error {
	s := &scatter[T]{positions: p, how: how}
	s.run = s.units
	return s.scatter
}

// leastColumns is the number of neighbouring columns that a worker takes at least.
const leastColumns = 64

// scatter runs the scatter. A unit is a range of columns of one row of the axes
// before, so each element of the result belongs to one worker.
func (s *scatter[T]) scatter(c *tree.Call) error {
	if !s.known {
		s.known = true
		s.layout(c)
	}
	if s.aside(c) {
		return nil
	}
	if err := s.find(c); err != nil {
		return err
	}
	s.begin(tree.Elements[T](&c.Out), c)
	if s.count == 0 {
		return nil
	}
	s.call, s.out, s.updates = c, &c.Out, &c.Args[1]
	c.Parallel(s.before*s.blocks, float64(s.count*s.block), s.run)
	s.call, s.out, s.updates, s.index = nil, nil, nil, nil
	return nil
}

// layout sets the series of the updates, and the units.
func (s *scatter[T]) layout(c *tree.Call) {
	u, index, out := &c.Args[1], c.Args[0].Shape, c.Out.Shape
	full := slices.Concat(out[:s.axis], index, out[s.axis+1:])
	st := slices.Clone(u.Strides)
	for i, d := range u.Shape {
		if d != full[i] {
			st[i] = 0
		}
	}
	last := s.axis + len(index)
	s.rows = seriesOf(full[:s.axis], st[:s.axis])
	s.along = seriesOf(index, st[s.axis:last])
	s.inner = seriesOf(full[last:], st[last:])
	s.block = s.after
	if units := 4 * c.Threads; c.Threads > 1 && s.before < units {
		s.block = min(s.after, max(leastColumns, (s.after*s.before+units-1)/units))
	}
	s.blocks = (s.after + s.block - 1) / max(s.block, 1)
	if s.after == 1 {
		s.inner.step = 1
	}
	if s.inner.table == nil && s.inner.step|1 == 1 && s.along.table == nil && c.NewCombine != nil {
		s.machine = c.NewCombine(primitives[s.how], c.Out.Type, s.block, s.inner.step == 0)
	}
}

// primitives are what machine code has for combinations.
var primitives = [...]prim.Op{Set: prim.Cvt, Add: prim.Add, Max: prim.Max, Min: prim.Min}

// aside adds the updates to a copy of a vector in the workspace, which it stores at the end. So it can check each index where
// it uses it, in one pass. Where a copy takes longer than another pass over the indices, it checks them first. It returns false,
// and has stored nothing, for other scatters, and where an index is negative or outside.
func (s *scatter[T]) aside(c *tree.Call) bool {
	if s.how != Add || s.before*s.after != 1 || s.count == 0 || s.along.table != nil || s.along.step < 0 {
		return false
	}
	a := &c.Args[0]
	if at := seriesOf(a.Shape, a.Strides); at.table != nil || at.step != 1 {
		return false
	}
	index, v := elements[int64](a, s.count-1), elements[T](&c.Args[1], s.along.step*(s.count-1))
	out, inside, t := tree.Elements[T](&c.Out), true, dtype.Of[T]()
	long := s.count < s.size || s.size*t.Size() > copiedBytes && s.count < copiedShare*s.size
	if long && !within(index, int64(s.size)) {
		return false
	}
	if s.along.step == 0 && t.IsInt() && t.Size() == 8 && !long && uint64(s.count) <= math.MaxUint32 { // of half the size
		counts, _ := as[uint32](c.Work, 0, s.size)
		clear(counts)
		untilStopped(c, 0, s.count, func(lo, hi int) { inside = inside && addChecked(counts, index[lo:hi], []uint32{1}, 0) })
		if !inside || c.Stopped() {
			return inside
		}
		s.begin(out, c)
		for i, n := range counts {
			out[i] += v[0] * T(n)
		}
		return true
	}
	to := out
	if !long {
		to, _ = as[T](c.Work, 0, s.size)
	}
	s.begin(to, c)
	untilStopped(c, 0, s.count, func(lo, hi int) {
		inside = inside && addChecked(to, index[lo:hi], v[lo*s.along.step:], s.along.step)
	})
	if long || !inside || c.Stopped() {
		return long || inside
	}
	copy(out, to)
	return true
}

// Vectors of so many bytes are in the second-level cache, where a copy is fast. So many updates for each element take longer than one
// anywhere.
const copiedBytes, copiedShare = 1 << 20, 8

// addChecked adds every step-th of v to the elements at the indices, in their order. It
// returns false at the first index outside.
func addChecked[T number](to []T, index []int64, v []T, step int) bool {
	n, done := uint64(len(to)), 0
	switch step {
	case 0:
		x := v[0]
		for i := 3; i < len(index); i += 4 {
			a, b, c, d := uint64(index[i-3]), uint64(index[i-2]), uint64(index[i-1]), uint64(index[i])
			if a >= n || b >= n || c >= n || d >= n {
				return false
			}
			to[a] += x
			to[b] += x
			to[c] += x
			to[d] += x
		}
		done = len(index) &^ 3
	case 1:
		v = v[:len(index)]
		for i := 3; i < len(index); i += 4 {
			a, b, c, d := uint64(index[i-3]), uint64(index[i-2]), uint64(index[i-1]), uint64(index[i])
			if a >= n || b >= n || c >= n || d >= n {
				return false
			}
			to[a] += v[i-3]
			to[b] += v[i-2]
			to[c] += v[i-1]
			to[d] += v[i]
		}
		done = len(index) &^ 3
	}
	for i := done; i < len(index); i++ {
		at := uint64(index[i])
		if at >= n {
			return false
		}
		to[at] += v[i*step]
	}
	return true
}

// begin sets out to the base, or to the identity.
func (s *scatter[T]) begin(out []T, c *tree.Call) {
	if len(c.Args) < 3 {
		var zero T
		v := identity[T](s.how)
		if v == zero {
			clear(out)
			return
		}
		for i := range out {
			out[i] = v
		}
		return
	}
	base := &c.Args[2]
	if shape.IsContiguous(base.Shape, base.Strides) {
		copy(out, tree.Elements[T](base)) // nothing, if base is out
		return
	}
	i := 0
	shape.Each(base.Shape, base.Strides, 0, func(off int) {
		out[i] = load[T](base, off)
		i++
	})
}

// identity returns the value with which a combination begins.
func identity[T number](how Combine) (v T) {
	least, greatest := bounds[T]()
	switch how {
	case Max:
		return least
	case Min:
		return greatest
	}
	return 0
}

// bounds returns the least and the greatest value of a type.
func bounds[T number]() (least, greatest T) {
	t := dtype.Of[T]()
	if t.IsFloat() {
		inf := math.Inf(1)
		return T(-inf), T(inf)
	}
	if t.IsSigned() {
		least = tree.FromBits[T](t.Mask() ^ t.Mask()>>1)
	}
	return least, least - 1 // integers wrap
}

// leastAsked is the number of updates of a unit from which on a worker asks in it whether to stop.
const leastAsked = 1 << 10

func (s *scatter[T]) units(_, lo, hi int) {
	for u := lo; u < hi; u++ {
		row, from := u/s.blocks, u%s.blocks*s.block
		out := tree.Elements[T](s.out)[row*s.size*s.after:]
		some := func(first, end int) {
			s.columns(out[from:], s.rows.at(row), from, min(s.block, s.after-from), first, end)
		}
		if s.count < leastAsked { // a question takes as long as some updates
			some(0, s.count)
		} else {
			untilStopped(s.call, 0, s.count, some)
		}
	}
}

// columns scatters rows first..end of the updates, at offset off, to columns lo..lo+width. out begins with column lo.
func (s *scatter[T]) columns(out []T, off, lo, width, first, end int) {
	u, index, step := s.updates, s.index[first:end], s.along.step
	neighbours := s.inner.table == nil && s.inner.step == 1
	switch {
	case s.machine != nil && width == s.block:
		from := address[T](u, off+first*step+lo*s.inner.step)
		s.machine(unsafe.Pointer(&out[0]), unsafe.Pointer(from), index, s.size, s.after, step)
		return
	case s.how == Add && neighbours && s.along.table == nil && step >= 0 && off >= 0:
		v := elements[T](u, off+step*(s.count-1)+lo+width-1)[off+first*step+lo:]
		addRows(out, v, index, s.after, width, step)
		return
	}
	for j, at := range index {
		to, from := out[int(at)*s.after:][:width], off+s.along.at(first+j)
		switch {
		case neighbours:
			for k, x := range unsafe.Slice(address[T](u, from+lo), width) {
				to[k] = combine(s.how, to[k], x)
			}
		case s.how == Add && s.inner.table == nil && s.inner.step == 0:
			x := load[T](u, from)
			for k := range to {
				to[k] += x
			}
		default:
			for k := range to {
				to[k] = combine(s.how, to[k], load[T](u, from+s.inner.at(lo+k)))
			}
		}
	}
}

// addRows adds rows of width neighbouring updates, step apart, to rows of out, after apart, at the
// indices.
func addRows[T number](out, v []T, index []int64, after, width, step int) {
	for j, at := range index {
		to, from := out[int(at)*after:][:width], v[j*step:][:width]
		for k, x := range from {
			to[k] += x
		}
	}
}

func combine[T number](how Combine, a, b T) T {
	switch how {
	case Add:
		return a + b
	case Max:
		return max(a, b)
	case Min:
		return min(a, b)
	}
	return b
}
