package cudagen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Layout is what the text of a kernel depends on, with the kernel: how its
// loops collapse into dimensions, along which dimensions an access is contiguous
// or constant, the width of indices. All other numbers are arguments of the
// launch. [LayoutOf] makes it.
type Layout struct {
	wide  bool // 64-bit indices
	dims  int  // of all loops
	loops []loopLayout
	sites []siteLayout // Loads, Stores and Indexes, in the order of Kernel.All
	forms []formLayout
	nodes []nodeLayout // by index expression
}

// A loopLayout is a loop as nested loops over dimensions, the innermost last.
type loopLayout struct {
	dims  []int      // numbers
	axes  []axisForm // axes whose positions are needed
	width int        // lanes of a vector access along the last dimension, or 1
	tail  bool       // some positions are left over from vectors
	split bool       // the runs of a column, or the blocks of a row, are computed in parallel
	tile  tileLayout // of a vec loop with transposed operands
	rows  rowLayout  // of a par loop
}

// An axisForm is the position on an axis.
type axisForm struct {
	axis int32
	form int
}

// A formLayout is an affine expression over dimensions: the sum of the values of
// the dimensions times coefficients. Those of arrays are element offsets; their
// constant is part of the pointer.
type formLayout struct {
	buf   int32 // or -1
	base  int   // of a row buffer; the pointer of other arrays includes it
	terms []termLayout
}

// A termLayout is a dimension with a coefficient, which is an argument unless
// it is one.
type termLayout struct {
	dim int
	one bool
}

// A siteLayout is a Load, Store or Index where it stands. The offset is the form
// and, for each coordinate that is not affine or may lie outside, the
// coordinate times its stride.
type siteLayout struct {
	form   int // -1 for an Index
	coords []coordLayout
	pack   bool // a vector access of the loop
	tile   bool // through a tile in shared memory
}

type coordLayout struct {
	dim    int // of the array
	bounds ir.Bounds
}

// A nodeLayout says how an index expression can be computed.
type nodeLayout struct {
	narrow   bool // in 32 bits
	positive bool // never negative
}

// A rowLayout says how a par loop is divided: how many rows a thread block has at
// once, and how many warps a row has.
type rowLayout struct {
	rows, warps int
	shared      bool // row buffers and partial results are in shared memory
	staged      bool // so are the values that a row adds up
}

// String is equal for layouts that give equal text.
func (l Layout) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "wide=%t dims=%d", l.wide, l.dims)
	for _, x := range l.loops {
		fmt.Fprintf(&w, " loop%v", x)
	}
	for _, x := range l.sites {
		fmt.Fprintf(&w, " site%v", x)
	}
	for _, x := range l.forms {
		fmt.Fprintf(&w, " form%v", x)
	}
	for _, x := range l.nodes {
		fmt.Fprintf(&w, " node%v", x)
	}
	return w.String()
}

// LayoutOf is the layout of k with the extents, parameters and strides of b.
// The addresses of the arrays on the device, by buffer, decide whether vector
// accesses are aligned and whether arrays overlap. The addresses of row buffers
// and the Ptr fields of b have no effect.
func LayoutOf(k *ir.Kernel, b *ir.Binding, addresses []uint64, d Device) (Layout, error) {
	n, err := bind(k, b, d)
	if err != nil {
		return Layout{}, fmt.Errorf("cudagen: %s: %w", k.Name, err)
	}
	if len(addresses) != len(k.Bufs) {
		return Layout{}, fmt.Errorf("cudagen: %s: %d addresses of %d buffers", k.Name, len(addresses), len(k.Bufs))
	}
	n.packs(addresses)
	return n.layout, nil
}

// Wide is the layout with 64-bit indices, which serve arrays of every size.
func (l Layout) Wide() Layout {
	l.wide = true
	return l
}

// A numbers is a kernel with the numbers of a binding: its layout, and what the
// layout leaves open.
type numbers struct {
	*bound.Kernel
	k       *ir.Kernel
	b       *ir.Binding
	device  Device
	layout  Layout
	extents []int // by dimension
	forms   []formNumbers
	loops   []boundLoop
	sites   []boundSite
}

type formNumbers struct {
	base  int   // elements
	coefs []int // by term
}

// A boundLoop is a loop in its place.
type boundLoop struct {
	loop   int32
	outer  int // the loop around, or -1
	sites  []int
	needed []int32 // axes of this loop whose positions are needed
	groups [][]int // the digits of each dimension
}

// A boundSite is a site under construction.
type boundSite struct {
	in     *ir.Ins
	loop   int // the innermost around, or -1
	cold   bool
	offset bound.Form
	coords []coordLayout
}

