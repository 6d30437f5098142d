package sorting

import (
	mathbits "math/bits"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
)

// A family is the kernels for an instruction set and a size of keys.
type family struct {
	avx512 bool
	size   int // bytes of a key; a key of 2 bytes is an integer
	stored int // bytes of a value in memory. Where it has fewer than 4, there are only networks
	vector int // bytes of a vector
	most   int // vectors of the largest network

	blocks   int // that a part sorted without a partition has at most; each has the keys of the largest network
	selected int // blocks of the longest row that is sorted even where not all keys are wanted

	merges     [mostVectors + 1][forms]exec.Lazy         // by vectors of the second half
	networks   [mostVectors + 1][groups][forms]exec.Lazy // by vectors, log2 of the lanes of a group
	partitions [ways][forms]exec.Lazy
	reversals  exec.Lazy
	searches   exec.Lazy
	widenings  [2]exec.Lazy        // of positions: forward and backward
	exchanges  [2][forms]exec.Lazy // in one direction, and in opposite ones
	bitonics   [forms]exec.Lazy

	// Of words, by log2 of the bytes of a value, their size, and whether values have other bits than keys.
	measures [4][2]exec.Lazy
	packs    [4][2][2]exec.Lazy
	unpacks  [2]exec.Lazy

	compressions [2]exec.Lazy // of numbers of two bytes: between two keys, and on both sides of one

	countings [2]exec.Lazy    // by bytes of a number
	movings   [2][2]exec.Lazy // and whether positions are in a list
}

// The numbers of kernels.
const (
	mostVectors   = 16      // of a network
	largestVector = 64      // bytes
	mergedBytes   = 1 << 18 // of the keys of a part sorted without a partition, at most
	mergedAtOnce  = 1 << 16 // of the keys of several rows that are merged together, at most
	groups        = 6
)

// A form says what numbers a kernel reads and stores: keys, without any of the bits.
type form uint8

const (
	enter form = 1 << iota // it reads values
	leave                  // it stores values
	// raw means that the keys are the floats themselves. With enter, the kernel looks for NaN, or
	// with AVX2 also for -0: a network stops before a row with one.
	raw
	// turned means that some bits of values are those of keys turned over: values are integers.
	turned
	forms = 1 << iota
)

// kernels are those of an instruction set, for values of 1, 2, 4 and 8 bytes.
type kernels [4]*family

var families = map[string]*kernels{ // by instruction set
	"avx512": {
		{avx512: true, size: 4, stored: 1, vector: 64, most: 16, blocks: 2, selected: 2},
		{avx512: true, size: 2, stored: 2, vector: 64, most: 16, blocks: 256, selected: 2},
		{avx512: true, size: 4, stored: 4, vector: 64, most: 16, blocks: 32, selected: 2},
		{avx512: true, size: 8, stored: 8, vector: 64, most: 16, blocks: 32, selected: 2},
	},
	"avx2": {
		nil, nil,
		{size: 4, stored: 4, vector: 32, most: 8, blocks: 32, selected: 4},
		{size: 8, stored: 8, vector: 32, most: 8, blocks: 32, selected: 4},
	},
}

// avx2 has the kernels of AVX2, of which AVX-512 uses some.
var avx2 = families["avx2"]

// of returns the kernels for values of a size, or nil.
func (k *kernels) of(size int) *family {
	if size > 8 {
		return nil
	}
	return k[log2(size)]
}

// lanes returns the number of keys of a vector. A division would take as long as half of a network.
func (f *family) lanes() int { return f.vector >> (f.size>>2 + 1) } // of 2, 4 or 8 bytes

// args is the argument block of a kernel.
type args struct {
	from unsafe.Pointer
	to   unsafe.Pointer // of a partition: of the keys below the pivot
	high unsafe.Pointer // the place of the other keys, which end at byte end; may be the same as to
	end  int
	// n is the number of keys of a partition, or of the last vector of a network.
	n            int
	rows         int // that a network sorts, one after the other; result: how many are left
	step, toStep int // bytes from row to row, where it reads and where it stores
	pivot        int64
	low          int // result of a partition: number of keys below the pivot
	// A partition in place reads n of the keys at bytes left to right behind to. The keys below
	// the pivot end at byte lower, the others begin at byte end. It changes all four.
	left, right, lower int
	nan                int // result of a raw partition of values: not 0 if there is a NaN
	first              int // position of the first key, where a partition stores positions
	// A pass that keeps the keys from pivot to above adds -1 to a lane of below for each lower key.
	above   int64
	atLeast int // result of a pass over numbers of two bytes: of how many the key is not below pivot
	below   [largestVector / 8]int64
	// Of words: the bits of keys that they lack, those of a position, and a mask of these; a mask of the words of the last vector of a row,
	// and the words behind them; the result of a measurement.
	shift, places                           int
	mask                                    uint64
	within, behind, least, greatest, differ [largestVector / 8]int64
	list                                    unsafe.Pointer // positions
	order
	tables *tables
}

