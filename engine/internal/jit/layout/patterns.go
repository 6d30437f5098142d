package layout

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// Patterns of the sites of a loop that one call of machine code, or a walk by tiles, can use.

// The most bytes of the lanes of a row whose loop is written out, and of a part of a row that is only copied.
const (
	mostExact = 1024
	exactCopy = 2048
)

// findRows decides whether one call runs many rows of a map, or many groups of rows, and sets the steps of
// the sites from row to row and from group to group.
func (bp *Phase) findRows() {
	k := len(bp.Spans)
	if k < 2 || bp.Lowered.Kind != lower.MapPhase || len(bp.Lowered.Reds) > 0 || bp.Laid > 0 && !bp.Blends {
		return
	}
	for i := range bp.Sites {
		s := &bp.Sites[i]
		switch {
		case s.Guard: // the lanes inside differ from row to row
			return
		case s.Kind == Scratch:
			s.Row = bp.Spans[k-1]
		case s.Kind == Transposed:
			s.Row = TilePitch
		case s.Kind != Unused:
			s.Row = s.Line.Spans[k-2].Coef
		}
	}
	bp.Rows = true
	bp.FindExact(bp.Spans[k-1])
	if len(bp.TileSites) > 0 {
		return
	}
	bp.Groups = min(k-2, frame.Levels)
	for i := range bp.Sites {
		if s := &bp.Sites[i]; s.Kind != Scratch && s.Kind != Unused {
			s.SetGroups(bp.Spans[:k-1], s.Line.Spans[:k-1], bp.Groups)
		}
	}
}

// SetGroups sets the steps of a site from group to group, for so many levels of groups. The last of the extents and spans are the rows.
func (s *Site) SetGroups(extents []int, spans []bound.Span, levels int) {
	k := len(extents) - 1
	for l := range levels {
		s.Groups[l] = spans[k-l-1].Coef - extents[k-l]*spans[k-l].Coef
	}
}

// FindExact decides whether rows of so many lanes are written out.
func (bp *Phase) FindExact(row int) {
	most := mostExact
	if len(bp.Spans) <= 1 && bp.Lowered.Copies() {
		most = exactCopy
	}
	if bp.Lowered.Kind == lower.MapPhase && bp.Blends && bp.Laid == 0 && len(bp.TileSites) == 0 && row*bp.Widest() <= most {
		bp.Exact = row
	}
}

// follow returns how many rows must come behind a row of known length, so that a loop over several of them at once has
// constant steps, and a vector that is longer than a row reads and stores elements of the rows behind it only: those are
// stored again. A row whose lanes may not be computed twice has its own lanes alone. It returns 0 if the steps are not constants.
func (b *Binder) follow(bp *Phase) int {
	k := len(bp.Spans)
	if bp.Exact == 0 || bp.Spans[k-2] < leastFollowed {
		return 0
	}
	bytes := b.Bytes
	if bp.Narrow {
		bytes = min(bytes, narrowBytes)
	}
	rows, over, alone := 1, bytes/bp.Widest()-bp.Exact, false
	for i := range bp.Sites {
		s, store := &bp.Sites[i], bp.Lowered.Sites[i].Store
		switch {
		case s.Kind == Unused:
			continue
		case !s.Affine() || s.Kind != Unit && (s.Kind != Uniform || s.Row != 0) || max(s.Row, -s.Row) >= 1<<20:
			return 0
		case over <= 0 || s.Kind == Uniform || !bp.Repeats:
			continue
		case s.Row <= 0 || store && s.Row != bp.Exact:
			alone = true
			continue
		}
		rows = max(rows, (over+s.Row-1)/s.Row)
	}
	if alone {
		bp.Repeats = false
		return 1
	}
	return rows
}

// findGroups decides whether one call of a seq loop sums many spans of columns, or carries values down them, and sets
// the steps of the sites from span to span.
func (bp *Phase) findGroups() {
	k := len(bp.Spans)
	if k < 2 || !bp.Blends || bp.Along || bp.Prefixes || bp.Each > 0 || bp.Transposes() {
		return
	}
	if sums := bp.loadsDown(true) && (!bp.Across && bp.Whole == 0 || bp.Combines); !sums && !(bp.onlyCarries() && bp.sitesDown()) {
		return
	}
	bp.Groups = 1
	for i := range bp.Sites {
		if s := &bp.Sites[i]; s.Kind == Unit || s.Kind == Uniform || s.Kind == Strided {
			s.Groups[0] = s.Line.Spans[k-2].Coef
		}
	}
}

