package sorting

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
)

// Rows of several networks are merged: pairs of sorted blocks of keys first, then pairs of these.

// sortsWhole reports whether rows of n values are sorted without a partition.
func (f *family) sortsWhole(n int) bool {
	return n <= f.largest() || f.stored == f.size && n <= f.blocks*f.largest()
}

// mergedRows sorts neighbouring rows of more than largest keys, or values as f says, without a partition. It
// returns false if there is no kernel, or if their length needs a partition.
func (u *run) mergedRows(to, from unsafe.Pointer, count, length int, f form) bool {
	if !u.f.sortsWhole(length) {
		return false
	}
	row, short := length*u.f.size, length <= 2*u.f.largest()
	most := max(1, mergedAtOnce/(u.f.blocksOf(length)*u.f.most*u.f.vector))
	if short {
		most = max(1, smallBytes/row)
	}
	for at := 0; at < count; at += most {
		to, from, some := unsafe.Add(to, at*row), unsafe.Add(from, at*row), min(most, count-at)
		if short && !u.halves(rows{to, from, some, row, row}, length, f) || !short && !u.blocks(to, from, some, length, f) {
			return false
		}
	}
	return true
}

// halves sorts some rows of at most twice largest keys, of which it enters and leaves values as f says, as two
// halves each. It returns false, and does nothing, if there is no kernel.
// After a NaN it sorts all rows again, which have the same values, with integers as keys.
func (u *run) halves(r rows, length int, f form) bool {
	most, size := u.f.largest(), u.f.size
	n := length - most
	for first := u.raw; ; first = false {
		low := network{u.f.most, u.f.lanes(), u.form(f & enter)}
		high := low
		high.vectors = (n + u.f.lanes() - 1) / u.f.lanes()
		code := u.f.merge(high.vectors, u.form(f&leave))
		if code == nil || u.f.network(low) == nil || u.f.network(high) == nil {
			return false
		}
		u.network(low, r, most)
		if u.args.rows == 0 {
			u.network(high, rows{unsafe.Add(r.to, most*size), unsafe.Add(r.from, most*size), r.n, r.toStep, r.step}, n)
		}
		if first && u.args.rows > 0 {
			u.setRaw(false)
			continue
		}
		u.call(code, rows{r.to, r.to, r.n, r.toStep, r.toStep}, n-(high.vectors-1)*u.f.lanes())
		return true
	}
}

// blocksOf returns the number of blocks of a row.
func (f *family) blocksOf(n int) int { return (n + f.largest() - 1) / f.largest() }

// blocks sorts neighbouring rows of more than twice largest keys that are sorted whole, like halves: pairs of
// blocks first, then their merges. The last block of a row is filled up with the greatest key.
func (u *run) blocks(to, from unsafe.Pointer, some, n int, f form) bool {
	keys, each, bytes := unsafe.Pointer(&u.work), u.f.largest(), u.f.most*u.f.vector
	count := u.f.blocksOf(n)
	row, step := count*bytes, n*u.f.size
	for before := u.raw; ; before = u.raw {
		if !u.pairs(rows{nil, from, some, row, step}, n, f&enter) {
			return false
		}
		if u.raw == before { // else there is a NaN
			break
		}
	}
	for i := range some {
		u.pad(i*count*each+n, (i+1)*count*each)
	}
	opposite, same := u.f.exchange(true, u.form(0)), u.f.exchange(false, u.form(0))
	sort, last := u.f.bitonic(u.form(0)), u.f.bitonic(u.form(f&leave))
	if opposite == nil || same == nil || sort == nil || last == nil {
		return false
	}
	// in calls code for some places of each row, a number of bytes apart.
	in := func(code *exec.Code, to, from, places, apart, blocks int) {
		some, row := some, row
		if places > some { // as few calls as there can be
			places, apart, some, row = some, row, places, apart
		}
		for i := range places {
			u.call(code, rows{unsafe.Add(keys, to+i*apart), unsafe.Add(keys, from+i*apart), some, row, row}, blocks*u.f.most)
		}
	}
	for half := 2; half < count; half *= 2 {
		for lo := 0; lo+half < count; lo += 2 * half {
			there := min(2*half, count-lo)
			at, middle := lo*bytes, (lo+half)*bytes
			in(opposite, middle, middle-u.f.vector, 1, 0, there-half)
			for d := half / 2; d > 0; d /= 2 {
				whole := there / (2 * d)
				in(same, at+d*bytes, at, whole, 2*d*bytes, d)
				if rest := there - whole*2*d - d; rest > 0 {
					end := at + whole*2*d*bytes
					in(same, end+d*bytes, end, 1, 0, rest)
				}
			}
			if 2*half < count {
				in(sort, at, at, there, bytes, 0)
			}
		}
	}
	done := n / each * bytes
	for i := range some {
		u.call(last, rows{unsafe.Add(to, i*step), unsafe.Add(keys, i*row), n / each, bytes, bytes}, 0)
	}
	if done < step {
		in(last, done, done, 1, 0, 0)
		for i := range some {
			copy(unsafe.Slice((*byte)(unsafe.Add(to, i*step+done)), step-done), u.work[i*row+done:])
		}
	}
	return true
}

// pairs sorts pairs of blocks of rows into work, in as few calls of kernels as there can be. The last pair of a row has less keys.
func (u *run) pairs(r rows, n int, f form) bool {
	each, from, at := 2*u.f.largest(), r.from, 0
	if whole := n / each; whole > r.n {
		at = whole * each
		bytes := each * u.f.size
		for i := range r.n {
			if !u.halves(rows{unsafe.Add(unsafe.Pointer(&u.work), i*r.toStep), unsafe.Add(from, i*r.step), whole, bytes, bytes}, each, f) {
				return false
			}
		}
	}
	for ; at < n; at += each {
		some := min(each, n-at)
		r.to, r.from = unsafe.Add(unsafe.Pointer(&u.work), at*u.f.size), unsafe.Add(from, at*u.f.size)
		if some > each/2 {
			if !u.halves(r, some, f) {
				return false
			}
			continue
		}
		if !u.network(network{vectors: (some + u.f.lanes() - 1) / u.f.lanes(), group: u.f.lanes(), form: u.form(f)}, r, some) {
			return false
		}
		if u.raw && u.args.rows > 0 {
			u.setRaw(false)
		}
	}
	return true
}

// pad sets keys n..end of work to the greatest key.
func (u *run) pad(n, end int) {
	switch keys := unsafe.Pointer(&u.work); u.f.size {
	case 2:
		pad(unsafe.Slice((*int16)(keys), end)[n:], int16(u.most))
	case 4:
		pad(unsafe.Slice((*int32)(keys), end)[n:], int32(u.most))
	default:
		pad(unsafe.Slice((*int64)(keys), end)[n:], u.most)
	}
}

func pad[K int16 | int32 | int64](keys []K, most K) {
	for i := range keys {
		keys[i] = most
	}
}
