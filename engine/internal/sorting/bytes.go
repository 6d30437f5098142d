package sorting

import (
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/expr/tree"
)

// The positions of numbers of one and two bytes in sorted order come from counts of their bytes: by the low byte first, then by the high one.

// The fewest elements of a row for which that takes less time than a sort of words.
const (
	countedBytes = 900
	countedPairs = 1 << 13
)

// A tally has tables of how many numbers have a byte. Then the first table has where the next one goes. Neighbours count in different tables, because equal
// bytes would wait for each other.
type tally [tallies][1 << 8]uint32

const tallies = 4

// count stores the positions of all rows, which are any if the call is stopped. It returns false, and stores nothing, if there is no kernel. To
// has two lists of positions, and a copy of a row: another goroutine may change the row meanwhile.
func (w *words) count(c *tree.Call) bool {
	n, a, widen := w.rows.Length, &w.args, w.f.unpack(4)
	counting, moving := w.f.counting(w.size), [2]*exec.Code{} // by digits: the positions of the second one are listed
	for digit := range w.size {
		if moving[digit] = w.f.moving(w.size, digit > 0); moving[digit] == nil {
			return false
		}
	}
	if widen == nil || counting == nil {
		return false
	}
	lists, numbers, bytes := [2]unsafe.Pointer{w.rows.To, unsafe.Add(w.rows.To, 4*n)}, unsafe.Add(w.rows.To, 8*n), n*w.size
	a.high, a.rows, a.mask = unsafe.Pointer(&w.tally), 1, 1<<32-1
	for row := range w.rows.Count {
		copy(unsafe.Slice((*byte)(numbers), bytes), unsafe.Slice((*byte)(unsafe.Add(w.rows.From, row*bytes)), bytes))
		for digit := range w.size {
			w.tally = tally{}
			a.from = unsafe.Add(numbers, digit)
			if !w.inPieces(c, counting) {
				return true
			}
			w.begins(digit)
			a.list, a.to = lists[0], lists[digit]
			if !w.inPieces(c, moving[digit]) {
				return true
			}
		}
		overRows(1, n, w.f.lanes(), func(_, _, first, vectors int) {
			a.from, a.to, a.n = unsafe.Add(lists[w.size-1], first*4), unsafe.Add(w.rows.Order, (row*n+first)*8), vectors
			widen.Call(unsafe.Pointer(a))
		})
	}
	return true
}

// inPieces calls a kernel for all elements of a row. It returns false if the call is stopped before.
func (w *words) inPieces(c *tree.Call, code *exec.Code) bool {
	for w.first = 0; w.first < w.rows.Length; w.first += callKeys {
		if c.Stopped() {
			return false
		}
		w.n = min(callKeys, w.rows.Length-w.first)
		code.Call(unsafe.Pointer(&w.args))
	}
	return true
}

// begins replaces the counts of a byte by the number of elements before those with it in order.
func (w *words) begins(digit int) {
	flip := uint8(w.flip >> (8 * digit))
	if digit == w.size-1 { // it has the sign
		flip ^= 1 << 7
	}
	sum, t := uint32(0), &w.tally
	for d := range len(t[0]) {
		at := uint8(d) ^ flip
		n := t[0][at] + t[1][at] + t[2][at] + t[3][at]
		t[0][at] = sum
		sum += n
	}
}

// counting returns the kernel that counts a byte of each of n numbers of a size, from number first on.
func (f *family) counting(size int) *exec.Code {
	return f.countings[size-1].Make(func() ([]byte, error) {
		w := newWriter(f)
		w.eachNumber(func(i int) {
			w.I(x86.MOVZXB, x86.W32, partBits, x86.AtX(partFrom, partOther, uint8(size), int32(i*size)))
			w.I(x86.ADD, x86.W32, x86.AtX(partTable, partBits, 4, int32(i%tallies<<10)), x86.Imm(1))
		})
		return w.Code()
	})
}

// moving returns the kernel that moves the positions from first on to their places, by a byte of their numbers: the positions in a list,
// or if it is not listed those in the order of the row.
func (f *family) moving(size int, listed bool) *exec.Code {
	return f.movings[size-1][is(listed)].Make(func() ([]byte, error) {
		w := newWriter(f)
		w.load(partHigh, argList)
		w.load(partLow, argTo)
		w.eachNumber(func(i int) {
			at := partLows
			if listed {
				w.I(x86.MOV, x86.W32, at, x86.AtX(partHigh, partOther, 4, int32(4*i)))
			} else {
				w.I(x86.LEA, x86.W64, at, x86.At(partOther, int32(i)))
			}
			w.I(x86.MOVZXB, x86.W32, partBits, x86.AtX(partFrom, at, uint8(size), 0))
			to := partEnd
			w.I(x86.MOV, x86.W32, to, x86.AtX(partTable, partBits, 4, 0))
			w.I(x86.ADD, x86.W32, x86.AtX(partTable, partBits, 4, 0), x86.Imm(1))
			w.I(x86.MOV, x86.W32, x86.AtX(partLow, to, 4, 0), at)
		})
		return w.Code()
	})
}

// eachNumber writes the loops of a kernel over n numbers from number first on, several at a time: partOther is the place of the first.
func (w *writer) eachNumber(body func(i int)) {
	w.load(partFrom, argFrom)
	w.load(partOther, argFirst)
	w.load(partLeft, argN)
	w.load(partTable, argHigh)
	for _, n := range []int{tallies, 1} {
		loop, end := w.NewLabel(), w.NewLabel()
		w.I(x86.SUB, x86.W64, partLeft, x86.Imm(n))
		w.I(x86.JL, 0, end)
		w.Align(32)
		w.Bind(loop)
		for i := range n {
			body(i)
		}
		w.I(x86.ADD, x86.W64, partOther, x86.Imm(n))
		w.I(x86.SUB, x86.W64, partLeft, x86.Imm(n))
		w.I(x86.JGE, 0, loop)
		w.Bind(end)
		w.I(x86.ADD, x86.W64, partLeft, x86.Imm(n))
	}
	w.end()
}
