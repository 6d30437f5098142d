package jit

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/dtype"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/prim"
)

// A siteKind is how machine code reaches the elements of a site.
type siteKind uint8

const (
	uniSite    siteKind = iota // one element for all lanes
	unitSite                   // neighbours
	strideSite                 // a constant stride
	flatSite                   // neighbours in scratch memory
	gatherSite                 // offsets computed by machine code
	iotaSite                   // an affine index
	acrossSite                 // neighbours in scratch memory, where tiles are turned
)

// A boundSite is a site with its numbers.
type boundSite struct {
	kind   siteKind
	guard  bool // lanes outside an interval of the segment take the fill value
	staged bool // Go moves the elements between the array and scratch memory
	buf    int32
	array  int32
	size   int // bytes of an element; of an iota 1
	arg    int // offset in the frame
	line   linear
	seq    []int // coefficients of the spans of the seq loop
	row    int   // elements from row to row of a row loop
	pure   bool  // a store to an array that is only written, and much larger than the caches
	guards []guardLine
	dyn    []dynDim
	stage  *stager
	tile   *exec.Code // of an acrossSite
	gather *gatherPlan
}

// A guardLine is an affine coordinate that may be outside.
type guardLine struct {
	line   linear
	extent int
}

// A dynDim is a coordinate that is the same in all lanes, from values in cells.
type dynDim struct {
	tree           *ixTree
	stride, extent int
	bounds         ir.Bounds
}

// A gatherPlan says how offsets follow from values: offset line + sum of
// stride * coordinate.
type gatherPlan struct {
	base int32 // index of the site that has the affine part
	dims []gatherDim
}

type gatherDim struct {
	node           int32 // a node, if the coordinate is just a value
	stride, extent int
	bounds         ir.Bounds
}

// A boundPhase is a phase with its numbers.
type boundPhase struct {
	ph       *phase
	n        int   // lanes
	spans    []int // extents, innermost last
	seqSpans []int
	seqN     int
	sites    []boundSite
	native   []int32 // sites with an address of their own
	gathers  []int32 // sites that need the address of their array
	loads    []int32 // staged
	stores   []int32
	reds     []seqRed
	ordered  bool
	tiled    bool
	across   []int32     // acrossSites
	tileRows int         // rows of their tiles
	rows     bool        // a call does many rows
	plain    []plainSite // if there is one span, and nothing depends on what is outside it or in cells
	vec      int         // index of the loop in the instance
	strip    int         // lanes at most
	fn       *function
	most     int       // lanes of a call
	narrow   bool      // see variant
	fetch    bool      // see variant
	pure     []int32   // stores that can pass by the caches
	streamed *function // the function where they do, if there are any
}

// The least lanes of a row, and of a block of rows, that are worth a call.
const (
	leastRow   = 8
	leastBlock = 48
)

