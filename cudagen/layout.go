package cudagen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Layout and a kernel determine the text of the source. The layout says how the
// loops collapse into dimensions, along which dimensions an access is contiguous
// or uniform, and how wide indices are. All other numbers are arguments of the
// launch. [LayoutOf] returns a layout.
type Layout struct {
	wide  bool         // indices have 64 bits
	dims  int          // number of dimensions of all loops
	loops []loopLayout // by loop of the kernel
	sites []siteLayout // Loads, Stores and Indexes, in the order of Kernel.All
	forms []formLayout
	nodes []nodeLayout // by index expression

	copies []copyLayout
}

// A copyLayout is a copy in shared memory of what a load of a row has loaded.
type copyLayout struct {
	par   int32
	first int   // site of the load
	row   int32 // the row buffer with the memory of the copy, or -1
}

// A loopLayout is a loop as nested loops over dimensions, the innermost last.
type loopLayout struct {
	dims     []int      // numbers of the dimensions
	axes     []axisForm // axes whose positions the code computes
	width    int        // lanes of a vector access along the last dimension, or 1
	shift    int        // positions by which the first vector of a row begins before it
	edges    bool       // the first or the last vector of a row is not whole
	together int        // without vectors: positions that a thread loads together
	split    bool       // threads reduce the runs of a column, or the blocks of a row, in parallel
	columns  int        // columns of a thread block that combines their runs
	alone    bool       // one thread combines the blocks of a row
	direct   bool       // a warp that reduces a block of a row computes the operands
	tile     tileLayout // tiles of a vec loop with transposed operands
	rows     rowLayout  // division of a par loop
}

// An axisForm is the form that gives the position on an axis.
type axisForm struct {
	axis int32
	form int
}

// A formLayout is an affine expression: the sum of dimensions times coefficients.
// The form of an array is an offset in elements. The pointer to the array includes
// the constant.
type formLayout struct {
	buf   int32 // buffer that the form addresses, or -1
	base  int   // constant, for a row buffer only
	terms []termLayout
}

// A termLayout is a dimension with a coefficient. The coefficient is an argument
// unless it is 1.
type termLayout struct {
	dim int
	one bool
}

// A siteLayout is a Load, Store or Index in its loop. The offset is the value of
// the form plus coordinate times stride for each entry of coords. These
// coordinates are not affine or may lie outside the array.
type siteLayout struct {
	form   int // index in Layout.forms; -1 for an Index
	coords []coordLayout
	pack   bool // the loop accesses the array in vectors
	near   neighbour
	tile   bool // the loop reads the array through a tile in shared memory
	stage  bool // a store to a row buffer: an ordered reduction of the loop reads its operands there

	makesCopy, readsCopy int // numbers of copies of a row, counted from 1; 0: none
}

// A neighbour is the load whose vectors have elements of another load too.
type neighbour struct {
	site int // counted from 1; 0: none
	by   int // position of the first element of a vector of the other load in the vector of this one
}

type coordLayout struct {
	dim    int // dimension of the array
	bounds ir.Bounds
}

// A nodeLayout says how the code can compute an index expression.
type nodeLayout struct {
	narrow   bool // 32 bits hold the value and all operands
	positive bool // the value is never negative
}

// A rowLayout says how a par loop is divided.
type rowLayout struct {
	rows, warps int  // rows of a thread block at once, and warps of a row
	shared      bool // row buffers and partial results are in shared memory
	staged      bool // operands of ordered reductions are in shared memory too
}

// String returns l as text. Layouts with the same string give the same code.
func (l Layout) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "wide=%t dims=%d", l.wide, l.dims)
	writeEach(&w, "loop", l.loops)
	writeEach(&w, "site", l.sites)
	writeEach(&w, "form", l.forms)
	writeEach(&w, "node", l.nodes)
	writeEach(&w, "copy", l.copies)
	return w.String()
}

func writeEach[T any](w *strings.Builder, name string, list []T) {
	for _, x := range list {
		fmt.Fprintf(w, " %s%v", name, x)
	}
}

