package layout

import (
	"cmp"
	"slices"
)

// Windows of the sites of rows that are laid across vectors.

// laidBytes is the bytes of the widest vectors, which an estimate of windows assumes.
const laidBytes = 64

// A Window is contiguous elements that have some lanes of a vector of a laid site: Start is
// the offset of the first in elements.
type Window struct {
	Start int
	Lanes []Picked
}

// A Picked is a lane and the position of its element in a window.
type Picked struct{ Lane, At int }

// Block returns the number of vectors of w lanes until the pattern of rows repeats.
func (bp *Phase) Block(w int) int {
	a, b := bp.Laid, w
	for b != 0 {
		a, b = b, a%b
	}
	return bp.Laid / a
}

// LaidRow returns the elements from row to row of a laid site.
func (bp *Phase) LaidRow(s *Site) int { return s.Line.Spans[len(s.Line.Spans)-1-bp.LaidSpans].Coef }

// laidOffset returns the offset of element e of a row of a laid site.
func (bp *Phase) laidOffset(s *Site, e int) (o int) {
	for i := range bp.LaidSpans {
		x := &s.Line.Spans[len(s.Line.Spans)-1-i]
		o += e % x.Extent * x.Coef
		e /= x.Extent
	}
	return o
}

// LaidUnit reports whether the elements of a row of a laid site follow each other.
func (bp *Phase) LaidUnit(s *Site) bool {
	for e := range bp.Laid {
		if bp.laidOffset(s, e) != e {
			return false
		}
	}
	return true
}

// laidRange returns the least and the greatest offset of the first n lanes of a block. It looks at single elements of the last row only.
func (bp *Phase) laidRange(s *Site, n int) (lo, hi int) {
	rows := n / bp.Laid
	if rows > 0 {
		last := (rows - 1) * bp.LaidRow(s)
		lo, hi = min(0, last), max(0, last)
		for i := range bp.LaidSpans {
			x := &s.Line.Spans[len(s.Line.Spans)-1-i]
			lo, hi = lo+min(0, (x.Extent-1)*x.Coef), hi+max(0, (x.Extent-1)*x.Coef)
		}
	}
	for e := range n % bp.Laid {
		o := rows*bp.LaidRow(s) + bp.laidOffset(s, e)
		lo, hi = min(lo, o), max(hi, o)
	}
	return lo, hi
}

// LaidOffsets returns the offsets of n lanes of a block from lane first on, in elements.
func (bp *Phase) LaidOffsets(s *Site, first, n int) []int {
	out := make([]int, n)
	for i := range out {
		e := first + i
		out[i] = e/bp.Laid*bp.LaidRow(s) + bp.laidOffset(s, e%bp.Laid)
	}
	return out
}

// LaidWindows returns the windows of w elements that have n lanes of a block, from lane first on.
// If the site goes on from row to row, a window may have elements of rows further on. If the target blends, and these and the lanes before
// span a window, it has only elements between those of lanes that are there: these, those before, and the first known ones. A window that
// begins with an element of a lane crosses no line more often than one that ends with one.
func (bp *Phase) LaidWindows(s *Site, first, n, w, known int) (out []Window) {
	offsets := bp.LaidOffsets(s, first, n)
	row := bp.LaidRow(s)
	order := slices.Clone(offsets)
	slices.Sort(order)
	if row < 0 {
		slices.Reverse(order)
	}
	lo, hi := bp.laidRange(s, bp.Laid)
	least, last := bp.laidRange(s, first+n)
	spans := last-least >= w-1
	_, last = bp.laidRange(s, max(first+n, known))
	for _, o := range order {
		in := func(x Window) bool { return x.Start <= o && o < x.Start+w }
		if slices.ContainsFunc(out, in) {
			continue
		}
		start := o
		switch {
		case row < 0:
			start -= w - 1
		case row == 0: // no elements follow
			start = max(min(start, hi+1-w), lo)
		}
		if bp.Blends && spans {
			start = max(min(start, last+1-w), least)
		}
		out = append(out, Window{Start: start})
	}
	for i, o := range offsets {
		at := slices.IndexFunc(out, func(x Window) bool { return x.Start <= o && o < x.Start+w })
		out[at].Lanes = append(out[at].Lanes, Picked{i, o - out[at].Start})
	}
	return out
}