// layout decides how each site of a phase is reached.
func (b *binder) layout(ph *phase) (*boundPhase, error) {
	bp := &boundPhase{ph: ph, n: 1, seqN: 1, most: maxLanes}
	var vec, inside []int32
	if ph.vec != nil {
		vec = ph.vec.axes
		bp.n = b.product(vec)
	}
	if ph.kind == seqPhase {
		bp.seqN = b.product(ph.seq)
	}
	inside = append(slices.Clone(vec), ph.seq...)
	bp.sites = make([]boundSite, len(ph.sites))
	offsets := make([]affine, len(ph.sites))
	guards := make([][]affine, len(ph.sites))
	for i := range ph.sites {
		s := &bp.sites[i]
		if err := b.analyse(ph, i, s, inside, &offsets[i], &guards[i]); err != nil {
			return nil, err
		}
	}
	// Sites that need more spans than one are staged where others would pay.
	own := func(i int) int {
		ext, _ := b.spans(vec, append([]affine{offsets[i]}, guards[i]...))
		return len(ext)
	}
	staging := func(i int) bool {
		s := &bp.sites[i]
		return !s.staged && s.kind != flatSite && s.kind != gatherSite && own(i) > 1
	}
	joint := func() ([]int, []int32, [][]int, [][]int) {
		var as []affine
		var which []int32
		for i := range bp.sites {
			s := &bp.sites[i]
			if s.staged || s.kind == flatSite || s.kind == gatherSite {
				continue
			}
			which = append(which, int32(i))
			as = append(as, offsets[i])
			as = append(as, guards[i]...)
		}
		ext, coefs := b.spans(vec, as)
		seqExt, seqCoefs := b.spans(ph.seq, as)
		bp.seqSpans = seqExt
		return ext, which, coefs, seqCoefs
	}
	ext, which, coefs, seqCoefs := joint()
	if len(ext) > 1 && (len(ph.reds) > 0 || bp.shortRows(ext)) {
		for i := range bp.sites {
			if staging(i) {
				b.stageSite(bp, i)
			}
		}
		ext, which, coefs, seqCoefs = joint()
		if len(ext) > 1 && len(ph.reds) > 0 && ph.kind == mapPhase {
			for i := range bp.sites { // spans that differ from site to site
				if s := &bp.sites[i]; !s.staged && s.kind != flatSite && s.kind != gatherSite && own(i) > 0 {
					b.stageSite(bp, i)
				}
			}
			ext, which, coefs, seqCoefs = joint()
		}
	}
	turned := b.findAcross(bp, ext, which, guards, coefs)
	again := false
	at := 0
	for _, i := range which {
		s := &bp.sites[i]
		step := 0
		if n := len(coefs[at]); n > 0 {
			step = coefs[at][n-1]
		}
		at += 1 + len(guards[i])
		if !turned && !b.reachable(ph, s, step) {
			b.stageSite(bp, int(i))
			again = true
		}
	}
	if again {
		ext, which, coefs, seqCoefs = joint()
	}
	if len(ph.seq) == 0 {
		bp.seqSpans = nil
	}
	bp.spans = ext
	at = 0
	for _, i := range which {
		s := &bp.sites[i]
		bp.native = append(bp.native, i)
		s.line = b.linear(offsets[i], inside, coefs[at])
		s.seq = seqCoefs[at]
		at++
		for g := range guards[i] {
			s.guards[g].line = b.linear(guards[i][g], inside, coefs[at])
			at++
		}
		step := 0
		if n := len(s.line.coefs); n > 0 {
			step = s.line.coefs[n-1]
		}
		switch {
		case s.kind == iotaSite || s.kind == acrossSite:
		case step == 0:
			s.kind = uniSite
		case step == 1:
			s.kind = unitSite
		default:
			s.kind = strideSite
		}
	}
	for i := range bp.sites {
		s := &bp.sites[i]
		switch {
		case s.kind == gatherSite:
			bp.gathers = append(bp.gathers, int32(i))
		case s.staged && ph.sites[i].store:
			bp.stores = append(bp.stores, int32(i))
		case s.staged:
			bp.loads = append(bp.loads, int32(i))
		}
	}
	b.findPlain(bp)
	bp.findRows()
	b.choose(ph, bp)
	return bp, b.ordered(ph, bp)
}

// shortRows reports whether rows are too short for machine code to go from one to
// the next.
func (bp *boundPhase) shortRows(extents []int) bool {
	k := len(extents)
	for i := range bp.sites {
		if s := &bp.sites[i]; s.guard || bp.ph.kind != mapPhase { // a call for each row
			return extents[k-1] < leastBlock
		}
	}
	return extents[k-1] < leastRow || extents[k-1]*extents[k-2] < leastBlock
}

// A plainSite is a site whose address needs no more than a step from lane to lane.
type plainSite struct {
	arg  int             // in the frame
	ptr  *unsafe.Pointer // of the buffer
	base int             // bytes
	step int
}

// findPlain decides whether a phase has nothing but plain sites.
func (b *binder) findPlain(bp *boundPhase) {
	if bp.ph.kind != mapPhase || len(bp.spans) > 1 || len(bp.native) < len(bp.sites) {
		return
	}
	var plain []plainSite
	for i := range bp.sites {
		s := &bp.sites[i]
		if s.guard || s.dyn != nil || len(s.line.outer) > 0 || s.kind == iotaSite || b.k.Bufs[s.buf].Mode == ir.Row {
			return
		}
		p := plainSite{arg: s.arg + sitePtr, ptr: &b.bind.Bufs[s.buf].Ptr, base: s.line.base * s.size}
		if len(s.line.coefs) > 0 {
			p.step = s.line.coefs[0] * s.size
		}
		plain = append(plain, p)
	}
	bp.plain = plain
}

