package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/affine"
	"github.com/oneloop/oneloop/plan/ir"
)

// loadKernels and storeKernels move elements of a buffer type.
var loadKernels, storeKernels [numTypes]kernel

func init() {
	for t, fns := range map[dtype.Type][2]kernel{
		dtype.Bool: {loadBool, storeRaw[uint8]},
		dtype.I8:   {loadRaw[uint8], storeRaw[uint8]},
		dtype.U8:   {loadRaw[uint8], storeRaw[uint8]},
		dtype.I32:  {loadRaw[uint32], storeRaw[uint32]},
		dtype.U32:  {loadRaw[uint32], storeRaw[uint32]},
		dtype.F32:  {loadRaw[uint32], storeRaw[uint32]},
		dtype.I64:  {loadRaw[uint64], storeRaw[uint64]},
		dtype.U64:  {loadRaw[uint64], storeRaw[uint64]},
		dtype.F64:  {loadRaw[uint64], storeRaw[uint64]},
		dtype.F16:  {loadF16, storeF16},
		dtype.BF16: {loadBF16, storeBF16},
	} {
		loadKernels[t], storeKernels[t] = fns[0], fns[1]
	}
}

// A rawElem is the bits of an element in memory.
type rawElem interface {
	uint8 | uint16 | uint32 | uint64
}

// A interval is a range of lanes.
type interval struct{ lo, hi int }

// base is the address of coordinate (0, 0, ...) of a buffer.
func (f *frame) base(buf int32) unsafe.Pointer {
	if p := f.rows[buf]; p != nil {
		return p
	}
	return f.inst.bind.Bufs[buf].Ptr
}

func loadRaw[T rawElem](f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	if s.view && !f.inst.overlap {
		f.set(in.d, unsafe.Pointer(elem[T](f.base(s.buf), s.line.at(f)+f.lo)))
		return
	}
	d := vec[T](f, in.d, n)
	fetch(f, s, d)
	patch(f, s, in, d)
}

func loadBool(f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d := vec[uint8](f, in.d, n)
	fetch(f, s, d)
	for i, x := range d {
		b := uint8(0)
		if x != 0 {
			b = 1
		}
		d[i] = b
	}
	patch(f, s, in, d)
}

func loadF16(f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d, raw := vec[float32](f, in.d, n), f.scratch(n)
	fetch(f, s, raw)
	widenF16(d, raw)
	patch(f, s, in, d)
}

func loadBF16(f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d, raw := vec[float32](f, in.d, n), f.scratch(n)
	fetch(f, s, raw)
	for i := range d {
		d[i] = dtype.BF16Value(raw[i])
	}
	patch(f, s, in, d)
}

// scratch is room for the bits of halves.
func (f *frame) scratch(n int) []uint16 { return (*[block]uint16)(f.raw)[:n:n] }

// fetch reads the elements of a site as bits. Lanes outside a guarded array
// become 0 and are left for patch.
func fetch[T rawElem](f *frame, s *site, d []T) {
	switch s.kind {
	case oneSite:
		if len(d) > 0 {
			fill(d, *elem[T](f.base(s.buf), s.line.at(f)))
		}
	case runSite:
		k := s.line.spans[0].coef
		fetchRun(d, f.base(s.buf), s.line.at(f)+k*f.lo, k)
	case rowsSite:
		fetchRows(f, &s.line, d, f.base(s.buf))
	case guardSite:
		fetchGuarded(f, s, d, f.base(s.buf))
	case generalSite:
		fetchGeneral(d, f.base(s.buf), offsets(f, s, len(d)), s.bounds == ir.Guarded)
	case skipSite:
		clear(d)
	}
}

// fetchRun reads with a constant stride.
func fetchRun[T rawElem](d []T, base unsafe.Pointer, off, k int) {
	switch {
	case len(d) == 0:
	case k == 1:
		copy(d, unsafe.Slice(elem[T](base, off), len(d)))
	case k == 0:
		fill(d, *elem[T](base, off))
	default:
		for i := range d {
			d[i] = *elem[T](base, off)
			off += k
		}
	}
}

