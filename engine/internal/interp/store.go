package interp

import (
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// storeRaw writes a register. It has nothing to do if the register is the array
// itself: see vecInfo.direct.
func storeRaw[T rawElem](f *frame, in *ins, n int) {
	s := &f.sites[in.aux]
	d := vec[T](f, in.a, n)
	if s.view && f.at(in.a) == unsafe.Pointer(elem[T](f.base(s.buf), s.line.at(f)+f.lo)) {
		return
	}
	put(f, s, d)
}

func storeF16(f *frame, in *ins, n int) {
	a, raw := vec[float32](f, in.a, n), f.scratch(n)
	narrowF16(raw, a)
	put(f, &f.sites[in.aux], raw)
}

func storeBF16(f *frame, in *ins, n int) {
	a, raw := vec[float32](f, in.a, n), f.scratch(n)
	for i := range raw {
		raw[i] = dtype.BF16Bits(a[i])
	}
	put(f, &f.sites[in.aux], raw)
}

// put writes bits to the elements of a site, which all lie inside.
func put[T rawElem](f *frame, s *site, d []T) {
	base := f.base(s.buf)
	switch s.kind {
	case oneSite: // the last lane stays
		if len(d) > 0 {
			*elem[T](base, s.line.at(f)) = d[len(d)-1]
		}
	case runSite:
		k := s.line.spans[0].coef
		putRun(d, base, s.line.at(f)+k*f.lo, k)
	case rowsSite:
		l := &s.line
		var w walk
		w.start(l, l.at(f), f.lo)
		last := len(l.spans) - 1
		e, k, across := l.spans[last].extent, l.spans[last].coef, l.spans[last-1].coef
		for len(d) > 0 {
			if m := w.plane(l, len(d)); m > 0 {
				for j := range e {
					o := w.off + j*k
					for i := j; i < m*e; i += e {
						*elem[T](base, o) = d[i]
						o += across
					}
				}
				d = d[m*e:]
				w.skip(l, m)
				continue
			}
			m := min(w.left(l), len(d))
			putRun(d[:m], base, w.off, k)
			d = d[m:]
			w.next(l)
		}
	case generalSite:
		offs := offsets(f, s, len(d))
		for i := range d {
			*elem[T](base, int(offs[i])) = d[i]
		}
	}
}

func putRun[T rawElem](d []T, base unsafe.Pointer, off, k int) {
	if k == 1 && len(d) >= 16 {
		copy(unsafe.Slice(elem[T](base, off), len(d)), d)
		return
	}
	for i := range d {
		*elem[T](base, off) = d[i]
		off += k
	}
}