// reachable reports whether machine code can use a site with this step.
func (b *binder) reachable(ph *phase, s *boundSite, step int) bool {
	if s.kind == iotaSite || ph.kind == scalarPhase {
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

// ordered refuses a phase that loads what it has stored, if the elements go
// through scratch memory.
func (b *binder) ordered(ph *phase, bp *boundPhase) error {
	for i := range bp.sites {
		if !bp.sites[i].staged {
			continue
		}
		for j := range bp.sites {
			if i == j || ph.sites[j].buf != ph.sites[i].buf || ph.sites[i].buf < 0 {
				continue
			}
			first, second := min(i, j), max(i, j)
			if ph.sites[first].store && !ph.sites[second].store {
				return unsupported("a loop loads what it stored before, with strides")
			}
			if ph.sites[i].store && ph.sites[j].store {
				return unsupported("a loop stores to an array twice, with strides")
			}
			if ph.kind == seqPhase && ph.sites[first].store != ph.sites[second].store {
				return unsupported("a seq loop loads and stores an array with strides")
			}
		}
	}
	return nil
}

// analyse finds the affine offset of a site, or what else it needs.
func (b *binder) analyse(ph *phase, i int, s *boundSite, inside []int32, offset *affine, guards *[]affine) error {
	info := &ph.sites[i]
	*s = boundSite{buf: info.buf, array: info.array, size: info.typ.Size(), arg: ph.argBase + i*siteBytes}
	*offset = b.constant(0)
	if info.array >= 0 {
		s.kind = flatSite
		s.size = info.typ.Size()
		return nil
	}
	if info.access < 0 { // an index
		s.kind, s.size = iotaSite, 1
		a, ok := b.affine(info.ix)
		if ok {
			*offset = a
			return nil
		}
		return b.general(ph, i, s, inside)
	}
	a := &b.k.Access[info.access]
	strides, extents := b.strides(a.Buf)
	for d, ix := range a.Coords {
		lo, hi := b.interval(ix)
		sure := a.Bounds == ir.InBounds || lo >= 0 && hi < extents[d]
		af, ok := b.affine(ix)
		switch {
		case ok && sure:
			offset.plus(af, strides[d])
		case !ok && b.sameInLanes(ph, ix, inside):
			bounds := a.Bounds
			if sure {
				bounds = ir.InBounds
			}
			tree, err := b.tree(ph, ix, nil)
			if err != nil {
				return err
			}
			s.dyn = append(s.dyn, dynDim{tree, strides[d], extents[d], bounds})
			s.guard = s.guard || bounds == ir.Guarded
		case ok && a.Bounds == ir.Guarded && ph.kind == mapPhase:
			offset.plus(af, strides[d])
			*guards = append(*guards, af)
			s.guards = append(s.guards, guardLine{extent: extents[d]})
			s.guard = true
		default:
			s.dyn, s.guards, *guards = nil, nil, nil
			*offset = b.constant(0)
			return b.general(ph, i, s, inside)
		}
	}
	if s.guard && ph.kind != mapPhase {
		s.dyn, s.guards, *guards = nil, nil, nil
		*offset = b.constant(0)
		return b.general(ph, i, s, inside)
	}
	return nil
}

// sameInLanes reports whether a coordinate depends on cells and on axes outside
// the phase only.
func (b *binder) sameInLanes(ph *phase, ix prim.Ix, inside []int32) bool {
	for n := range b.k.Nodes(ix) {
		switch n.Op {
		case prim.IxAxis:
			if slices.Contains(inside, int32(n.K)) && b.extents[n.K] != 1 {
				return false
			}
		case prim.IxValue:
			if _, ok := b.cellOf(ph, ir.Value(n.K)); !ok {
				return false
			}
		}
	}
	return true
}

// cellOf is the cell that holds v for ph.
func (b *binder) cellOf(ph *phase, v ir.Value) (int32, bool) {
	id, ok := ph.local[v]
	if !ok {
		for i := range ph.nodes {
			if ph.named[i] == v && ph.nodes[i].op == opCell {
				id, ok = int32(i), true
			}
		}
	}
	if !ok || ph.nodes[id].op != opCell {
		return 0, false
	}
	return ph.nodes[id].aux, true
}

// general stages a site, or has machine code compute its offsets.
func (b *binder) general(ph *phase, i int, s *boundSite, inside []int32) error {
	for _, v := range ph.sites[i].values {
		if _, ok := b.cellOf(ph, v.value); !ok {
			return b.planGather(ph, i, s)
		}
	}
	return b.stagedSite(ph, i, s)
}

func (b *binder) stageSite(bp *boundPhase, i int) {
	_ = b.stagedSite(bp.ph, i, &bp.sites[i]) // what has a line can be staged
}

func (b *binder) planGather(ph *phase, i int, s *boundSite) error {
	info := &ph.sites[i]
	if info.store {
		return unsupported("a store at computed positions")
	}
	if info.access < 0 {
		return unsupported("an index expression of values")
	}
	a := &b.k.Access[info.access]
	strides, extents := b.strides(a.Buf)
	g := &gatherPlan{base: int32(i)}
	for d, ix := range a.Coords {
		n := b.k.Index.At(ix)
		if n.Op != prim.IxValue {
			return unsupported("computed positions beside others")
		}
		id := none
		for _, v := range info.values {
			if int64(v.value) == n.K {
				id = v.node
			}
		}
		g.dims = append(g.dims, gatherDim{node: id, stride: strides[d], extent: extents[d], bounds: a.Bounds})
	}
	s.kind, s.gather = gatherSite, g
	return nil
}

// strides of a buffer, in elements.
func (b *binder) strides(buf int32) (strides, extents []int) {
	d := &b.k.Bufs[buf]
	if d.Mode != ir.Row {
		return b.bind.Bufs[buf].Strides, b.bind.Bufs[buf].Extents
	}
	strides, extents = make([]int, d.Rank), make([]int, d.Rank)
	n := 1
	for i := d.Rank - 1; i >= 0; i-- {
		strides[i], extents[i] = n, b.extents[d.Axes[i]]
		n *= extents[i]
	}
	return strides, extents
}

// check finds bindings that do not fit the kernel.
func (b *binder) check() error {
	k, bind := b.k, b.bind
	if len(bind.Extents) != len(k.Axes) || len(bind.Params) != k.Params ||
		len(bind.Scalars) != len(k.Scalars) || len(bind.Bufs) != len(k.Bufs) {
		return fmt.Errorf("the binding has %d extents, %d parameters, %d scalars, %d buffers; the kernel %d, %d, %d, %d",
			len(bind.Extents), len(bind.Params), len(bind.Scalars), len(bind.Bufs), len(k.Axes), k.Params, len(k.Scalars), len(k.Bufs))
	}
	for i, e := range bind.Extents {
		if e < 0 {
			return fmt.Errorf("axis %s has extent %d", k.Axes[i], e)
		}
	}
	for i := range k.Bufs {
		d, v := &k.Bufs[i], &bind.Bufs[i]
		if d.Mode != ir.Row && (len(v.Strides) != d.Rank || len(v.Extents) != d.Rank) {
			return fmt.Errorf("buffer %s has rank %d; %d strides and %d extents are bound", d.Name, d.Rank, len(v.Strides), len(v.Extents))
		}
	}
	for i := range k.Index.Nodes {
		n := k.Index.Nodes[i]
		if n.Op == prim.IxDiv || n.Op == prim.IxMod {
			if d, ok := b.number(n.B); !ok || d <= 0 {
				return fmt.Errorf("an index expression divides by %d", d)
			}
		}
	}
	return nil
}

// widest is the size of the widest register type of a phase, from 4.
func (ph *phase) widest() int {
	w := 4
	for i := range ph.nodes {
		n := &ph.nodes[i]
		if n.typ != dtype.Bool {
			w = max(w, n.typ.Size())
		}
		if n.in.Valid() && n.in != dtype.Bool {
			w = max(w, n.in.Size())
		}
	}
	return w
}