// fetchRows reads rows of constant stride. Short rows are too short for a call
// each.
func fetchRows[T rawElem](f *frame, l *linear, d []T, base unsafe.Pointer) {
	var w walk
	w.start(l, l.at(f), f.lo)
	last := len(l.spans) - 1
	e, k, across := l.spans[last].extent, l.spans[last].coef, l.spans[last-1].coef
	for len(d) > 0 {
		if m := w.plane(l, len(d)); m > 0 {
			fetchPlane(d[:m*e], base, w.off, e, k, across)
			d = d[m*e:]
			w.skip(l, m)
			continue
		}
		m := min(w.left(l), len(d))
		fetchRun(d[:m], base, w.off, k)
		d = d[m:]
		w.next(l)
	}
}

// fetchPlane reads whole rows of e elements with steps k in a row and across
// from row to row, column by column.
func fetchPlane[T rawElem](d []T, base unsafe.Pointer, off, e, k, across int) {
	if across == 0 {
		for i := range d[:e] {
			d[i] = *elem[T](base, off+i*k)
		}
		for m := e; m < len(d); {
			m += copy(d[m:], d[:m])
		}
		return
	}
	for j := range e {
		o := off + j*k
		for i := j; i < len(d); i += e {
			d[i] = *elem[T](base, o)
			o += across
		}
	}
}

// fetchGuarded reads the part of each row that lies inside, which is an
// interval, and notes it.
func fetchGuarded[T rawElem](f *frame, s *site, d []T, base unsafe.Pointer) {
	clear(d)
	f.spans = f.spans[:0]
	l := &s.line
	var w walk
	p := f.lo
	if s.single {
		p = 0
	}
	w.start(l, l.at(f), p)
	last := len(l.spans) - 1
	for lane := 0; lane < len(d); {
		j := w.idx[last]
		m := min(l.spans[last].extent-j, len(d)-lane)
		lo, hi := 0, m
		for i := range s.guards {
			g := &s.guards[i]
			c := g.line.at(f)
			for k, sp := range g.line.spans {
				c += w.idx[k] * sp.coef
			}
			lo, hi = clip(lo, hi, c, g.line.spans[last].coef, g.extent)
		}
		if lo < hi {
			fetchRun(d[lane+lo:lane+hi], base, w.off+lo*l.spans[last].coef, l.spans[last].coef)
			f.spans = append(f.spans, interval{lane + lo, lane + hi})
		}
		lane += m
		w.next(l)
	}
}

// clip narrows lo <= i < hi to where 0 <= c + k*i < extent.
func clip(lo, hi, c, k, extent int) (int, int) {
	switch {
	case k == 0:
		if c < 0 || c >= extent {
			return 0, 0
		}
	case k > 0:
		lo = max(lo, -affine.FloorDiv(c, k))
		hi = min(hi, affine.FloorDiv(extent-1-c, k)+1)
	default:
		lo = max(lo, -affine.FloorDiv(extent-1-c, -k))
		hi = min(hi, affine.FloorDiv(c, -k)+1)
	}
	return lo, hi
}

// fetchGeneral gathers.
func fetchGeneral[T rawElem](d []T, base unsafe.Pointer, offs []int64, guarded bool) {
	offs = offs[:len(d)]
	if !guarded {
		for i := range d {
			d[i] = *elem[T](base, int(offs[i]))
		}
		return
	}
	for i := range d {
		if offs[i] == outside {
			d[i] = 0
		} else {
			d[i] = *elem[T](base, int(offs[i]))
		}
	}
}

// patch puts the fill value into the lanes that fetch found outside.
func patch[T any](f *frame, s *site, in *ins, d []T) {
	switch {
	case s.kind == guardSite:
		src := vec[T](f, in.a, len(d))
		at := 0
		for _, v := range f.spans {
			copy(d[at:v.lo], src[at:v.lo])
			at = v.hi
		}
		copy(d[at:], src[at:])
	case s.kind == generalSite && s.bounds == ir.Guarded:
		src, offs := vec[T](f, in.a, len(d)), f.offs[:len(d)]
		for i := range d {
			if offs[i] == outside {
				d[i] = src[i]
			}
		}
	}
}