// The tile of a loop with an operand that is strided along a row. Each cache line of
// the operand serves all rows of a tile.
const (
	TileRows    = 32
	tileColumns = 128  // at least
	tileSpace   = 1024 // elements, unless there are more in so many columns
	byteSpace   = 1 << 14
)

// TileShape returns the extents of the tiles of a tiled loop.
func (bp *Phase) TileShape() (rows, columns int) {
	rows = min(TileRows, bp.Spans[len(bp.Spans)-2])
	space := tileSpace
	if slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.ShortSteps() }) {
		space = byteSpace
	}
	return rows, max(tileColumns, space/rows&^63)
}

// FindTiles decides whether a map runs tile by tile: the stride of an array is
// smaller from row to row than along a row.
func (bp *Phase) FindTiles() {
	k := len(bp.Spans)
	if k < 2 || bp.Lowered.Kind != lower.MapPhase || len(bp.Lowered.Reds) > 0 || !bp.Direct || bp.Laid > 0 {
		return
	}
	if rows, columns := bp.TileShape(); bp.Spans[k-2] <= rows && bp.Spans[k-1] <= columns { // one tile
		return
	}
	for _, i := range bp.Native {
		c := bp.Sites[i].Line.Spans
		in, out := max(c[k-1].Coef, -c[k-1].Coef), max(c[k-2].Coef, -c[k-2].Coef)
		bp.Tiled = bp.Tiled || in > 1 && out > 0 && out < in && len(bp.TileSites) == 0
	}
}

// findTileSites finds the loads of a map that read transposed tiles, and reports
// whether there are any. Machine code must reach all other sites without scratch
// memory and without guards.
func (l *layouter) findTileSites() bool {
	ph, bp, ext := l.ph, l.bp, l.ext
	if ph.Kind != lower.MapPhase || len(ph.Reds) > 0 || len(ext) < 2 || bp.Computes() {
		return false
	}
	k := len(ext)
	for i := range bp.Sites {
		if bp.Sites[i].Kind == Scratch {
			return false
		}
	}
	var transposed []int32
	least, total, copies, held, rows := 8, 0, true, false, !bp.FewLanes
	for at, i := range l.which {
		s, c := &bp.Sites[i], l.spans[at]
		if s.Guard || s.Dyn != nil {
			return false
		}
		total += bp.N * s.Size
		step, row := c[k-1].Coef, c[k-2].Coef
		copies = copies && (!ph.Sites[i].Store || step == 1 && !(l.Blends && ext[k-1] >= TileLanes && sharesSets(row*s.Size, s.Size)))
		far := max(step, -step) > mostStep && (bp.FewLanes || l.tiles(s.Size, ext[k-2], ext[k-1]))
		switch {
		case s.Kind != Index && !ph.Sites[i].Store && !ph.Conflict(int(i)) && far && max(row, -row) == 1:
			transposed = append(transposed, i)
			least = min(least, s.Size)
			held = l.holdsLines(bp, s.Size, step, ext[k-1])
			rows = rows && len(transposed) == 1 && row == 1
		case !l.reachable(ph, s, c):
			return false
		default:
			rows = rows && l.inRows(ph, i, s, c)
		}
	}
	bp.TransposesRows = rows && len(transposed) == 1 && l.transposesRows(bp, transposed[0], total)
	if !bp.TransposesRows && len(transposed) == 1 && held && len(ph.Sites) > 2 {
		return false
	}
	for _, i := range transposed {
		bp.Sites[i].Kind = Transposed
	}
	bp.TileSites, bp.TileRows, bp.Far = transposed, min(tileBytes/least, ext[k-2]), total > 4*l.Machine.Caches.L2
	if bp.Copy = -1; copies {
		bp.Copy = bp.copies()
	}
	if bp.Copy >= 0 && bp.TransposesRows { // larger tiles of copies read whole lines
		if bp.TransposesRows = k == 2 && total <= l.Machine.Caches.L1; bp.TransposesRows {
			bp.Copy = -1
		}
	}
	if bp.Copy >= 0 { // the tile needs no scratch memory
		held := l.Machine.Caches.L1 / 2 / (bp.Sites[transposed[0]].Size * ext[k-1]) // rows
		bp.TileRows = max(bp.TileRows, min(copyTile/ext[k-1], max(held, leastCopied), ext[k-2]))
	}
	return len(transposed) > 0
}