// Offsets in the argument block.
const (
	argFrom     = int32(unsafe.Offsetof(args{}.from))
	argTo       = int32(unsafe.Offsetof(args{}.to))
	argHigh     = int32(unsafe.Offsetof(args{}.high))
	argEnd      = int32(unsafe.Offsetof(args{}.end))
	argN        = int32(unsafe.Offsetof(args{}.n))
	argRows     = int32(unsafe.Offsetof(args{}.rows))
	argStep     = int32(unsafe.Offsetof(args{}.step))
	argToStep   = int32(unsafe.Offsetof(args{}.toStep))
	argPivot    = int32(unsafe.Offsetof(args{}.pivot))
	argLow      = int32(unsafe.Offsetof(args{}.low))
	argLeft     = int32(unsafe.Offsetof(args{}.left))
	argRight    = int32(unsafe.Offsetof(args{}.right))
	argLower    = int32(unsafe.Offsetof(args{}.lower))
	argNaN      = int32(unsafe.Offsetof(args{}.nan))
	argAbove    = int32(unsafe.Offsetof(args{}.above))
	argAtLeast  = int32(unsafe.Offsetof(args{}.atLeast))
	argBelow    = int32(unsafe.Offsetof(args{}.below))
	argFirst    = int32(unsafe.Offsetof(args{}.first))
	argShift    = int32(unsafe.Offsetof(args{}.shift))
	argPlaces   = int32(unsafe.Offsetof(args{}.places))
	argMask     = int32(unsafe.Offsetof(args{}.mask))
	argList     = int32(unsafe.Offsetof(args{}.list))
	argWithin   = int32(unsafe.Offsetof(args{}.within))
	argBehind   = int32(unsafe.Offsetof(args{}.behind))
	argLeast    = int32(unsafe.Offsetof(args{}.least))
	argGreatest = int32(unsafe.Offsetof(args{}.greatest))
	argDiffer   = int32(unsafe.Offsetof(args{}.differ))
	argFold     = int32(unsafe.Offsetof(args{}.order) + unsafe.Offsetof(order{}.fold))
	argFlip     = int32(unsafe.Offsetof(args{}.order) + unsafe.Offsetof(order{}.flip))
	argLimit    = int32(unsafe.Offsetof(args{}.order) + unsafe.Offsetof(order{}.limit))
	argMost     = int32(unsafe.Offsetof(args{}.order) + unsafe.Offsetof(order{}.most))
	argTop      = int32(unsafe.Offsetof(args{}.order) + unsafe.Offsetof(order{}.top))
	argTables   = int32(unsafe.Offsetof(args{}.tables))
)

// tables are those that kernels read. An entry of lanes4, ... has the places of the lanes
// whose bits are set in its number, and behind them those of the others, from the last one if they
// are backward.
type tables struct {
	window [16]int32 // a mask of the first n lanes begins n lanes before the middle
	lanes8 [256][8]uint8
	lanes4 [16][8]uint8 // of lanes of 8 bytes, as pairs
}

// Offsets in the tables.
const (
	tableWindow = int32(unsafe.Offsetof(tables{}.window)) + 32
	tableLanes8 = int32(unsafe.Offsetof(tables{}.lanes8))
	tableLanes4 = int32(unsafe.Offsetof(tables{}.lanes4))
)

var theTables, backwardTables = sync.OnceValue(func() *tables { return newTables(false) }), sync.OnceValue(func() *tables { return newTables(true) })

func newTables(backward bool) *tables {
	t := new(tables)
	for i := range 8 {
		t.window[i] = -1
	}
	each := func(bits, lanes int, place func(i, lane int)) {
		set, others := 0, mathbits.OnesCount(uint(bits))
		for lane := range lanes {
			switch {
			case bits>>lane&1 > 0:
				place(set, lane)
				set++
			case backward:
				place(lanes-1-(lane-set), lane)
			default:
				place(others, lane)
				others++
			}
		}
	}
	for bits := range t.lanes8 {
		each(bits, 8, func(i, lane int) { t.lanes8[bits][i] = uint8(lane) })
	}
	for bits := range t.lanes4 {
		each(bits, 4, func(i, lane int) { t.lanes4[bits][2*i], t.lanes4[bits][2*i+1] = uint8(2*lane), uint8(2*lane+1) })
	}
	return t
}
