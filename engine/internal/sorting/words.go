package sorting

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

// The positions of elements in order come from a sort of words: the bits of a key above the position of its element. All words of a
// row differ, so the order is the stable one. Keys are measured from the least of all rows, so that those close together have few bits.

// words are the words of some rows, and how they follow from keys.
type words struct {
	args
	f          *family // of keys of 8 bytes
	rows       tree.Rows
	size, word int  // bytes of a value, and of a word
	row        int  // words of a row. Those behind a short row are the greatest ones, so that vectors have whole rows.
	lost       bool // keys differ in the bits that words lack
	tally      tally
	memory     [2 * largestVector * paddedRow]byte
}

// paddedRow is the number of elements of a row from which on a vector has no second row.
const paddedRow = 8

// positions stores the positions of the elements of rows in sorted order. It returns false, and stores no positions, if there is no kernel.
func (s *Sorter) positions(c *tree.Call, r tree.Rows) bool {
	if s.words == nil {
		s.words = &words{f: s.kernels.of(8)}
	}
	w := s.words
	w.rows, w.size, w.row = r, r.Type.Size(), r.Length
	w.order = orderOf(r.Type, r.Descending)
	defer func() { w.args, w.rows = args{}, tree.Rows{} }()
	switch {
	case r.Length > math.MaxInt32:
		return false
	case w.size == 1 && r.Length >= countedBytes || w.size == 2 && r.Length >= countedPairs:
		return w.count(c)
	case w.size >= 4 && w.order.form(enter) == 0 && w.sorted(r.From, w.size, r.Length): // that takes less time than words
		for row := range slices.Chunk(unsafe.Slice((*int64)(r.Order), r.Count*r.Length), r.Length) {
			for i := range row {
				row[i] = int64(i)
			}
		}
		return true
	}
	if r.Length < paddedRow {
		w.row = 1 << bits.Len(uint(r.Length-1))
	}
	if !w.measure() || !w.pack() {
		return false
	}
	if !w.sorted(r.To, w.word, w.row) {
		typ := dtype.I64
		if w.word == 4 {
			typ = dtype.I32
		}
		if !s.Sort(c, tree.Rows{Type: typ, Count: r.Count, Length: w.row, To: r.To, From: r.To}) {
			return false
		}
	}
	if !w.unpack() {
		return false
	}
	if w.lost && w.nan != 0 && w.settle() {
		w.unpack()
	}
	return true
}

// measure finds the bits that keys need above their positions, and so the size of words.
func (w *words) measure() bool {
	code := w.f.measure(w.size, w.order.form(enter))
	if code == nil {
		return false
	}
	lanes, n := w.f.lanes(), w.rows.Length*w.rows.Count
	from := w.rows.From
	if n < paddedRow { // a vector has some elements twice
		values := unsafe.Slice((*byte)(from), n*w.size)
		for at := 0; at < paddedRow*w.size; {
			at += copy(w.memory[at:], values)
		}
		from, n = unsafe.Pointer(&w.memory), paddedRow
	}
	first := w.order.key(load(from, w.size))
	w.args.rows, w.pivot = 1, first
	for i := range w.least {
		w.least[i], w.greatest[i], w.differ[i] = first, first, 0
	}
	overRows(1, n, lanes, func(_, _, first, vectors int) {
		w.from, w.n = unsafe.Add(from, first*w.size), vectors
		code.Call(unsafe.Pointer(&w.args))
	})
	most, differ := first, int64(0)
	for i := range lanes {
		w.pivot, most, differ = min(w.pivot, w.least[i]), max(most, w.greatest[i]), differ|w.differ[i]
	}
	w.places = bits.Len(uint(w.rows.Length - 1))
	same, needed := bits.TrailingZeros64(uint64(differ)), bits.Len64(uint64(most-w.pivot))+w.places // all keys have the same low bits
	w.word, w.shift = 8, max(needed-62, 0)
	if needed-same < 31 { // words that pad a row have bit 30, or 62
		w.word, w.shift = 4, same
	}
	w.lost = w.shift > same
	return true
}

// load returns the bits of a value, extended by their sign.
func load(at unsafe.Pointer, size int) int64 {
	switch size {
	case 1:
		return int64(*(*int8)(at))
	case 2:
		return int64(*(*int16)(at))
	case 4:
		return int64(*(*int32)(at))
	}
	return *(*int64)(at)
}

// overRows calls f for parts of rows that are one behind the other: n whole vectors of each of some rows from number row on, which begin at
// element first. The last vector of a row may overlap the next row, or the vector before. It returns how many rows are done. It leaves only
// short ones, whose vectors would need the memory behind the last row.
func overRows(count, length, lanes int, f func(row, rows, first, n int)) (done int) {
	whole, last := (length+lanes-1)/lanes, count-1
	if length < paddedRow {
		last = count - (whole*lanes-1)/length
	}
	for done < count {
		rows := min(last-done, callKeys/length)
		switch {
		case rows > 0:
			f(done, rows, 0, whole)
			done += rows
			continue
		case length < paddedRow:
			return done
		}
		for first := 0; first+lanes <= length; first += callKeys {
			f(done, 1, first, min(callKeys, length-first)/lanes)
		}
		if length%lanes > 0 {
			f(done, 1, length-lanes, 1)
		}
		done++
	}
	return done
}