// LaidVector returns the windows of w elements that have w lanes of a block from lane first on. If the target
// blends them, those windows are preferred in which each element has the number of its lane.
func (bp *Phase) LaidVector(s *Site, first, w, known int) []Window {
	windows := bp.LaidWindows(s, first, w, w, known)
	if bp.Blends && s.Size >= 4 {
		if x := bp.inPlace(s, first, w); len(x) <= len(windows)+1 && bp.within(s, x, w, first+w) {
			return x
		}
	}
	return windows
}

// mostBlended is the most windows of narrow elements that are blended: those of each 16 bytes take fewer instructions.
const mostBlended = 3

// LaidBlended returns at most mostBlended windows of w narrow elements in which each element has the number of its lane, from lane first
// of a block on, if none has elements outside the lanes. Else it returns nil.
func (bp *Phase) LaidBlended(s *Site, first, w int) []Window {
	if x := bp.inPlace(s, first, w); len(x) <= mostBlended && bp.within(s, x, w, first+w) {
		return x
	}
	return nil
}

// LoadsEach reports whether w elements of size bytes in so many windows are loaded one by one: most windows had few.
func LoadsEach(windows, w, size int) bool {
	if size < 4 {
		return windows > max(8/size, w/4)
	}
	return windows > w/2
}

// inPlace returns windows of w elements in which each element has the number of its lane, from lane first of a block on.
func (bp *Phase) inPlace(s *Site, first, w int) (out []Window) {
	for i, o := range bp.LaidOffsets(s, first, w) {
		at := slices.IndexFunc(out, func(x Window) bool { return x.Start == o-i })
		if at < 0 {
			at, out = len(out), append(out, Window{Start: o - i})
		}
		out[at].Lanes = append(out[at].Lanes, Picked{i, i})
	}
	return out
}

// within reports whether all elements of windows of w elements lie between elements that the first lanes of a block have.
func (bp *Phase) within(s *Site, windows []Window, w, lanes int) bool {
	lo, hi := bp.laidRange(s, lanes)
	return !slices.ContainsFunc(windows, func(x Window) bool { return x.Start < lo || x.Start+w-1 > hi })
}

// LaidSame returns the elements that w lanes of a block from lane first on have, as windows of one element each, if these are one, or two of at least 4 bytes:
// a row has one, and the vector has lanes of two rows. It returns nil if they are more.
func (bp *Phase) LaidSame(s *Site, first, w int) (out []Window) {
	for i, o := range bp.LaidOffsets(s, first, w) {
		k := len(out)
		switch {
		case k > 0 && out[k-1].Start == o:
			k--
		case k == 2 || k == 1 && s.Size < 4:
			return nil
		default:
			out = append(out, Window{Start: o})
		}
		out[k].Lanes = append(out[k].Lanes, Picked{i, 0})
	}
	return out
}

// fewBytes is the bytes of the windows of [Phase.LaidFew].
const fewBytes = 8

// LaidFew returns a window of n elements of 1 or 2 bytes that has w lanes of a block from lane first on, if fewBytes have them and the
// target has a load that repeats so many. Else n is 0. It ends with the last element of a lane if it can.
func (bp *Phase) LaidFew(s *Site, first, w int) (x Window, n int) {
	if !bp.repeatsFew || s.Size >= 4 || s.Gather != nil || bp.LaidRow(s) < 0 {
		return x, 0
	}
	offsets := bp.LaidOffsets(s, first, w)
	lo, hi := slices.Min(offsets), slices.Max(offsets)
	least, last := bp.laidRange(s, first+w)
	for n = 1; n < hi-lo+1; n *= 2 {
	}
	x.Start = max(min(lo, last+1-n), least)
	if n*s.Size > fewBytes || bp.LaidRow(s) == 0 && x.Start+n-1 > last {
		return x, 0
	}
	for i, o := range offsets {
		x.Lanes = append(x.Lanes, Picked{i, o - x.Start})
	}
	return x, n
}

// LaidWithin reports whether the loads of w lanes of a block from lane first on read no elements of other lanes, if there are at
// least so many lanes. Those of bytes have 16 bytes, or may have all of a vector of 64.
func (bp *Phase) LaidWithin(s *Site, first, w, lanes int) bool {
	if s.Takes {
		return true
	}
	inside := func(first, n int) bool {
		windows := bp.LaidVector(s, first, n, 0)
		return LoadsEach(len(windows), n, s.Size) || bp.within(s, windows, n, lanes)
	}
	if s.Size >= 4 {
		return bp.LaidSame(s, first, w) != nil || inside(first, w)
	}
	if x, n := bp.LaidFew(s, first, w); n > 0 {
		return bp.within(s, []Window{x}, n, lanes)
	}
	parts := []int{min(w, 16/s.Size)}
	if bp.Permutes(s.Size, w) {
		parts = append(parts, w)
	}
	if w*s.Size == narrowBytes && bp.LaidBlended(s, first, w) != nil {
		return true
	}
	for _, n := range parts {
		for at := first; at < first+w; at += n {
			if !inside(at, n) {
				return false
			}
		}
	}
	return true
}

