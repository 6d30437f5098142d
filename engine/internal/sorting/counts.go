package sorting

import "unsafe"

// Rows with few values are counted: a pass over the numbers, and one that stores each value as often as it
// occurs.

const (
	mostDistinct = 16
	tableBits    = 6
	tableTries   = 64
)

// A counter has some values and how often they occur.
type counter struct {
	values [mostDistinct]int64
	counts [mostDistinct]int
	n      int
	// table has the number of a value, at the upper bits of its product with multiplier. taken has a bit for
	// each place with a value.
	table      [1 << tableBits]uint8
	taken      uint64
	multiplier uint64
}

func (c *counter) place(k int64) uint64 { return uint64(k) * c.multiplier >> (64 - tableBits) }

// count counts numbers, and reports whether they have few values. There is at least one number.
func (c *counter) count(numbers []int64) bool {
	c.multiplier, c.values[0], c.n = 0x9e3779b97f4a7c15, numbers[0], 1
	c.fits()
	for _, k := range numbers {
		at := c.table[c.place(k)] % mostDistinct
		if c.values[at] != k {
			if !c.add(k) {
				return false
			}
			at = uint8(c.n - 1)
		}
		c.counts[at]++
	}
	return true
}

// add adds a value. If its place is taken, add tries multipliers until all values have places of their own.
func (c *counter) add(k int64) bool {
	if c.n == mostDistinct {
		return false
	}
	c.values[c.n] = k
	c.n++
	if at := c.place(k); c.taken>>at&1 == 0 {
		c.taken |= 1 << at
		c.table[at] = uint8(c.n - 1)
		return true
	}
	for range tableTries {
		c.multiplier = c.multiplier*6364136223846793005 + 1442695040888963407
		if c.fits() {
			return true
		}
	}
	return false
}

// fits makes the table for the multiplier, and reports whether no two values have the same place.
func (c *counter) fits() bool {
	c.taken = 0
	for i, v := range c.values[:c.n] {
		at := c.place(v)
		if c.taken>>at&1 > 0 {
			return false
		}
		c.taken |= 1 << at
		c.table[at] = uint8(i)
	}
	return true
}

// counted sorts a part of keys of 8 bytes if it has few values, and reports whether it did. Those of 4 bytes are
// partitioned as fast.
func (u *run) counted(p *part) bool {
	var c counter
	if u.f.size < 8 || u.f.avx512 || !c.count(unsafe.Slice((*int64)(p.from), p.n)) {
		return false
	}
	var keys [mostDistinct]int64
	for i, v := range c.values[:c.n] {
		if keys[i] = v; p.values || u.raw {
			keys[i] = u.order.key(v)
		}
		for at := i; at > 0 && keys[at-1] > keys[at]; at-- {
			keys[at-1], keys[at] = keys[at], keys[at-1]
			c.counts[at-1], c.counts[at] = c.counts[at], c.counts[at-1]
		}
	}
	to := unsafe.Slice((*int64)(p.to()), p.n)
	for i, k := range keys[:c.n] {
		repeat(to[:c.counts[i]], u.order.value(k))
		to = to[c.counts[i]:]
	}
	return true
}