// pack stores the words.
func (w *words) pack() bool {
	code, lanes, length := w.f.pack(w.size, w.word, w.order.form(enter)), w.f.lanes(), w.rows.Length
	if code == nil {
		return false
	}
	for i := range w.behind {
		w.within[i], w.behind[i] = -1, 0
		if w.row > length && i >= length%lanes {
			w.within[i], w.behind[i] = 0, 1<<(8*w.word-2)|int64(i)<<w.places
		}
	}
	w.step, w.toStep = length*w.size, w.row*w.word
	call := func(from unsafe.Pointer, row, rows, first, n int) {
		w.from, w.to = from, unsafe.Add(w.rows.To, (row*w.row+first)*w.word)
		w.args.rows, w.first, w.n = rows, first, n
		code.Call(unsafe.Pointer(&w.args))
	}
	done := overRows(w.rows.Count, length, lanes, func(row, rows, first, n int) {
		call(unsafe.Add(w.rows.From, (row*length+first)*w.size), row, rows, first, n)
	})
	if rest := w.rows.Count - done; rest > 0 {
		copy(w.memory[:], unsafe.Slice((*byte)(unsafe.Add(w.rows.From, done*w.step)), rest*w.step))
		call(unsafe.Pointer(&w.memory), done, rest, 0, (length+lanes-1)/lanes)
	}
	return true
}

// unpack stores the positions. Then nan is not 0 if neighbouring words may have equal keys.
func (w *words) unpack() bool {
	code, lanes, count, length, row := w.f.unpack(w.word), w.f.lanes(), w.rows.Count, w.rows.Length, w.row
	if code == nil {
		return false
	}
	if length == row { // there is nothing between rows
		count, length, row = 1, count*length, count*length
	}
	w.step, w.toStep, w.nan, w.mask = row*w.word, length*8, 0, 1<<w.places-1
	ties := 0
	call := func(to unsafe.Pointer, row, rows, n int) {
		w.from, w.to = unsafe.Add(w.rows.To, row*w.word), to
		w.args.rows, w.n = rows, n
		code.Call(unsafe.Pointer(&w.args))
		ties |= w.nan
	}
	done := overRows(count, length, lanes, func(i, rows, first, n int) {
		call(unsafe.Add(w.rows.Order, (i*length+first)*8), i*row+first, rows, n)
	})
	if rest := count - done; rest > 0 {
		call(unsafe.Pointer(&w.memory), done*row, rest, (length+lanes-1)/lanes)
		bytes := rest * w.toStep
		copy(unsafe.Slice((*byte)(unsafe.Add(w.rows.Order, done*w.toStep)), bytes), w.memory[:bytes])
	}
	w.nan = ties
	return true
}

// sorted reports whether numbers of 4 or 8 bytes, in rows of a length, are in order.
func (w *words) sorted(numbers unsafe.Pointer, size, length int) bool {
	if size == 4 {
		return sorted(unsafe.Slice((*int32)(numbers), w.rows.Count*length), length)
	}
	return sorted(unsafe.Slice((*int64)(numbers), w.rows.Count*length), length)
}

func sorted[N int32 | int64](numbers []N, length int) bool {
	for row := range slices.Chunk(numbers, length) {
		if !slices.IsSorted(row) {
			return false
		}
	}
	return true
}

// settle orders sorted words, of values of 8 bytes, whose keys differ only in the bits that the words lack. It reports whether it moved any.
func (w *words) settle() (moved bool) {
	n, mask := w.rows.Length, int64(w.mask)
	for i := range w.rows.Count {
		row := unsafe.Slice((*int64)(unsafe.Add(w.rows.To, i*w.row*8)), n)
		values := unsafe.Slice((*int64)(unsafe.Add(w.rows.From, i*n*8)), n)
		key := func(word int64) int64 { return w.order.key(values[word&mask]) }
		wrong, before := int64(0), key(row[0]) // wrong has a sign if a key is below the one before, and their words are alike
		for i := 1; i < n; i++ {
			k := key(row[i])
			wrong |= ((row[i]^row[i-1])>>w.places - 1) & (k - before)
			before = k
		}
		for i := 1; i < n && wrong < 0; i++ {
			if (row[i]^row[i-1])>>w.places != 0 {
				continue
			}
			first := i - 1
			sorted, last := true, key(row[first])
			for ; i < n && (row[i]^row[first])>>w.places == 0; i++ {
				k := key(row[i])
				sorted, last = sorted && last <= k, k
			}
			if !sorted {
				moved = true
				slices.SortFunc(row[first:i], func(a, b int64) int { return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a, b)) })
			}
		}
	}
	return moved
}

// measure returns the kernel that finds the least and the greatest key of values of a size, and the bits in which keys differ from
// the pivot. Integers and floats have the same kernel, here and in pack.
func (f *family) measure(size int, k form) *exec.Code {
	return f.measures[log2(size)][is(k != 0)].Make(func() ([]byte, error) { return newWordWriter(f, k&^turned).measure(size) })
}

// pack returns the kernel that makes words of values.
func (f *family) pack(size, word int, k form) *exec.Code {
	return f.packs[log2(size)][word/8][is(k != 0)].Make(func() ([]byte, error) { return newWordWriter(f, k&^turned).pack(size, word) })
}

// unpack returns the kernel that makes positions of words.
func (f *family) unpack(word int) *exec.Code {
	return f.unpacks[word/8].Make(func() ([]byte, error) { return newWordWriter(f, 0).unpack(word) })
}
