// Package frame says where the words of a frame are. The frame is the memory that machine
// code works on: its arguments, cells, and room for uniform values and spills. Its address
// is the only argument of a call. It holds addresses as integers: the binding and the
// worker keep the arrays alive during a call.
package frame

import (
	"math"

	"github.com/oneloop/oneloop/expr/dtype"
)

// The offsets of the fixed words of a frame.
const (
	Going   = 0   // set by machine code: some lanes of a loop need the steps that follow; or the rows that are left of a loop that combines
	Rows    = 8   // iterations of a row loop or a seq loop
	Fault   = 16  // bit k: fault k was raised
	First   = 24  // position of the first row of a seq loop, for ArgMin and ArgMax
	Counter = 32  // written by machine code: a counter, the end of the first half, or the runs of rows that are done, or the groups of them
	Address = 40  // written by machine code: the address of an accumulator
	Steps   = 48  // written by machine code: the steps of a block of a transposed loop; the rows of a group; or bytes, see [isa.TransposedSite]
	Left    = 56  // the steps that are left, with those of a block; or the groups of runs, or of rows
	Outer   = 64  // of groups of groups: see Counts and Starts
	Tmp     = 128 // 512 bytes of scratch
	Sites   = 128 + 512
)

// Levels is the most levels of groups around the rows of a call: groups of rows, groups of these, and so on.
const Levels = 3

// The words of nested loops over rows, which are level 0, and over groups of them: what is left of a level, and how many it begins with each
// time that the level around it goes on.
var (
	Counts = [Levels + 1]int{Rows, Left, Outer, Outer + 8}
	Starts = [Levels]int{Steps, Outer + 16, Outer + 24}
)

// SiteSteps has the words of a site with the bytes from row to row, and from the end of a group to the next one.
var SiteSteps = [Levels + 1]int{SiteRow, SiteGroup, SiteOuter, SiteOuter + 8}

// The words of a site, as offsets from its own offset.
const (
	SiteBytes  = 72 // of all words of a site, and 8: where sites are as far apart as lines, loops that step many of them take twice as long
	SitePtr    = 0
	SiteStride = 8  // bytes from lane to lane
	SiteLo     = 16 // guarded: the first lane inside, and the first lane after those
	SiteHi     = 20
	SiteGroup  = 16 // not guarded: bytes from the end of a group of rows to the next group
	SiteRow    = 24 // bytes from row to row
	SiteCur    = 32 // address of the current row
	SiteLevels = 32 // accumulators: address of the levels of their tree; SiteStride is the bytes from level to level
	SiteInside = 40 // staged and guarded: address of one byte for each lane, 1 if its element was read
	SiteOwn    = 40 // uniform computed offset: the address that includes it
	SiteArray  = 40 // transposed: address of the current row in the array
	SiteOuter  = 48 // the same as SiteGroup for groups of groups
)

// The accumulators of a reduction: the values, and in the second half the positions.
const (
	RedBytes  = 2 * PosOffset
	PosOffset = 64 * 8
)

// NoPosition is the position in an accumulator that has seen no better value than the
// identity.
const NoPosition = math.MaxInt32

// Narrow reports whether t is an integer type of less than 32 bits. Registers and cells
// hold such integers extended to 32 bits.
func Narrow(t dtype.Type) bool { return t.IsInt() && t.Size() < 4 }

// Lane32 returns the 32-bit type of the lanes of a narrow type, or t.
func Lane32(t dtype.Type) dtype.Type {
	switch {
	case !Narrow(t):
		return t
	case t.IsSigned():
		return dtype.I32
	}
	return dtype.U32
}

// Lane returns the type of lanes of size bytes, 1 or 2, that hold values of a narrow type or
// predicates.
func Lane(t dtype.Type, size int) dtype.Type {
	switch {
	case size == 1 && t.IsSigned():
		return dtype.I8
	case size == 1:
		return dtype.U8
	case t.IsSigned():
		return dtype.I16
	}
	return dtype.U16
}

// Canonical returns x in the form of a cell.
func Canonical(t dtype.Type, x uint64) uint64 {
	if Narrow(t) {
		return uint64(uint32(t.Extend(x)))
	}
	return x
}

// Bit returns 1 for true and 0 for false.
func Bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// The arguments of the code that transposes a tile.
const (
	TileSource = Tmp + 8*iota // address of the first element
	TileTarget                // of the result
	TileStride                // bytes from lane to lane of the operand
	TilePitch                 // bytes from row to row of the result
	TileHeight                // how many elements of each lane
	TileWidth                 // lanes
	TileLane                  // lane of the loop that the tile belongs to
	TileSpill  = Tmp + 64
)