// sharesSets reports whether the rows of a tile, so many bytes apart, share so few sets of the first-level cache that parts of lines leave it before
// the rest is stored: lines 4096 bytes apart share one, and smaller elements have more rows in a block. Such tiles go by way of scratch memory,
// or of registers, a few rows at once.
func sharesSets(row, size int) bool {
	near := min(size*size, 8) // bytes by which the distance of rows may differ from a multiple
	return uint(row+near)%uint(min(1024*size, 4096)) <= uint(2*near)
}

// A tile that is moved from array to array has copyTile elements at most, if its lanes are few. Several
// passes go over it, so the first-level cache should hold it, unless its rows were less than leastCopied:
// stores of short pieces take longer than passes outside that cache.
const (
	copyTile    = 4096
	leastCopied = 64
)

// copies returns the store of a phase that only moves elements of one transposed site, or -1.
// A store of a predicate is no copy: it makes each byte 0 or 1.
func (bp *Phase) copies() int32 {
	ph := bp.Lowered
	if len(bp.TileSites) != 1 || len(ph.Sites) != 2 || !ph.Copies() || ph.Sites[0].Type == dtype.Bool {
		return -1
	}
	return 1 - bp.TileSites[0]
}

// A transposed operand is contiguous from row to row, not along a row. Machine code
// transposes a tile of it and stores it in scratch memory. The tile stays in the
// first-level cache, and the loop reads it like an array.
const (
	TileLanes = 256            // lanes of a tile
	TilePitch = TileLanes + 16 // elements of a row in scratch memory: rows must not share a set of the cache
	tileBytes = 128            // bytes of each lane in a tile: two cache lines
	TileAhead = 64             // lanes between a prefetch and its use
)

// The most nodes and the most sites of a map whose blocks are transposed in registers: its body follows itself [TransposedRows] times, and its
// addresses are in registers.
const (
	transposedNodes = 16
	transposedSites = 6
)

// TransposedRows is the rows that such a loop computes at once.
const TransposedRows = 4

// transposesRows reports whether a map with transposed site i transposes blocks of it in registers, for [TransposedRows] rows at once, in place of
// tiles. The last rows and the last vector of a row overlap those before. total is the bytes of all arrays.
func (b *Binder) transposesRows(bp *Phase, i int32, total int) bool {
	ph := bp.Lowered
	short := len(ph.Sites) <= transposedSites && len(ph.Top) <= transposedNodes && bp.plainNodes()
	return b.Blends && short && bp.Sites[i].Size == ph.Widest && ph.Widest >= 4 && total < b.Machine.Beyond() && !b.fewMasks(bp)
}

// inRows reports whether code that computes several rows at once reaches site i, whose steps are c, at all of them: the rows are
// contiguous or all of them one element, and the distance of two is a constant of 32 bits. It only stores to arrays that are not read.
func (b *Binder) inRows(ph *lower.Phase, i int32, s *Site, c []bound.Span) bool {
	row := c[len(c)-2].Coef
	switch along := bound.StepOf(c); {
	case s.Kind == Index || s.Gather != nil || max(row, -row)*s.Size >= 1<<24 || ph.Sites[i].Store && b.IR.Bufs[s.Buf].Mode != ir.Out:
		return false
	case along == 0:
		return row == 0 && !ph.Sites[i].Store
	default:
		return along == 1
	}
}

// holdsLines reports whether the first-level cache holds the lines of so many lanes, which are a step apart, from row to row, and the
// second level the array. Loads of 8 bytes one by one take less than a tile then, which is stored and loaded again, unless several
// operands have tiles.
func (b *Binder) holdsLines(bp *Phase, size, step, lanes int) bool {
	apart := step * size
	apart = min(max(apart&-apart, LineBytes), 4096) // lines that are multiples of 4096 bytes apart share a set
	return size == 8 && 8*apart*lanes <= 5*b.Machine.Caches.L1 && bp.N*size <= b.Machine.Caches.L2
}

// tiles reports whether tiles of so many rows and lanes are worth transposing: at least
// a block in registers of 16 bytes of each of 32 bytes of lanes, or of 16 if Go is slower, and some work for a call.
func (b *Binder) tiles(size, rows, lanes int) bool {
	least := 32 / size
	if b.Blends {
		least = 16 / size
	}
	return rows >= 16/size && lanes >= max(leastRow, least) && rows*lanes >= leastBlock
}
