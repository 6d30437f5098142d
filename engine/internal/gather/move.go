package gather

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/bound"
)

// Elem is the bits of an element in memory.
type Elem interface {
	uint8 | uint16 | uint32 | uint64
}

// Values gives access to the values of instructions that index expressions use.
type Values interface {
	// Value writes the value with the given handle to dst, an element for each lane
	// of the current block.
	Value(handle int32, dst []int64)
}

// A Scratch is the memory of one worker.
type Scratch struct {
	Pos     []int // position on each axis of the enclosing loops
	values  Values
	offs    []int64
	vectors [][]int64
	inside  []interval
}

// An interval is a range of lanes.
type interval struct{ lo, hi int }

// A Need says how much memory a Scratch needs for some accesses.
type Need struct {
	vectors int
	general bool
	guarded bool
}

// Add adds the memory that s needs.
func (n *Need) Add(s *Access) {
	n.vectors = max(n.vectors, s.vectors)
	n.general = n.general || s.Kind == General
	n.guarded = n.guarded || s.Kind == Guarded
}

// New returns the memory of a worker, for kernels with the given number of axes and
// calls with at most lanes lanes.
func (n *Need) New(axes, lanes int, v Values) Scratch {
	c := Scratch{Pos: make([]int, axes), values: v}
	if n.general {
		c.offs = make([]int64, lanes)
	}
	if n.guarded {
		c.inside = make([]interval, 0, lanes)
	}
	for range n.vectors {
		c.vectors = append(c.vectors, make([]int64, lanes))
	}
	return c
}

// Index writes the values of an index expression to dst, from position lo of the
// loop.
func (c *Scratch) Index(s *Access, lo int, dst []int64) {
	c.steps(s, lo, len(dst))
	copy(dst, c.vectors[0])
}

// One returns the value of an index expression that is the same in all lanes.
func (c *Scratch) One(s *Access) int {
	c.steps(s, 0, 1)
	return int(c.vectors[0][0])
}

// Load reads len(d) elements of an access, from position lo of the loop. base is
// the address of coordinate (0, 0, ...). Lanes outside the array become 0.
func Load[T Elem](c *Scratch, s *Access, base unsafe.Pointer, lo int, d []T) {
	switch s.Kind {
	case One:
		if len(d) > 0 {
			work.Fill(d, *elem[T](base, s.Line.At(c.Pos)))
		}
	case Run:
		k := s.Line.Spans[0].Coef
		loadRun(d, base, s.Line.At(c.Pos)+k*lo, k)
	case Rows:
		mover[T]{loadRun[T], loadPlane[T]}.rows(c, s, base, lo, d)
	case Guarded:
		loadGuarded(c, s, base, lo, d)
	case General:
		loadGeneral(d, base, c.offsets(s, lo, len(d)), s.masked)
	case Skip:
		clear(d)
	}
}

// Fill copies src to d in the lanes that the last Load found outside the array. The
// access must be masked.
func Fill[T any](c *Scratch, s *Access, d, src []T) {
	if s.Kind == Guarded {
		at := 0
		for _, v := range c.inside {
			copy(d[at:v.lo], src[at:v.lo])
			at = v.hi
		}
		copy(d[at:], src[at:])
		return
	}
	offs := c.offs[:len(d)]
	for i := range d {
		if offs[i] == outside {
			d[i] = src[i]
		}
	}
}

// Inside writes 1 for each lane that the last Load found inside the array, and 0
// for the others. The access must be masked.
func (c *Scratch) Inside(s *Access, d []uint8) {
	if s.Kind == Guarded {
		clear(d)
		for _, v := range c.inside {
			work.Fill(d[v.lo:v.hi], 1)
		}
		return
	}
	for i, o := range c.offs[:len(d)] {
		d[i] = 1
		if o == outside {
			d[i] = 0
		}
	}
}

// loadRun reads elements with stride k, from offset off.
func loadRun[T Elem](d []T, base unsafe.Pointer, off, k int) {
	switch {
	case len(d) == 0:
	case k == 1:
		copy(d, unsafe.Slice(elem[T](base, off), len(d)))
	case k == 0:
		work.Fill(d, *elem[T](base, off))
	default:
		for i := range d {
			d[i] = *elem[T](base, off)
			off += k
		}
	}
}

