package sorting

import "unsafe"

// Where only some keys of a part are wanted, one pass keeps those between two keys of a sample, and counts those below. It
// reads the part once and stores little, where partitions read and store it nearly twice.

// keepBand replaces a part by its keys near the wanted ones. It returns false, and the part is as before, if these keys do not
// have the wanted ones, if they are many, or if the part is where they would go.
func (u *run) keepBand(p *part) bool {
	if p.from == p.data {
		return false
	}
	lo, hi, ok := u.bandOf(p)
	if !ok {
		return false
	}
	code := u.avx2.partition(u.form(enter), between)
	if code == nil {
		return false
	}
	a, size := &u.args, u.f.size
	if a.pivot, a.above = lo, hi; u.raw {
		a.pivot, a.above = u.order.value(lo), u.order.value(hi)
	}
	a.lower, a.nan, a.below = 0, 0, [8]int32{}
	for at := 0; at < p.n; at += callKeys {
		u.forward(code, p, unsafe.Add(p.from, at*size), min(callKeys, p.n-at))
	}
	if a.nan != 0 { // the sort begins again, with integers as keys
		u.setRaw(false)
		return false
	}
	n, below := a.lower/size, 0
	for _, count := range a.below {
		below -= int(count)
	}
	below /= size / 4
	first, last := u.within(p)
	if below > u.places[first]-p.at || below+n <= u.places[last-1]-p.at || n > p.n/4*3 {
		return false
	}
	data := unsafe.Add(p.data, below*size)
	copy(unsafe.Slice((*byte)(data), n*size), unsafe.Slice((*byte)(p.data), n*size))
	*p = part{from: data, data: data, n: n, at: p.at + below, floor: lo, left: p.left}
	return true
}

// bandOf returns two keys between which the wanted ones of a part probably are. They are of a sample, or the bounds of all keys where no key
// of the sample is far enough outside. ok is false if too much of the part lies between them.
func (u *run) bandOf(p *part) (lo, hi int64, ok bool) {
	count := 2 * midSample
	if p.n >= manyKeys {
		count = largestSample
	}
	from, to := u.within(p)
	first, last := beside(p, count, u.places[from], -2), beside(p, count, u.places[to-1], 2)
	if last-first > count/2 {
		return 0, 0, false
	}
	sample := u.sampled(p, count)
	lo, hi = p.floor, u.most
	if first > 0 {
		lo = u.key(&sample, u.load(&sample, first))
	}
	if last < count-1 {
		hi = u.key(&sample, u.load(&sample, last+1))
	}
	return lo, hi, true
}
