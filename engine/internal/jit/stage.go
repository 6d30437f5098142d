package jit

import (
	"math"
	"unsafe"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Staging: what machine code does not reach by itself is copied to scratch memory
// before it runs, or from there afterwards, in plain Go.

// A stager moves the elements of one site.
type stager struct {
	buf   int32
	size  int
	index bool // the offsets themselves are wanted
	line  linear
	spans []int // extents
	dims  []stageDim
	depth int // buffers for index expressions
}

type stageDim struct {
	tree           *ixTree
	stride, extent int
	bounds         ir.Bounds
}

// An ixTree is an index expression that is not bound.
type ixTree struct {
	op    prim.IxOp // IxConst: the line
	line  linear
	spans []int
	cell  int32
	k     int
	a, b  *ixTree
}

// outside marks the lanes of a guarded load that lie outside.
const outside = math.MinInt

// stagedSite has Go copy the elements of a site.
func (b *binder) stagedSite(ph *phase, i int, s *boundSite) {
	info := &ph.sites[i]
	var vec []int32
	if ph.vec != nil {
		vec = ph.vec.axes
	}
	st := &stager{buf: info.buf, size: info.typ.Size(), index: info.access < 0}
	offset := b.Constant(0)
	guarded := false
	if st.index {
		st.dims = append(st.dims, stageDim{tree: b.tree(ph, info.ix, vec), stride: 1, bounds: ir.InBounds})
	} else {
		a := &b.k.Access[info.access]
		strides, extents := b.strides(a.Buf)
		for d, ix := range a.Coords {
			lo, hi := b.Interval(ix)
			bounds := a.Bounds
			if lo >= 0 && hi < extents[d] {
				bounds = ir.InBounds
			}
			if af, ok := b.Form(ix); ok && bounds == ir.InBounds {
				offset.Plus(af, strides[d])
				continue
			}
			guarded = guarded || bounds == ir.Guarded
			st.dims = append(st.dims, stageDim{b.tree(ph, ix, vec), strides[d], extents[d], bounds})
		}
	}
	ext, coefs := b.spans(vec, []bound.Form{offset})
	st.spans, st.line = ext, b.linear(offset, vec, coefs[0])
	for _, d := range st.dims {
		st.depth = max(st.depth, d.tree.depth())
	}
	*s = boundSite{kind: flatSite, staged: true, guard: guarded, buf: info.buf, array: -1, size: st.size, arg: s.arg, stage: st}
}

// stagedIndex has Go compute an affine index.
func (b *binder) stagedIndex(s *boundSite, vec []int32, a bound.Form) {
	ext, coefs := b.spans(vec, []bound.Form{a})
	st := &stager{buf: -1, size: 8, index: true, spans: ext, line: b.linear(a, vec, coefs[0])}
	*s = boundSite{kind: flatSite, staged: true, buf: -1, array: -1, size: 8, arg: s.arg, stage: st}
}

// tree takes apart an index expression of axes and cells.
func (b *binder) tree(ph *phase, ix prim.Ix, vec []int32) *ixTree {
	if a, ok := b.Form(ix); ok {
		ext, coefs := b.spans(vec, []bound.Form{a})
		return &ixTree{op: prim.IxConst, spans: ext, line: b.linear(a, vec, coefs[0])}
	}
	n := b.k.Index.At(ix)
	t := &ixTree{op: n.Op}
	if n.Op == prim.IxValue {
		t.cell = ph.cellOf(ir.Value(n.K))
		return t
	}
	t.a = b.tree(ph, n.A, vec)
	if n.Op == prim.IxAdd {
		t.b = b.tree(ph, n.B, vec)
		return t
	}
	t.k, _ = b.Number(n.B) // which ir.Check makes sure it is
	return t
}

func (t *ixTree) depth() int {
	d := 1
	if t.a != nil {
		d = max(d, t.a.depth())
	}
	if t.b != nil {
		d = max(d, 1+t.b.depth())
	}
	return d
}

// eval writes the expression at the lanes from lo on.
func (t *ixTree) eval(w *worker, lo int, dst []int64, depth int) {
	switch t.op {
	case prim.IxConst:
		fillLinear(&t.line, t.spans, w.pos, lo, dst)
		return
	case prim.IxValue:
		v := int64(*w.cell(t.cell))
		for i := range dst {
			dst[i] = v
		}
		return
	}
	t.a.eval(w, lo, dst, depth)
	k := int64(t.k)
	switch t.op {
	case prim.IxAdd:
		tmp := w.ixs[depth+1][:len(dst)]
		t.b.eval(w, lo, tmp, depth+1)
		for i := range dst {
			dst[i] += tmp[i]
		}
	case prim.IxMul:
		for i := range dst {
			dst[i] *= k
		}
	case prim.IxDiv:
		if k&(k-1) == 0 {
			sh := 0
			for 1<<sh < k {
				sh++
			}
			for i := range dst {
				dst[i] >>= uint(sh) & 63
			}
			return
		}
		for i, x := range dst {
			dst[i] = int64(bound.FloorDiv(int(x), t.k))
		}
	case prim.IxMod:
		if k&(k-1) == 0 {
			for i := range dst {
				dst[i] &= k - 1
			}
			return
		}
		for i, x := range dst {
			dst[i] = x - k*int64(bound.FloorDiv(int(x), t.k))
		}
	}
}

// one is the value of an expression that is the same in all lanes.
func (t *ixTree) one(w *worker) int {
	switch t.op {
	case prim.IxConst:
		return t.line.at(w.pos)
	case prim.IxValue:
		return int(*w.cell(t.cell))
	}
	x := t.a.one(w)
	switch t.op {
	case prim.IxAdd:
		return x + t.b.one(w)
	case prim.IxMul:
		return x * t.k
	case prim.IxDiv:
		return bound.FloorDiv(x, t.k)
	}
	return x - t.k*bound.FloorDiv(x, t.k)
}

// fillLinear writes an affine expression at the lanes from lo on.
func fillLinear(l *linear, spans, pos []int, lo int, dst []int64) {
	base := l.at(pos)
	if len(spans) == 0 {
		for i := range dst {
			dst[i] = int64(base)
		}
		return
	}
	last := len(spans) - 1
	k := int64(l.coefs[last])
	for len(dst) > 0 {
		off, m, rows, across := l.rowsAt(spans, lo, len(dst))
		for range rows {
			v := int64(base + off)
			for i := range dst[:m] {
				dst[i] = v
				v += k
			}
			off += across
			dst = dst[m:]
		}
		lo += m * rows
	}
}

// rowsAt takes apart n positions from p on: so many rows of m elements, the first
// at off, and each across from the one before.
func (l *linear) rowsAt(spans []int, p, n int) (off, m, rows, across int) {
	off, in := rowAt(l, spans, p)
	last := len(spans) - 1
	if in > 0 || last == 0 || n < 2*spans[last] {
		return off, min(spans[last]-in, n), 1, 0
	}
	rows = min(n/spans[last], spans[last-1]-p/spans[last]%spans[last-1])
	return off, spans[last], rows, l.coefs[last-1]
}

// rowAt is the value of the inner part of l at flattened position p, and the
// position in the last span.
func rowAt(l *linear, spans []int, p int) (off, in int) {
	for k := len(spans) - 1; k >= 0; k-- {
		x := p
		if k > 0 {
			p, x = x/spans[k], x%spans[k]
		}
		if k == len(spans)-1 {
			in = x
		}
		off += x * l.coefs[k]
	}
	return off, in
}

// offsets computes the element offsets of the lanes from lo on.
func (s *stager) offsets(w *worker, lo int, offs []int64) {
	fillLinear(&s.line, s.spans, w.pos, lo, offs)
	tmp := w.ixs[0][:len(offs)]
	for i := range s.dims {
		d := &s.dims[i]
		d.tree.eval(w, lo, tmp, 0)
		stride := int64(d.stride)
		switch d.bounds {
		case ir.Clamped:
			top := int64(d.extent - 1)
			for i := range offs {
				if offs[i] != outside {
					offs[i] += stride * max(min(tmp[i], top), 0)
				}
			}
		case ir.Guarded:
			for i := range offs {
				o := offs[i] + stride*tmp[i]
				if uint64(tmp[i]) >= uint64(d.extent) || offs[i] == outside {
					o = outside
				}
				offs[i] = o
			}
		default:
			for i := range offs {
				if offs[i] != outside { // of a dimension before
					offs[i] += stride * tmp[i]
				}
			}
		}
	}
}

// load fills dst, and inside if the site is guarded (1 where an element was
// read).
func (s *stager) load(w *worker, lo, n int, dst unsafe.Pointer, inside []uint8) {
	if s.index {
		s.offsets(w, lo, unsafe.Slice((*int64)(dst), n))
		return
	}
	base := w.base(s.buf)
	if len(s.dims) == 0 {
		s.rows(w, lo, n, dst, base, true)
		return
	}
	offs := w.offs[:n]
	s.offsets(w, lo, offs)
	if inside != nil {
		for i, o := range offs {
			inside[i] = 1
			if o == outside {
				inside[i] = 0
			}
		}
	}
	switch s.size {
	case 1:
		gather[uint8](dst, base, offs)
	case 2:
		gather[uint16](dst, base, offs)
	case 4:
		gather[uint32](dst, base, offs)
	default:
		gather[uint64](dst, base, offs)
	}
}

func (s *stager) store(w *worker, lo, n int, src unsafe.Pointer) {
	base := w.base(s.buf)
	if len(s.dims) == 0 {
		s.rows(w, lo, n, src, base, false)
		return
	}
	offs := w.offs[:n]
	s.offsets(w, lo, offs)
	switch s.size {
	case 1:
		scatter[uint8](src, base, offs)
	case 2:
		scatter[uint16](src, base, offs)
	case 4:
		scatter[uint32](src, base, offs)
	default:
		scatter[uint64](src, base, offs)
	}
}

func gather[T any](dst, base unsafe.Pointer, offs []int64) {
	var z T
	d := unsafe.Slice((*T)(dst), len(offs))
	for i, o := range offs {
		if o == outside {
			d[i] = z
			continue
		}
		d[i] = *(*T)(unsafe.Add(base, int(o)*int(unsafe.Sizeof(z))))
	}
}

func scatter[T any](src, base unsafe.Pointer, offs []int64) {
	var z T
	for i, x := range unsafe.Slice((*T)(src), len(offs)) {
		*(*T)(unsafe.Add(base, int(offs[i])*int(unsafe.Sizeof(z)))) = x
	}
}

// rows moves rows of constant stride.
func (s *stager) rows(w *worker, lo, n int, scratch, base unsafe.Pointer, load bool) {
	start := s.line.at(w.pos)
	for n > 0 {
		off, m, rows, across, k := 0, n, 1, 0, 0
		if last := len(s.spans) - 1; last >= 0 {
			off, m, rows, across = s.line.rowsAt(s.spans, lo, n)
			k = s.line.coefs[last]
		}
		off += start
		for range rows {
			p := unsafe.Add(base, off*s.size)
			switch s.size {
			case 1:
				moveRow[uint8](scratch, p, m, k, load)
			case 2:
				moveRow[uint16](scratch, p, m, k, load)
			case 4:
				moveRow[uint32](scratch, p, m, k, load)
			default:
				moveRow[uint64](scratch, p, m, k, load)
			}
			scratch = unsafe.Add(scratch, m*s.size)
			off += across
		}
		lo += m * rows
		n -= m * rows
	}
}

func moveRow[T any](scratch, p unsafe.Pointer, n, k int, load bool) {
	var z T
	v := unsafe.Slice((*T)(scratch), n)
	step := k * int(unsafe.Sizeof(z))
	switch {
	case k == 1 && load:
		copy(v, unsafe.Slice((*T)(p), n))
	case k == 1:
		copy(unsafe.Slice((*T)(p), n), v)
	case load:
		for i := range v {
			v[i] = *(*T)(unsafe.Add(p, i*step))
		}
	default:
		for i := range v {
			*(*T)(unsafe.Add(p, i*step)) = v[i]
		}
	}
}
