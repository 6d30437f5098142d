package jit

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A siteKind says how machine code reaches the elements of a site.
type siteKind uint8

const (
	uniSite        siteKind = iota // one element for all lanes
	unitSite                       // contiguous
	strideSite                     // a constant stride
	flatSite                       // contiguous, in scratch memory
	gatherSite                     // offsets computed by machine code
	iotaSite                       // an affine index
	transposedSite                 // contiguous, in scratch memory with a transposed tile
	noSite                         // a coordinate that is not needed
)

// A boundSite is a site of an instance, with its strides and extents.
type boundSite struct {
	kind   siteKind
	guard  bool // lanes outside an interval of the segment take the fill value
	staged bool // Go moves the elements between the array and scratch memory
	buf    int32
	array  int32
	size   int // bytes of an element; of an iota 1
	arg    int // offset in the frame
	origin int // offset of its address from arg: sitePtr, or siteOwn if machine code computes it
	line   bound.Line
	seq    []bound.Span // of the seq loop
	row    int          // elements from row to row of a row loop
	pure   bool         // a store to an array that is only written, and much larger than the caches
	trails bool         // a load of lines that another load has read before
	guards []guardLine
	dyn    []dynDim
	stage  *stager
	tile   *exec.Code // of a transposedSite
	gather *gatherPlan
}

// A guardLine is an affine coordinate that may be outside the array.
type guardLine struct {
	line   bound.Line
	seq    []bound.Span // of the seq loop
	extent int
}

// A dynDim is a coordinate computed from cells, the same in all lanes.
type dynDim struct {
	site           gather.Access
	stride, extent int
	bounds         ir.Bounds
}

// A gatherPlan has the coordinates that are not part of the address. Machine code
// adds stride * coordinate for each. It compares those that may be outside with the
// extent.
type gatherPlan struct{ dims []gatherDim }

type gatherDim struct {
	coord          coord
	stride, extent int
	bounds         ir.Bounds
}

// moves reports whether some coordinate is added to the address.
func (g *gatherPlan) moves() bool {
	return slices.ContainsFunc(g.dims, func(d gatherDim) bool { return d.stride != 0 })
}

// A boundPhase is a phase of an instance, with its extents.
type boundPhase struct {
	ph         *phase
	n          int   // lanes
	spans      []int // extents, innermost last
	seqSpans   []int
	seqN       int
	sites      []boundSite
	native     []int32 // sites with an address of their own
	loads      []int32 // staged
	stores     []int32
	reds       []seqRed
	ordered    bool
	direct     bool // no site is in scratch memory, except transposed tiles
	tiled      bool
	transposed []int32     // transposedSites
	tileRows   int         // rows of their tiles
	rows       bool        // one call runs many rows
	plain      []plainSite // nil unless all sites are plain: see findPlain
	vec        int         // index of the loop in the instance
	strip      int         // most lanes of a piece
	fn         *function
	most       int       // most lanes of a call
	narrow     bool      // see variant
	fetch      bool      // see variant
	pure       []int32   // stores that can bypass the caches
	streamed   *function // the function whose stores bypass them; nil without such stores
}

// The fewest lanes of a row, and of several rows, that are worth a call.
const (
	leastRow   = 8
	leastBlock = 48
)

// A binder has the extents and arrays of an instance while the back end makes it.
type binder struct {
	*bound.Kernel
	p    *program
	bind *ir.Binding
}

// A layouter chooses the siteKind of each site of a phase.
type layouter struct {
	*binder
	ph       *phase
	bp       *boundPhase
	vec, seq []int // digits of the loops
	inside   []int // both
	offsets  []bound.Form
	guards   [][]bound.Form
}

func (b *binder) layout(ph *phase) *boundPhase {
	bp := &boundPhase{ph: ph, n: 1, seqN: 1, most: maxLanes, sites: make([]boundSite, len(ph.sites))}
	l := &layouter{binder: b, ph: ph, bp: bp, offsets: make([]bound.Form, len(ph.sites)), guards: make([][]bound.Form, len(ph.sites))}
	if ph.vec != nil {
		l.vec = b.Order(ph.vec.axes)
		bp.n = b.Product(ph.vec.axes)
	}
	if ph.kind == seqPhase {
		l.seq = b.Order(ph.seq)
		bp.seqN = b.Product(ph.seq)
	}
	l.inside = append(slices.Clone(l.vec), l.seq...)
	for i := range ph.sites {
		bp.sites[i] = boundSite{kind: noSite, buf: -1, array: -1, arg: ph.argBase + i*siteBytes}
	}
	for i := range ph.sites {
		if !ph.sites[i].coord {
			l.analyse(i)
		}
	}
	ext, which, spans, seqSpans := l.joint()
	for l.tooManySpans(ext, which) || !b.findTransposed(bp, ext, which, l.guards, spans) && l.tooFar(which, spans) {
		ext, which, spans, seqSpans = l.joint()
	}
	if len(ph.seq) == 0 {
		bp.seqSpans = nil
	}
	bp.spans = ext
	at := 0
	for _, i := range which {
		s := &bp.sites[i]
		bp.native = append(bp.native, i)
		s.line = b.Line(l.offsets[i], l.inside, spans[at])
		s.seq = seqSpans[at]
		at++
		for g := range l.guards[i] {
			s.guards[g].line = b.Line(l.guards[i][g], l.inside, spans[at])
			s.guards[g].seq = seqSpans[at]
			at++
		}
		switch step := s.line.Step(); {
		case s.kind == iotaSite || s.kind == transposedSite:
		case s.kind == gatherSite && s.gather.moves():
		case step == 0:
			s.kind = uniSite
		case step == 1:
			s.kind = unitSite
		default:
			s.kind = strideSite
		}
	}
	bp.direct = true
	for i := range bp.sites {
		s := &bp.sites[i]
		bp.direct = bp.direct && s.kind != flatSite
		switch {
		case s.staged && ph.sites[i].store:
			bp.stores = append(bp.stores, int32(i))
		case s.staged:
			bp.loads = append(bp.loads, int32(i))
		}
	}
	bp.findRows()
	b.findPlain(bp)
	b.choose(ph, bp)
	return bp
}