// bind analyses k with the numbers of b.
func bind(k *ir.Kernel, b *ir.Binding, d Device) (*numbers, error) {
	a, err := bound.New(k, b, true)
	if err != nil {
		return nil, err
	}
	n := &numbers{Kernel: a, k: k, b: b, device: d, loops: make([]boundLoop, len(k.Loops))}
	n.layout.loops = make([]loopLayout, len(k.Loops))
	n.collect(0, -1, false)
	for i := range n.loops {
		n.dimensions(i)
	}
	for i := range n.loops {
		l := &n.layout.loops[i]
		l.width = 1
		for _, axis := range n.loops[i].needed {
			l.axes = append(l.axes, axisForm{axis, n.form(-1, i, a.Axis(axis))})
		}
	}
	for i := range n.sites {
		s := &n.sites[i]
		out := siteLayout{form: -1, coords: s.coords}
		if s.in.Op != ir.Index {
			out.form = n.form(k.Access[s.in.Aux].Buf, s.loop, s.offset)
		}
		n.layout.sites = append(n.layout.sites, out)
	}
	n.layout.dims = len(n.extents)
	n.width()
	n.rows()
	n.tiles()
	n.split()
	n.splitRows()
	return n, nil
}

// collect finds the sites of a region and the regions inside it.
func (n *numbers) collect(region int32, loop int, cold bool) {
	code := n.k.Regions[region].Code
	for i := range code {
		in := &code[i]
		switch in.Op {
		case ir.For:
			n.loops[in.Aux] = boundLoop{loop: in.Aux, outer: loop}
			n.collect(n.k.Loops[in.Aux].Body, int(in.Aux), false)
		case ir.Cold:
			n.collect(in.Aux, loop, true)
		case ir.Load, ir.Store, ir.Index:
			s := boundSite{in: in, loop: loop, cold: cold}
			if in.Op == ir.Index {
				n.need(prim.Ix(in.Imm), loop)
			} else {
				n.offset(&s)
			}
			for l := loop; l >= 0; l = n.loops[l].outer {
				n.loops[l].sites = append(n.loops[l].sites, len(n.sites))
			}
			n.sites = append(n.sites, s)
		}
	}
}

// offset splits the element offset of an access.
func (n *numbers) offset(s *boundSite) {
	a := &n.Access[s.in.Aux]
	s.offset = a.Offset
	for i := range a.Dims {
		if d := &a.Dims[i]; !d.Direct() {
			s.coords = append(s.coords, coordLayout{i, d.Bounds})
			n.need(d.Ix, s.loop)
		}
	}
}

// need notes the axes of an expression that is computed from positions.
func (n *numbers) need(ix prim.Ix, loop int) {
	for x := range n.k.Nodes(ix) {
		if x.Op != prim.IxAxis {
			continue
		}
		for l := loop; l >= 0; l = n.loops[l].outer {
			if b := &n.loops[l]; slices.Contains(n.k.Loops[l].Axes, int32(x.K)) && !slices.Contains(b.needed, int32(x.K)) {
				b.needed = append(b.needed, int32(x.K))
			}
		}
	}
}

// dimensions collapses loop i: axes of one position are dropped, and neighbours
// joined where every access goes through them with one step. A loop without
// reductions is free to take its digits in the order of the strides of what it
// stores.
func (n *numbers) dimensions(i int) {
	l := &n.loops[i]
	def := &n.k.Loops[i]
	order := n.Order(def.Axes)
	var all []bound.Form
	for _, s := range l.sites {
		if n.sites[s].in.Op != ir.Index {
			all = append(all, n.sites[s].offset)
		}
	}
	if def.Kind == ir.Vec && !n.reduces(def.Body) {
		for _, s := range l.sites {
			if n.sites[s].in.Op == ir.Store {
				coef := n.sites[s].offset.Coef
				slices.SortStableFunc(order, func(x, y int) int { return abs(coef[y]) - abs(coef[x]) })
				break
			}
		}
	}
	for _, axis := range l.needed {
		all = append(all, n.Axis(axis))
	}
	l.groups = n.Join(order, all)
	for _, g := range l.groups {
		e := 1
		for _, d := range g {
			e *= n.Digits[d].Extent
		}
		n.layout.loops[i].dims = append(n.layout.loops[i].dims, len(n.extents))
		n.extents = append(n.extents, e)
	}
}

// reduces reports whether a reduction stands in a region, loops inside it aside.
func (n *numbers) reduces(region int32) bool {
	return slices.ContainsFunc(n.k.Regions[region].Code, func(in ir.Ins) bool { return in.Op == ir.Reduce })
}

// form adds an affine expression in a loop.
func (n *numbers) form(buf int32, loop int, x bound.Form) int {
	f := formLayout{buf: buf}
	v := formNumbers{base: x.C}
	if buf >= 0 && n.k.Bufs[buf].Mode == ir.Row {
		f.base = x.C
	}
	var loops []int
	for l := loop; l >= 0; l = n.loops[l].outer {
		loops = append(loops, l)
		if buf < 0 {
			break // the position on an axis of this loop
		}
	}
	slices.Reverse(loops)
	for _, l := range loops {
		for i, dim := range n.layout.loops[l].dims {
			g := n.loops[l].groups[i]
			if k := x.Coef[g[len(g)-1]]; k != 0 {
				f.terms = append(f.terms, termLayout{dim, k == 1})
				v.coefs = append(v.coefs, k)
			}
		}
	}
	n.layout.forms = append(n.layout.forms, f)
	n.forms = append(n.forms, v)
	return len(n.forms) - 1
}

func abs(x int) int { return max(x, -x) }
