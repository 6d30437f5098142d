package sorting

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
)

// Where only some keys of a part are wanted, one pass keeps those between two keys of a sample, and counts those below. It
// reads the part once and stores little, where partitions read and store it nearly twice.

// keepBand replaces a part by its keys near the wanted ones. It returns false, and the part is as before, if these keys do not
// have the wanted ones, if they are many, if the part is where they would go, or if it is short.
func (u *run) keepBand(p *part) bool {
	least := bandKeys
	if u.f.avx512 && len(u.places) == 1 {
		least = shortBand
	}
	if p.n < least || p.from == p.data {
		return false
	}
	code := u.f.partition(u.form(enter), between)
	if code == nil {
		return false
	}
	var sample part
	for _, far := range bandErrors {
		lo, hi, ok := u.bandOf(p, &sample, far)
		if !ok {
			break
		}
		n, below, ok := u.between(code, p, lo, hi)
		if !ok || n > p.n/4*3 {
			break
		}
		if first, last := u.within(p); below <= u.places[first]-p.at && below+n > u.places[last-1]-p.at {
			data, size := unsafe.Add(p.data, below*u.f.size), n*u.f.size
			copy(unsafe.Slice((*byte)(data), size), unsafe.Slice((*byte)(p.data), size))
			*p = part{from: data, data: data, n: n, at: p.at + below, floor: lo, left: p.left}
			return true
		}
	}
	return false
}

// bandErrors are the standard errors of a place of a sample between a wanted key and the ends of a band. A narrow band has few
// keys, and misses some of the wanted ones in a fifth of the parts; the second one misses few.
var bandErrors = [...]float64{1, 3}

// between moves the keys of p that are not below lo and not above hi to the beginning of data. It returns their number, and the
// number of the keys below lo. ok is false if p has a NaN: then the sort begins again, with integers as keys.
func (u *run) between(code *exec.Code, p *part, lo, hi int64) (n, below int, ok bool) {
	a, size := &u.args, u.f.size
	if a.pivot, a.above = lo, hi; u.raw {
		a.pivot, a.above = u.order.value(lo), u.order.value(hi)
	}
	a.lower, a.nan, a.below = 0, 0, [len(a.below)]int64{}
	for at := 0; at < p.n; at += callKeys {
		u.forward(code, p, unsafe.Add(p.from, at*size), min(callKeys, p.n-at))
	}
	if a.nan != 0 {
		u.setRaw(false)
		return 0, 0, false
	}
	for _, count := range a.below {
		if size == 4 { // two lanes
			count = count>>32 + int64(int32(count))
		}
		below -= int(count)
	}
	return a.lower / size, below, true
}

// bandOf returns two keys between which the wanted ones of a part probably are: so many standard errors beside them in a sample, or
// the bounds of all keys where no key of the sample is far enough outside. ok is false if too much of the part lies between them. It takes
// the sample if there is none.
func (u *run) bandOf(p, sample *part, far float64) (lo, hi int64, ok bool) {
	count, most := 2*midSample, largestSample
	switch {
	case sample.n > 0:
		count, most = sample.n, sample.n
	case p.n >= manyKeys:
		count = most
	case p.n < bandKeys:
		most = min(most, u.f.largest())
	}
	from, to := u.within(p)
	ends := func() (first, last int) {
		return beside(p, count, u.places[from], -far), beside(p, count, u.places[to-1], far)
	}
	first, last := ends()
	for u.f.avx512 && count < most && p.n*(last-first) > count*u.f.largest() { // else one network sorts the keys of the band
		count *= 2
		first, last = ends()
	}
	if last-first > count/2 {
		return 0, 0, false
	}
	if sample.n == 0 {
		*sample = u.sampled(p, count)
	}
	lo, hi = p.floor, u.most
	if first > 0 {
		lo = u.key(sample, u.load(sample, first))
	}
	if last < count-1 {
		hi = u.key(sample, u.load(sample, last+1))
	}
	return lo, hi, true
}