// tooManySpans demotes sites that split the loop into rows that are too short. A block
// of a reduction must be one row. It reports whether it demoted any site.
func (l *layouter) tooManySpans(ext []int, which []int32) (demoted bool) {
	block := l.ph.kind == mapPhase && len(l.ph.reds) > 0 // one call reduces a block
	if len(ext) < 2 || !block && !l.bp.shortRows(ext) {
		return false
	}
	for _, most := range []int{1, 0} { // sites that split a row by themselves; for a block then the others
		for _, i := range which {
			if l.own(int(i)) > most {
				l.demote(int(i))
				demoted = true
			}
		}
		if demoted || !block {
			break
		}
	}
	return demoted
}

// tooFar demotes the sites whose step machine code cannot use. It reports whether it
// demoted any site.
func (l *layouter) tooFar(which []int32, spans [][]bound.Span) (demoted bool) {
	at := 0
	for _, i := range which {
		step := 0
		if n := len(spans[at]); n > 0 {
			step = spans[at][n-1].Coef
		}
		at += 1 + len(l.guards[i])
		if !l.reachable(l.ph, &l.bp.sites[i], step) {
			l.demote(int(i))
			demoted = true
		}
	}
	return demoted
}

// joint returns the spans that suit all sites with an address of their own: extents,
// sites, and the spans of each form.
func (l *layouter) joint() (ext []int, which []int32, spans, seqSpans [][]bound.Span) {
	var as []bound.Form
	for i := range l.bp.sites {
		s := &l.bp.sites[i]
		if s.kind == flatSite || s.kind == noSite {
			continue
		}
		which = append(which, int32(i))
		as = append(as, l.offsets[i])
		as = append(as, l.guards[i]...)
	}
	ext, spans = l.Spans(l.vec, as)
	l.bp.seqSpans, seqSpans = l.Spans(l.seq, as)
	return ext, which, spans, seqSpans
}

// own returns the number of spans that a site needs by itself.
func (l *layouter) own(i int) int {
	return len(l.Join(l.vec, append([]bound.Form{l.offsets[i]}, l.guards[i]...)))
}

// demote makes Go copy the elements of a site. If a copy would change the order of
// loads and stores, machine code computes the offsets instead.
func (l *layouter) demote(i int) {
	switch s := &l.bp.sites[i]; {
	case l.ph.sites[i].coords != nil:
		l.computed(i, false)
	case s.kind == iotaSite:
		l.stagedIndex(s, l.offsets[i])
	default:
		l.stagedSite(i)
	}
}

// shortRows reports whether rows are too short for one call of machine code each, or
// for a step from row to row inside a call.
func (bp *boundPhase) shortRows(extents []int) bool {
	k := len(extents)
	if bp.ph.kind == seqPhase { // a call runs rows of the seq loop with constant steps
		deep := 1
		if n := len(bp.seqSpans); n > 0 {
			deep = min(bp.seqSpans[n-1], ir.Run)
		}
		return extents[k-1]*deep < leastBlock
	}
	for i := range bp.sites {
		if bp.sites[i].guard { // a call for each row
			return extents[k-1] < leastBlock
		}
	}
	return extents[k-1] < leastRow || extents[k-1]*extents[k-2] < leastBlock
}

// computes reports whether machine code computes offsets or masks of sites.
func (bp *boundPhase) computes() bool {
	return slices.ContainsFunc(bp.sites, func(s boundSite) bool { return s.gather != nil })
}

// A plainSite is a site with the address *ptr + base + i*step, in bytes: i is the
// first lane, or the first row of a call with many rows.
type plainSite struct {
	arg  int             // offset in the frame
	ptr  *unsafe.Pointer // of the buffer
	base int             // bytes
	step int
}