// A mover moves rows of constant stride: one row, or several whole ones in one call, because a call for each would cost
// more than a short row.
type mover[T Elem] struct {
	run   func(d []T, base unsafe.Pointer, off, k int)
	plane func(d []T, base unsafe.Pointer, off, e, k, across int)
}

// rows moves the rows of an access, from position lo of the loop.
func (f mover[T]) rows(c *Scratch, s *Access, base unsafe.Pointer, lo int, d []T) {
	spans := s.Line.Spans
	var w walk
	w.start(spans, s.Line.At(c.Pos), lo)
	last := len(spans) - 1
	e, k, across := spans[last].Extent, spans[last].Coef, spans[last-1].Coef
	for len(d) > 0 {
		if m := w.plane(spans, len(d)); m > 0 {
			f.plane(d[:m*e], base, w.off, e, k, across)
			d = d[m*e:]
			w.skip(spans, m)
			continue
		}
		m := min(w.left(spans), len(d))
		f.run(d[:m], base, w.off, k)
		d = d[m:]
		w.next(spans)
	}
}

// loadPlane reads whole rows of e elements, column by column. The step is k in a
// row and across from row to row.
func loadPlane[T Elem](d []T, base unsafe.Pointer, off, e, k, across int) {
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

// loadGuarded reads the part of each row that is inside the array. That part is an
// interval of lanes; loadGuarded appends it to c.inside.
func loadGuarded[T Elem](c *Scratch, s *Access, base unsafe.Pointer, lo int, d []T) {
	clear(d)
	c.inside = c.inside[:0]
	if s.single {
		lo = 0
	}
	spans := s.Line.Spans
	var w walk
	w.start(spans, s.Line.At(c.Pos), lo)
	last := len(spans) - 1
	for lane := 0; lane < len(d); {
		m := min(spans[last].Extent-w.idx[last], len(d)-lane)
		from, to := 0, m
		for i := range s.guards {
			g := &s.guards[i]
			x := g.line.At(c.Pos)
			for k, sp := range g.line.Spans {
				x += w.idx[k] * sp.Coef
			}
			from, to = bound.Clip(from, to, x, g.line.Step(), g.extent)
		}
		if from < to {
			k := spans[last].Coef
			loadRun(d[lane+from:lane+to], base, w.off+from*k, k)
			c.inside = append(c.inside, interval{lane + from, lane + to})
		}
		lane += m
		w.next(spans)
	}
}

// loadGeneral reads the elements at the given offsets.
func loadGeneral[T Elem](d []T, base unsafe.Pointer, offs []int64, masked bool) {
	offs = offs[:len(d)]
	if !masked {
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

// Store writes d to the elements of an access, from position lo of the loop. All
// elements must be inside the array.
func Store[T Elem](c *Scratch, s *Access, base unsafe.Pointer, lo int, d []T) {
	switch s.Kind {
	case One: // the last lane wins
		if len(d) > 0 {
			*elem[T](base, s.Line.At(c.Pos)) = d[len(d)-1]
		}
	case Run:
		k := s.Line.Spans[0].Coef
		storeRun(d, base, s.Line.At(c.Pos)+k*lo, k)
	case Rows:
		mover[T]{storeRun[T], storePlane[T]}.rows(c, s, base, lo, d)
	case General:
		offs := c.offsets(s, lo, len(d))
		for i := range d {
			*elem[T](base, int(offs[i])) = d[i]
		}
	}
}

// storePlane is loadPlane for stores.
func storePlane[T Elem](d []T, base unsafe.Pointer, off, e, k, across int) {
	for j := range e {
		o := off + j*k
		for i := j; i < len(d); i += e {
			*elem[T](base, o) = d[i]
			o += across
		}
	}
}

func storeRun[T Elem](d []T, base unsafe.Pointer, off, k int) {
	if k == 1 && len(d) >= 16 {
		copy(unsafe.Slice(elem[T](base, off), len(d)), d)
		return
	}
	for i := range d {
		*elem[T](base, off) = d[i]
		off += k
	}
}

// elem returns the address of element i of the array at p.
func elem[T any](p unsafe.Pointer, i int) *T {
	var z T
	return (*T)(unsafe.Add(p, i*int(unsafe.Sizeof(z))))
}
