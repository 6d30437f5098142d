package jit

import (
	"math/bits"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/bound"
)

// tile returns the code that transposes tiles of elements of size bytes; far selects
// prefetches.
func (g *generator) tile(size int, far bool) (*exec.Code, error) {
	return g.tiles[bits.TrailingZeros(uint(size))][frame.Bit(far)]()
}

// mostTransposed is how many rows and columns of a matrix one call transposes: the runtime waits for its end to stop the world.
const mostTransposed = 1 << 10

// NewTranspose returns a function that transposes matrices of elements of size bytes by the code of tiles, or nil if there is no memory for it.
func (g *generator) NewTranspose(size int) func(to, from unsafe.Pointer, rows, columns, toStep, fromStep int) {
	code, err := g.tile(size, false)
	if err != nil {
		return nil
	}
	w := worker{mem: work.Memory(frame.Sites + layout.LineBytes)}
	w.frame = unsafe.Pointer(unsafe.SliceData(w.mem))
	return func(to, from unsafe.Pointer, rows, columns, toStep, fromStep int) {
		w.set(frame.TileStride, fromStep)
		w.set(frame.TilePitch, toStep)
		for row := 0; row < rows; row += mostTransposed {
			for column := 0; column < columns; column += mostTransposed {
				w.setPtr(frame.TileSource, from, row*fromStep+column*size)
				w.setPtr(frame.TileTarget, to, column*toStep+row*size)
				w.set(frame.TileHeight, min(columns-column, mostTransposed))
				w.set(frame.TileWidth, min(rows-row, mostTransposed))
				code.Call(w.frame)
			}
		}
	}
}

// transpose fills the tiles of the transposed sites, or moves the tile of a copy: n lanes from position p, and the
// same lanes of the rows below, rows rows in all.
func (w *worker) transpose(bp *boundPhase, p, n, rows int) {
	for k, i := range bp.TileSites {
		w.placeTile(bp, i, p, n, rows)
		bp.tiles[k].Call(w.frame)
	}
}

// placeTile writes what the code of a tile of site i needs to the frame.
func (w *worker) placeTile(bp *boundPhase, i int32, p, n, rows int) {
	s := &bp.Sites[i]
	off, _ := bound.Inner(s.Line.Spans, p)
	last := 0 // row of the first element of a lane, if these are in reverse
	if k := len(s.Line.Spans); s.Line.Spans[k-2].Coef < 0 {
		last = rows - 1
	}
	w.setPtr(frame.TileSource, w.base(s.Buf), (s.Line.At(w.Pos)+off-last)*s.Size)
	target, pitch := w.scratchOf(bp, i), layout.TilePitch*s.Size
	at := 0
	if bp.Copy >= 0 {
		y := &bp.Sites[bp.Copy]
		at, _ = bound.Inner(y.Line.Spans, p)
		target, pitch, at = w.base(y.Buf), y.Row*y.Size, (y.Line.At(w.Pos)+at)*y.Size
	} else {
		w.setPtr(s.Arg+frame.SitePtr, target, 0)
	}
	w.setPtr(frame.TileTarget, target, at+last*pitch)
	if last > 0 {
		pitch = -pitch
	}
	w.set(frame.TilePitch, pitch)
	w.set(frame.TileStride, s.Line.Step()*s.Size)
	w.set(frame.TileHeight, rows)
	w.set(frame.TileWidth, n)
}

// tiles runs the rows of a piece tile by tile.
func (w *worker) tiles(bp *boundPhase, lo, n int) {
	k := len(bp.Spans)
	above, last := bp.Spans[k-2], bp.Spans[k-1]
	for at := 0; at < n && !w.inst.Stopped(); {
		if m := w.walk(bp, lo+at, n-at); m > 0 {
			at += m
			continue
		}
		in, rows := (lo+at)%last, 1
		m := min(last-in, n-at)
		if m == last {
			all := min((n-at)/last, above-(lo+at)/last%above)
			if bp.transposed != nil && all >= layout.TransposedRows {
				w.transposeRows(bp, lo+at, all)
				at += m * all
				continue
			}
			rows = min(all, bp.TileRows)
		}
		for c := 0; c < m; c += layout.TileLanes {
			width := min(layout.TileLanes, m-c)
			w.transpose(bp, lo+at+c, width, rows)
			if bp.Copy < 0 {
				w.segment(bp, lo, at+c, width, rowsOf(rows))
			}
		}
		at += m * rows
	}
}

