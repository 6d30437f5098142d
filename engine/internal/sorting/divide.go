package sorting

import (
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/tree"
)

// A division moves the elements of a row, or their positions, to another place: the lower ones from its
// beginning on, the others from its end down.
type division[K int32 | int64] struct {
	*run
	row, to    []K
	code       *exec.Code // nil: there is none
	positions  bool
	lower, end int // what is left of to
}

// divide stores the elements of the row at From, or their positions, in two parts. The sort has put the
// element between them to To.
func (u *run) divide(r *tree.Rows) {
	if u.f.size == 8 {
		divide[int64](u, r)
	} else {
		divide[int32](u, r)
	}
}

// divide puts the first elements with equal keys into the lower part. So it divides the elements before the one between the
// parts by the next key, and the elements behind it by its key.
func divide[K int32 | int64](u *run, r *tree.Rows) {
	place, n := r.Places[0], r.Length
	sorted, row := unsafe.Slice((*K)(r.To), n), unsafe.Slice((*K)(r.From), n)
	key := u.order.key(int64(sorted[place]))
	first := place // of the equal keys
	for first > u.low && sorted[first-1] == sorted[place] {
		first--
	}
	at := find(u, row, sorted[place], place-first)
	d := division[K]{run: u, row: row, to: unsafe.Slice((*K)(r.Parted), n), positions: r.Positions, end: n}
	how, narrow := values, false
	if r.Positions {
		how, narrow = positions, u.f.size < 8
	}
	if narrow {
		d.to = sorted
	}
	d.code = u.f.partition(u.order.form(enter), how)
	d.move(at, false) // the first of the upper ones
	if key == u.order.most {
		for i := range at {
			d.move(i, true)
		}
	} else {
		d.part(0, at, key+1)
	}
	d.part(at+1, n, key)
	upper := d.to[place:]
	if !narrow {
		reverse(upper)
		return
	}
	widen(unsafe.Slice((*int64)(r.Parted), n), d.to, place)
}

// widen stores positions of 32 bits, which have no sign: the lower ones, then the others in reverse.
func widen[K int32 | int64](to []int64, from []K, place int) {
	for i, x := range from[:place] {
		to[i] = int64(uint32(x))
	}
	for i, x := range from[place:] {
		to[len(to)-1-i] = int64(uint32(x))
	}
}

// find returns the position of an element of a row that has the same key as a value. It skips some of them.
func find[K int32 | int64](u *run, row []K, value K, skip int) int {
	nan := u.order.key(int64(value)) == u.order.most // has several values
	for at := 0; ; at++ {
		if !nan {
			at += before(row[at:], value)
		}
		if at >= len(row)-1 { // the last one, unless the row changes at the same time
			return len(row) - 1
		}
		if row[at] == value || u.order.key(int64(row[at])) == u.order.most && nan {
			if skip == 0 {
				return at
			}
			skip--
		}
	}
}

// before returns the number of elements before the first one of a value.
func before[K int32 | int64](row []K, value K) int {
	n := 0
	for ; len(row) >= 8; row = row[8:] { // a loop over single elements takes three times as long
		r := (*[8]K)(row)
		if r[0] == value || r[1] == value || r[2] == value || r[3] == value || r[4] == value || r[5] == value || r[6] == value || r[7] == value {
			break
		}
		n += len(r)
	}
	for _, x := range row {
		if x == value {
			break
		}
		n++
	}
	return n
}

// reverse reverses the order of elements.
func reverse[K int32 | int64](x []K) {
	for ; len(x) >= 8; x = x[4 : len(x)-4] {
		a, b := (*[4]K)(x), (*[4]K)(x[len(x)-4:])
		a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3] = b[3], b[2], b[1], b[0], a[3], a[2], a[1], a[0]
	}
	slices.Reverse(x)
}

// part moves the elements lo..hi of the row. The lower ones have keys below a pivot.
func (d *division[K]) part(lo, hi int, pivot int64) {
	a, size, lanes := &d.args, d.f.size, d.f.partitioner().lanes()
	vectors := (hi - lo) / lanes * lanes
	if rest := d.end - d.lower - vectors; d.code == nil {
		vectors = 0
	} else if vectors > 0 && rest > 0 && rest < lanes { // both stores of the last vector would not fit
		vectors -= lanes
	}
	a.tables, a.pivot, a.high = backwardTables(), pivot, unsafe.Pointer(&d.to[0])
	for at := lo; at < lo+vectors; at += a.n {
		a.n, a.first = min(callKeys, lo+vectors-at), at
		a.from, a.to, a.end = unsafe.Pointer(&d.row[at]), unsafe.Pointer(&d.to[d.lower]), d.end*size
		d.code.Call(unsafe.Pointer(a))
		d.lower += a.low
		d.end -= a.n - a.low
	}
	a.tables = theTables()
	for i := lo + vectors; i < hi; i++ {
		d.move(i, d.order.key(int64(d.row[i])) < pivot)
	}
}

// move moves one element of the row.
func (d *division[K]) move(i int, lower bool) {
	x := d.row[i]
	if d.positions {
		x = K(i)
	}
	if lower {
		d.to[d.lower] = x
		d.lower++
	} else {
		d.end--
		d.to[d.end] = x
	}
}