// findPlain sets bp.plain if all sites of a map are plain.
func (b *binder) findPlain(bp *boundPhase) {
	k := len(bp.spans)
	if bp.ph.kind != mapPhase || k > 2 || k == 2 && !bp.rows || !bp.direct || len(bp.transposed) > 0 {
		return
	}
	var plain []plainSite
	for _, i := range bp.native {
		s := &bp.sites[i]
		if s.guard || s.dyn != nil || len(s.line.Outer) > 0 || s.kind == iotaSite || b.IR.Bufs[s.buf].Mode == ir.Row {
			return
		}
		p := plainSite{arg: s.arg + sitePtr, ptr: &b.bind.Bufs[s.buf].Ptr, base: s.line.Base * s.size}
		if len(s.line.Spans) > 0 {
			p.step = s.line.Spans[0].Coef * s.size
		}
		plain = append(plain, p)
	}
	bp.plain = plain
}

// reachable reports whether machine code can use a site with a step from lane to
// lane, in elements.
func (b *binder) reachable(ph *phase, s *boundSite, step int) bool {
	if s.kind == iotaSite || ph.kind == scalarPhase || s.kind == gatherSite && s.gather.moves() {
		return true
	}
	info := &ph.sites[s.index(ph)]
	if info.store {
		return step == 1
	}
	if step == 0 || step == 1 {
		return true
	}
	return (s.size == 4 || s.size == 8) && step < 1<<24 && step > -1<<24
}

func (s *boundSite) index(ph *phase) int { return (s.arg - ph.argBase) / siteBytes }

// analyse finds the affine offset of a site. If there is none, Go copies the elements
// or machine code computes the offsets.
func (l *layouter) analyse(i int) {
	b, ph := l.binder, l.ph
	info, s := &ph.sites[i], &l.bp.sites[i]
	*s = boundSite{buf: info.buf, array: info.array, size: info.typ.Size(), arg: s.arg}
	if info.array >= 0 {
		s.kind = flatSite
		return
	}
	if info.access < 0 { // an index
		s.kind, s.size = iotaSite, 1
		f, ok := b.Form(info.ix)
		if !ok {
			l.stagedSite(i)
			return
		}
		l.offsets[i] = f
		return
	}
	a := &b.Access[info.access]
	offset := a.Offset
	for d := range a.Dims {
		dim := &a.Dims[d]
		switch {
		case info.coords != nil && info.coords[d].node != none:
			l.indirect(i)
			return
		case dim.Direct():
		case !dim.Affine && l.sameInLanes(dim.Ix):
			s.dyn = append(s.dyn, dynDim{b.at(ph, nil).Index(dim.Ix), dim.Stride, dim.Extent, dim.Bounds})
			s.guard = s.guard || dim.Bounds == ir.Guarded
		case dim.Affine && dim.Bounds == ir.Guarded && ph.kind != scalarPhase:
			if len(s.guards) == 0 { // the access keeps its own offset
				offset = offset.Clone()
			}
			offset.Plus(dim.Form, dim.Stride)
			l.guards[i] = append(l.guards[i], dim.Form)
			s.guards = append(s.guards, guardLine{extent: dim.Extent})
			s.guard = true
		default:
			l.indirect(i)
			return
		}
	}
	if s.guard && ph.kind == scalarPhase {
		l.indirect(i)
		return
	}
	l.offsets[i] = offset
}

// indirect chooses computed offsets for a site without an affine offset if the site
// has coordinates, staging otherwise.
func (l *layouter) indirect(i int) {
	if l.ph.sites[i].coords != nil {
		l.computed(i, true)
	} else {
		l.stagedSite(i)
	}
}

// sameInLanes reports whether an index expression of cells and axes has the same value
// in all lanes: it uses no axis of the phase.
func (l *layouter) sameInLanes(ix prim.Ix) bool {
	for n := range l.IR.Nodes(ix) {
		if n.Op == prim.IxAxis && slices.ContainsFunc(l.inside, func(d int) bool { return l.Digits[d].Axis == int32(n.K) && l.Digits[d].Extent != 1 }) {
			return false
		}
	}
	return true
}

// cellOf returns the cell that holds v in the phase, or none.
func (ph *phase) cellOf(v ir.Value) int32 {
	for _, s := range ph.sites {
		for _, r := range s.values {
			if r.value == v && ph.nodes[r.node].op == opCell {
				return ph.nodes[r.node].aux
			}
		}
	}
	return none
}

func (ph *phase) widest() int { return widest(ph.nodes) }

// widest returns the size of the widest register type of nodes in bytes, at least 4.
func widest(nodes []node) int {
	w := 4
	for i := range nodes {
		n := &nodes[i]
		if n.typ != dtype.Bool {
			w = max(w, n.typ.Size())
		}
		if n.in.Valid() && n.in != dtype.Bool {
			w = max(w, n.in.Size())
		}
	}
	return w
}