// transposeRows runs so many whole rows from lane p on with the code that transposes blocks. A call has few lanes, so that the caches keep the
// lines of the transposed site for the next rows.
func (w *worker) transposeRows(bp *boundPhase, p, rows int) {
	all := bp.Spans[len(bp.Spans)-1]
	for c, width := 0, 0; c < all; c += width {
		if width = layout.TileLanes; all-c < 2*width {
			width = all - c
		}
		for _, i := range bp.Native {
			s := &bp.Sites[i]
			off, _ := bound.Inner(s.Line.Spans, p+c)
			w.point(s, off+s.Line.At(w.Pos))
		}
		w.set(bp.Lowered.Lanes, width)
		w.set(frame.Rows, rows)
		w.exec(bp.transposed)
	}
}

// walk runs the whole calls from lane p on, of n lanes at most, and returns their number of lanes: 0 if the phase does not walk
// or no call begins at p. The addresses of a call are those of the call before plus constants. The divisions that find them from a
// position take longer than a call of a few hundred elements.
func (w *worker) walk(bp *boundPhase, p, n int) int {
	k, all := bp.walked, bp.walkedLanes()
	if k == 0 || n < all || p%all != 0 {
		return 0
	}
	var steps [mostWalked][mostWalked]uintptr // by span and site: to the next position of a span, after the last ones of those inside
	var address [mostWalked]uintptr
	var words [mostWalked]*uintptr
	var at [mostWalked]int // in the spans
	m := len(bp.Native)
	for j, i := range bp.Native {
		s := &bp.Sites[i]
		word := frame.TileTarget
		if i != bp.Copy {
			w.placeTile(bp, i, p, bp.Spans[k+1], bp.Spans[k])
			word = frame.TileSource
		}
		words[j] = (*uintptr)(unsafe.Add(w.frame, word))
		back := 0
		for d := k - 1; d >= 0; d-- {
			steps[d][j] = uintptr((s.Line.Spans[d].Coef - back) * s.Size)
			back += s.Line.Spans[d].Coef * (bp.Spans[d] - 1)
		}
	}
	for j, word := range words[:m] {
		address[j] = *word
	}
	for d, rest := k-1, p/all; d >= 0; d-- {
		rest, at[d] = rest/bp.Spans[d], rest%bp.Spans[d]
	}
	done := 0
	for ; done+all <= n; done += all {
		d := k - 1
		for ; d > 0 && at[d] == bp.Spans[d]-1; d-- {
			at[d] = 0
		}
		at[d]++
		for j, x := range address[:m] {
			*words[j] = x
			address[j] = x + steps[d][j]
		}
		bp.tiles[0].Call(w.frame)
	}
	return done
}

// woven is the bytes of scratch memory of the fields of records, unless the fields are many: the
// first-level cache of most machines. Shorter pieces cost more calls than longer ones cost misses.
const woven = 32 << 10

// weavePitch returns the bytes between the scratch memory of neighbouring fields. Their lines are in
// different sets of the caches.
func (bp *boundPhase) weavePitch() int {
	return (bp.strip*bp.Sites[bp.Woven[0]].Size+layout.LineBytes-1)&^(layout.LineBytes-1) + layout.LineBytes
}

// weave moves n lanes of the fields of records from scratch memory to the records from lane lo on.
func (w *worker) weave(bp *boundPhase, lo, n int) {
	s := &bp.Sites[bp.Woven[0]]
	line := &s.Stage.Line
	step := line.Step()
	w.setPtr(frame.TileSource, w.scratchOf(bp, bp.Woven[0]), 0)
	w.setPtr(frame.TileTarget, w.base(s.Buf), (line.At(w.Pos)+lo*step)*s.Size)
	w.set(frame.TileStride, bp.weavePitch())
	w.set(frame.TilePitch, step*s.Size)
	w.set(frame.TileHeight, n)
	w.set(frame.TileWidth, len(bp.Woven))
	bp.weave.Call(w.frame)
}