// LaidOnce reports whether all rows read the same elements of a laid site, and these are fewer
// than w, or rows are many: each call reads them once, by themselves.
func (bp *Phase) LaidOnce(s *Site, w int) bool {
	lo, hi := bp.laidRange(s, bp.Laid)
	return s.Gather == nil && bp.LaidRow(s) == 0 && (hi-lo < w || bp.ManyRows)
}

// Plane reports whether the rows of a laid site are interleaved from arrays: element k of all rows is
// contiguous, so vectors of w lanes of each k make as many vectors of whole rows.
func (bp *Phase) Plane(s *Site, w int) bool {
	return s.plane && s.Kind == Laid && (w*cmp.Or(bp.LaneSize, bp.Widest()) == narrowBytes || PlaneBytes(w*s.Size))
}

// PlaneBytes reports whether a network interleaves vectors of so many bytes. Elements that have as many with the lanes of wider ones
// are interleaved before they are widened.
func PlaneBytes(n int) bool { return n == narrowBytes || 2*n == narrowBytes }

// Bounds reports whether masks can bound the loads of a laid site to the elements of their lanes, in vectors of w lanes. Those of narrow
// elements need a permute of the elements of a vector.
func (bp *Phase) Bounds(s *Site, w int) bool {
	return s.Size >= 4 || bp.Permutes(s.Size, w)
}

// Permutes reports whether AVX-512 permutes elements of 1 or 2 bytes for all w lanes of a vector at once: at least 16 bytes, for lanes that fill
// the widest one.
func (bp *Phase) Permutes(size, w int) bool {
	return bp.Blends && !bp.repeatsFew && size >= bp.joined && w*size >= 16 && w*cmp.Or(bp.LaneSize, bp.Widest()) == laidBytes
}

// Bounded reports whether the loads of a laid site are bounded in all iterations. Each takes a mask, but many lanes would have to follow
// where windows have elements of more rows than their lanes.
func (bp *Phase) Bounded(s *Site, w int) bool {
	row := bp.LaidRow(s)
	return s.Size < 4 && bp.Bounds(s, w) && -bp.Laid < row && row < bp.Laid
}

// LaidMargin returns the number of lanes that must follow a block of w lanes for each vector, so
// that all windows are inside the arrays.
func (bp *Phase) LaidMargin(w int) (lanes int) {
	for i := range bp.Sites {
		if s := &bp.Sites[i]; s.Kind == Laid && s.Gather == nil && !bp.Lowered.Sites[i].Store && !bp.Plane(s, w) { // the others are under masks
			if row := bp.LaidRow(s); row != 0 && !bp.wholeVectors(s, w) && !bp.Bounded(s, w) && !bp.inside(s, w) {
				lanes = max(lanes, ((bp.longestWindow(s, w)-2)/max(row, -row)+2)*bp.Laid)
			}
		}
	}
	return lanes
}

// longestWindow returns the most elements of a window of the vectors of w lanes of a laid site.
func (bp *Phase) longestWindow(s *Site, w int) (most int) {
	for v := range bp.Block(w) {
		_, n := bp.LaidFew(s, v*w, w)
		if n == 0 {
			return w
		}
		most = max(most, n)
	}
	return most
}

// inside reports whether the windows of all vectors of a block of a laid site have no elements outside the lanes.
func (bp *Phase) inside(s *Site, w int) bool {
	for v := range bp.Block(w) {
		if !bp.Blends || !bp.LaidWithin(s, v*w, w, (v+1)*w) {
			return false
		}
	}
	return true
}

// wholeVectors reports whether the vectors of w lanes of a laid site are neighbouring elements of
// one row: no window has others.
func (bp *Phase) wholeVectors(s *Site, w int) bool {
	return bp.LaneSize == 0 && s.Size >= 4 && bp.Laid%w == 0 && bp.LaidRow(s) > 0 && bp.LaidUnit(s)
}