// LayoutOf returns the layout of k with the extents, parameters and strides of b.
// addresses has the device address of each buffer. The addresses decide whether
// vector accesses are aligned and whether arrays overlap. The addresses of row
// buffers and the Ptr fields of b have no effect. LayoutOf returns an error if b
// or the length of addresses does not fit the kernel.
func LayoutOf(k *ir.Kernel, b *ir.Binding, addresses []uint64, d Device) (Layout, error) {
	if len(addresses) != len(k.Bufs) {
		return Layout{}, fmt.Errorf("cudagen: %s: %d addresses of %d buffers", k.Name, len(addresses), len(k.Bufs))
	}
	n, err := bind(k, b, d, func(n *numbers, c *copiedLoad) bool { return n.unchanged(c, addresses) })
	if err != nil {
		return Layout{}, fmt.Errorf("cudagen: %s: %w", k.Name, err)
	}
	n.packs(addresses)
	return n.layout, nil
}

// Wide returns the layout with 64-bit indices, which fit arrays of every size.
func (l Layout) Wide() Layout {
	l.wide = true
	return l
}

// A numbers is a kernel with the numbers of a binding: the layout, and the values
// of the arguments.
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
	copied  []copiedLoad
}

type formNumbers struct {
	base  int   // elements
	coefs []int // by term
}

// A boundLoop is what the layout knows of a loop.
type boundLoop struct {
	outer  int     // the enclosing loop, or -1
	sites  []int   // sites in the loop and in the loops inside it
	needed []int32 // axes of this loop whose positions the code computes
	groups [][]int // the digits of each dimension
}

// A boundSite is a site under construction.
type boundSite struct {
	in     *ir.Ins
	loop   int  // the innermost enclosing loop, or -1
	cold   bool // the site is in a cold region
	offset bound.Form
	coords []coordLayout
}

// bind analyses k with the numbers of b. The layout lacks the vector accesses,
// which depend on addresses, and so does which loads may be copied.
func bind(k *ir.Kernel, b *ir.Binding, d Device, copied func(*numbers, *copiedLoad) bool) (*numbers, error) {
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
		l.axes = lists.Map(n.loops[i].needed, func(axis int32) axisForm { return axisForm{axis, n.form(-1, i, a.Axis(axis))} })
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
	n.copied = slices.DeleteFunc(n.copies(), func(c copiedLoad) bool { return !copied(n, &c) })
	n.rows()
	n.readCopies()
	n.tiles()
	n.split()
	n.splitRows()
	return n, nil
}

// collect appends the sites of a region, and of the regions inside it, to n.sites.
func (n *numbers) collect(region int32, loop int, cold bool) {
	for _, in := range instructions(n.k, region) {
		switch in.Op {
		case ir.For:
			n.loops[in.Aux] = boundLoop{outer: loop}
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

// offset splits the element offset of an access into a form and the coordinates
// that are not direct.
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

// need marks the axes of an index expression: the code computes their positions.
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

// dimensions collapses loop i into dimensions. It drops digits of extent 1, and
// joins neighbouring digits that every access goes through with one step. A vec
// loop without reductions may run in any order: its digits are sorted by the
// strides of its first store, largest first.
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
	l.groups = n.Join(order, append(all, lists.Map(l.needed, n.Axis)...))
	for _, g := range l.groups {
		e := 1
		for _, d := range g {
			e *= n.Digits[d].Extent
		}
		n.layout.loops[i].dims = append(n.layout.loops[i].dims, len(n.extents))
		n.extents = append(n.extents, e)
	}
}

// reduces reports whether a region has a reduction. Regions inside it do not count.
func (n *numbers) reduces(region int32) bool {
	return len(instructions(n.k, region, ir.Reduce)) > 0
}

// form adds the form of x in a loop and returns its index. buf is the buffer that
// x addresses, or -1 for the position on an axis.
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
			break // x is a position on an axis of this loop alone
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
