package graph

import (
	"cmp"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// indexOf runs a view's index map once, on symbols, and returns the record. It
// returns an error if the map of a user fails.
func indexOf(n *Node) (*Index, error) {
	b := ir.NewBuilder("")
	out, axes := make([]prim.Ix, len(n.Shape)), make([]int, len(n.Shape))
	for i := range out {
		axes[i] = b.Axis("")
		out[i] = b.K.Index.Axis(axes[i])
	}
	b.Open(ir.Vec, axes...)
	p := &probe{
		indexMap: indexMap{n: n, b: b},
		prims:    prim.NewB(b), user: !builtIn(n.Src.Op),
		x: &Index{terms: make([]terms, len(n.Args)), counts: make([]int, len(n.Args))},
	}
	v := p.gather(out)
	p.finish(v)
	if p.err != nil {
		return nil, p.err
	}
	return p.x, nil
}

// A probe runs an index map on symbols. Each read returns a new scalar.
type probe struct {
	indexMap
	prims *prim.B
	user  bool
	sizes []terms // of the index expressions, by number
	x     *Index
}

func (p *probe) gather(out []prim.Ix) prim.V {
	g := &tree.Gather{
		IxTable: &p.b.K.Index, B: p.prims, Node: p.n.source(), Out: out, Int: p.int,
		At: func(arg int, at []prim.Ix) prim.V { return p.read(Read{Arg: arg}, at) },
		Guarded: func(arg int, at []prim.Ix, fill prim.V) prim.V {
			return p.read(Read{Arg: arg, Bounds: ir.Guarded, fill: fill}, at)
		},
		Checked: func(arg int, at []prim.Ix) prim.V { return p.read(Read{Arg: arg, Bounds: ir.Clamped}, at) },
		Value: func(ix prim.Ix) prim.V {
			if p.user && p.interval(ix) == nil {
				return p.zero()
			}
			return p.b.Value(ix)
		},
	}
	if p.user {
		g.Out = slices.Clone(out)
		return p.run(g)
	}
	return p.n.Src.Op.Gather()(g)
}

func (p *probe) zero() prim.V { return p.prims.Bits(p.n.Type.Register(), 0) }

// int returns the index expression of a run-time integer. 0, 1 and -1 are
// constants.
func (p *probe) int(v int) prim.Ix {
	if v >= -1 && v <= 1 {
		return p.b.K.Index.Const(int64(v))
	}
	p.params = append(p.params, v)
	return p.b.Param()
}

// read records a read and returns a symbol for the value.
func (p *probe) read(r Read, at []prim.Ix) prim.V {
	if p.user && !p.operand(r.Arg, at) {
		return p.zero()
	}
	p.x.flat = p.x.flat || p.user && !(p.visible(at...) && (r.Bounds != ir.Guarded || !p.b.Has(r.fill) || p.b.Visible(r.fill)))
	a := p.n.Args[r.Arg]
	t := a.Type.Register()
	if r.Bounds == ir.Guarded {
		if p.user && (r.fill.Type != t || !p.b.Has(r.fill)) {
			p.fail(tree.ErrType, "gives operand %d of type %v a fill of type %v", r.Arg, t, r.fill.Type)
			return p.zero()
		}
		if a.Shape.Size() == 0 { // nowhere inside
			return r.fill
		}
		for i, ix := range at { // other coordinates need no check
			if !p.inside(ix, a.Shape[i]) {
				p.x.prims += 4
			}
		}
	}
	r.coords, r.Outside = slices.Clone(at), make([]bool, len(at))
	for i, ix := range at {
		p.x.terms[r.Arg] = longer(p.x.terms[r.Arg], p.size(ix))
		r.At = append(r.At, p.coord(ix))
		if r.Bounds != ir.Guarded && p.mayLeave(ix, a.Shape[i]) {
			r.Outside[i], r.Bounds, r.Fails = true, ir.Clamped, true
		}
	}
	r.Fails = r.Fails || r.Bounds == ir.Clamped && a.Shape.Size() == 0
	p.x.counts[r.Arg]++
	if len(p.n.Args) == 1 && len(p.x.Reads) == 0 && r.Bounds == ir.InBounds {
		p.forms(at)
	}
	p.x.Reads = append(p.x.Reads, r)
	return p.b.Scalar(t)
}

// visible reports whether coordinates use no value of a cold region.
func (p *probe) visible(at ...prim.Ix) bool {
	return !slices.ContainsFunc(at, func(ix prim.Ix) bool {
		switch n := p.b.K.Index.At(ix); n.Op {
		case prim.IxValue:
			return !p.b.Visible(prim.V{ID: ir.Value(n.K), Type: dtype.I64})
		case prim.IxAdd, prim.IxMul, prim.IxDiv, prim.IxMod:
			return !p.visible(n.A, n.B)
		}
		return false
	})
}

// mayLeave reports whether coordinate ix may lie outside of an axis of size d.
// The maps of the table only read at computed positions outside: those that their second
// operand has, of which negative ones count from the end.
func (p *probe) mayLeave(ix prim.Ix, d int) bool {
	if p.user {
		return !p.inside(ix, d)
	}
	return p.b.K.Index.At(ix).Op == prim.IxValue && !holds(d, p.n.Args[1].Type)
}

// holds reports whether an axis of size d has a position for every index of type t.
func holds(d int, t dtype.Type) bool {
	n := 8 * t.Size()
	if t.IsSigned() {
		n--
	}
	return n < 63 && int64(d) >= 1<<n
}

func (p *probe) coord(ix prim.Ix) Coord {
	switch n := p.b.K.Index.At(ix); n.Op {
	case prim.IxConst:
		if n.K == 0 {
			return Zero
		}
	case prim.IxAxis:
		return Coord(n.K)
	}
	return Other
}

// forms sets the affine forms of the coordinates of the only read, if they are
// affine.
func (p *probe) forms(at []prim.Ix) {
	space := bound.NewSpace(&p.b.K.Index, p.n.Shape, p.params)
	forms := make([]bound.Form, len(at))
	for i, ix := range at {
		var ok bool
		if forms[i], ok = space.Form(ix); !ok {
			return
		}
	}
	p.x.affine = forms
}

// finish completes the record of a map that returned v.
func (p *probe) finish(v prim.V) {
	t := p.n.Type.Register()
	if err := p.prims.Err(); err != nil && p.user {
		p.fail(tree.ErrType, "for %v fails: %s", p.n.Type, err)
	}
	if p.err != nil {
		return
	}
	if v.Type != t || !p.b.Has(v) {
		p.fail(tree.ErrType, "returns a value of type %v, not %v", v.Type, t)
		return
	}
	x, k := p.x, p.b.K
	x.kernel, x.params, x.result = k, p.params, v
	regions := k.Regions[:2]
	if x.flat {
		regions = k.Regions
	}
	for _, r := range regions {
		x.code = append(x.code, r.Code...)
	}
	slices.SortFunc(x.code, func(a, b ir.Ins) int { return cmp.Compare(a.Dst, b.Dst) })
	x.prims += len(x.code) - len(x.Reads)
	if len(x.code) != 1 || x.code[0].Dst != v.ID { // more than the read
		x.affine = nil
	}
}

// size returns the size of an index expression, written out as a tree. Operands
// have lower numbers.
func (p *probe) size(ix prim.Ix) terms {
	for i := len(p.sizes); i <= int(ix); i++ {
		t := terms{other: 1}
		switch n := p.b.K.Index.At(prim.Ix(i)); n.Op {
		case prim.IxAxis:
			t = terms{axes: 1}
		case prim.IxAdd, prim.IxMul, prim.IxDiv, prim.IxMod:
			x, y := p.sizes[n.A], p.sizes[n.B]
			t = terms{min(x.axes+y.axes, manyTerms), min(x.other+y.other+1, manyTerms)}
		}
		p.sizes = append(p.sizes, t)
	}
	return p.sizes[ix]
}

// source returns n as an expression for index maps, which read the shapes of
// operands. A view that the plan made has no operands of its own.
func (n *Node) source() *tree.Node {
	if len(n.Src.Args) == len(n.Args) {
		return n.Src
	}
	e := *n.Src
	e.Args = make([]*tree.Node, len(n.Args))
	for i, a := range n.Args {
		e.Args[i] = tree.Untyped(a.Src.Op, a.Shape, a.Type)
	}
	return &e
}

// Strided returns the value of n as an array in memory: its own, or a strided
// view of the array of a node below it. It returns nil if there is none.
func (n *Node) Strided() *Array {
	if n.Array != nil {
		return n.Array
	}
	a, _ := n.View()
	return a
}

// View returns the value of a view as a strided view of the array of a node
// below it, and that node. It returns nil if there is none.
func (n *Node) View() (*Array, *Node) {
	if n.view == nil && n.strides() {
		if base := n.Args[0].Strided(); base != nil {
			if n.view = n.strided(base); n.view != nil {
				n.base = n.Args[0].Base()
			}
		}
	}
	return n.view, n.base
}

// strides reports whether n may be a strided view of its operand: it is affine, or a reshape.
func (n *Node) strides() bool {
	return n.Index != nil && (n.Index.affine != nil || n.Src.Op == ReshapeRow)
}

// arraysOf returns the arrays of the shape of a that arithmetic of its elements reads, or nil if it reads anything else but
// arrays of other shapes. It returns the latter too if repeated is set, with a step of 0 along axes on which they repeat.
func (g *Graph) arraysOf(a *Node, repeated bool) (arrays []*Array) {
	mark, known := g.Walk(), true
	var visit func(n *Node)
	visit = func(n *Node) {
		if !known || n.Mark == mark {
			return
		}
		if n.Mark = mark; !n.Shape.Equal(a.Shape) {
			known = !n.Computes
			if m := n.Strided(); repeated && m != nil {
				st, _ := m.Strides.BroadcastTo(m.Shape, a.Shape) // operands broadcast
				arrays = append(arrays, &Array{Type: m.Type, Shape: a.Shape, Strides: st})
			}
			return
		}
		if m := n.Strided(); m != nil {
			arrays = append(arrays, m)
			return
		}
		known = n.Src.Op.Class() == tree.Elementwise
		for _, x := range n.Args {
			visit(x)
		}
	}
	if visit(a); !known {
		return nil
	}
	return arrays
}

// Under returns the node whose storage makes n a view of it: n, or an operand below
// views that has no more elements or must be stored by itself.
func (n *Node) Under() *Node {
	best := n
	for x := n; x.Array == nil && x.strides(); {
		x = x.Args[0]
		switch c := x.Src.Op.Class(); {
		case n.over(x) == nil:
			return best
		case c == tree.Contraction || c == tree.Opaque || c == tree.Reduction:
			return x
		case x.Shape.Size() <= best.Shape.Size():
			best = x
		}
	}
	return best
}

// over returns n as a view of what would be stored for x, a node below it, or nil if strides do
// not express it.
func (n *Node) over(x *Node) *Array {
	if n == x {
		return &Array{Shape: x.Shape, Strides: x.Shape.Strides()}
	}
	a := n.Args[0].over(x)
	if a == nil {
		return nil
	}
	return n.strided(a)
}

// strided returns the view n of the array base, or nil if it is a reshape that strides do not
// express.
func (n *Node) strided(base *Array) *Array {
	a := *base
	if n.Index.affine == nil {
		st, ok := shape.Reshape(base.Shape, base.Strides, n.Shape)
		if !ok {
			return nil
		}
		a.Shape, a.Strides = n.Shape, st
		return &a
	}
	a.Shape, a.Strides = n.Shape, make([]int, len(n.Shape))
	for i, f := range n.Index.affine {
		a.Offset += f.C * base.Strides[i]
		for k, c := range f.Coef {
			a.Strides[k] += c * base.Strides[i]
		}
	}
	return &a
}

// Base returns the node whose array Strided returns or views. Nodes between the
// two may be stored later; they are not the base.
func (n *Node) Base() *Node {
	if n.Array != nil {
		return n
	}
	return n.base
}

// A Reader writes the reads of a view into a program.
type Reader struct {
	B     prim.Sink
	Ix    *prim.IxTable
	Int   func(v int) prim.Ix
	Value func(ix prim.Ix) prim.V
	// Read returns the value of read number i at coordinates. Only a guarded read
	// has a fill.
	Read func(i int, at []prim.Ix, fill prim.V) prim.V
}

// Write writes the value of a view at coordinates out, as its index map
// computes it, and returns the value.
func (x *Index) Write(r *Reader, out []prim.Ix) prim.V {
	w := &replay{Reader: r, x: x, out: out, values: make([]prim.V, len(x.kernel.Types))}
	w.run(x.code)
	return w.values[x.result.ID]
}

type replay struct {
	*Reader
	x      *Index
	out    []prim.Ix
	values []prim.V
}

func (w *replay) run(code []ir.Ins) {
	k := w.x.kernel
	for _, in := range code {
		var v prim.V
		switch in.Op {
		case ir.Scalar:
			v = w.read(int(in.Aux))
		case ir.Index:
			v = w.Value(w.at(prim.Ix(in.Imm)))
		case ir.Cold:
			if w.x.flat {
				v = w.B.Emit(prim.Ins{Op: prim.Select, Type: in.Type, Args: [3]prim.V{w.values[in.Args[0]], w.values[in.Imm], w.values[in.Args[1]]}})
				break
			}
			v = w.B.Cold(w.values[in.Args[0]], w.values[in.Args[1]], func() prim.V {
				w.run(k.Regions[in.Aux].Code)
				return w.values[in.Imm]
			})
		default:
			p := prim.Ins{Op: in.Op, Type: in.Type, Imm: in.Imm}
			if in.Op == prim.Lookup {
				t := k.Tables[in.Aux]
				p.Imm = uint64(w.B.Table(t.Type, t.Bits))
			}
			for i := range in.Op.Info().Arity {
				p.Args[i] = w.values[in.Args[i]]
			}
			v = w.B.Emit(p)
		}
		w.values[in.Dst] = v
	}
}

func (w *replay) read(i int) prim.V {
	r := &w.x.Reads[i]
	at := lists.Map(r.coords, w.at)
	var fill prim.V
	if r.Bounds == ir.Guarded {
		fill = w.values[r.fill.ID]
	}
	return w.Read(i, at, fill)
}

// at returns an index expression of the map as one of the program. It runs in
// the number of terms, which is bounded.
func (w *replay) at(ix prim.Ix) prim.Ix {
	n := w.x.kernel.Index.At(ix)
	switch n.Op {
	case prim.IxConst:
		return w.Ix.Const(n.K)
	case prim.IxParam:
		return w.Int(w.x.params[n.K])
	case prim.IxAxis:
		return w.out[n.K]
	case prim.IxValue:
		return w.Ix.Value(w.values[n.K])
	case prim.IxAdd:
		return w.Ix.Add(w.at(n.A), w.at(n.B))
	case prim.IxMul:
		return w.Ix.Mul(w.at(n.A), w.at(n.B))
	case prim.IxDiv:
		return w.Ix.Div(w.at(n.A), w.at(n.B))
	}
	return w.Ix.Mod(w.at(n.A), w.at(n.B))
}
