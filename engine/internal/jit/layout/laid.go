package layout

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// The rows of a map may be too short for vectors of their own. If its stores are contiguous
// from row to row, vectors have the lanes of several rows: lane e of a call is element e%K of
// row e/K, for rows of K elements. K vectors have whole rows, so the elements that a vector
// reads of an array are a pattern that repeats. A load is a few vectors and permutes.

const (
	mostBlock   = 16      // vectors until the pattern repeats
	mostBlends  = 64      // the same if the target blends rows
	mostStored  = 16      // elements of a row that is stored apart from the next
	copiedBytes = 320     // most bytes of a row that is only copied
	joinedBytes = 640     // the same of rows of several arrays
	chosenBytes = 1 << 13 // the same if an index selects it
	leastApart  = 3       // the least, of a row of elements of 1 or 2 bytes: shorter ones are stored with a step
	leastMoved  = 4       // the same where rows of bytes are near each other: vectors of shorter ones take less
	mostAlike   = 128     // elements of a row of many that are the same or, in wide vectors, one element each
	leastBack   = 17      // the same if rows beside each other are loaded from the last to the first: vectors of shorter ones have few windows
	leastWhole  = 32      // the same for AVX-512 where rows are near each other: permutes of vectors take less for shorter ones
	takeOps     = 8       // instructions of the IR for which the code of a take counts
	mostLaidOps = 128     // instructions of that many vectors, also where an index selects the rows
	mostSmall   = 256     // the same for vectors of 32 bytes, whose code is shorter
	leastLaid   = 128     // elements of rows that follow each other
	leastBlend  = 32      // the same if Go would copy elements otherwise, and the target blends rows, or loads elements one by one
	leastMany   = 16      // rows from which a call reads once what is the same in all of them
	leastNarrow = 4       // the least of a row whose vectors are narrow: wide vectors have more rows at once, which saves time if they are shorter
	mostWindows = 4       // vectors that one vector of a site is read from, on average
	byteWindows = 8       // the same for bytes, which are slow otherwise
	leastTile   = 16      // elements of a row of 4 bytes from which a large tile is transposed in less time than its rows are laid
	leastTiled  = 1 << 11 // elements of such a tile
	mostColumns = 12      // elements of a row of columns that permutes of wide vectors read; transposing blocks of longer ones takes less
	mostNarrow  = 16      // the same in lanes of 1 or 2 bytes
	farthest    = 1 << 30 // bytes from the first row of an iteration to an element
)

// lay decides whether the rows of a map are laid across vectors: if at least so many elements of rows follow each other.
func (l *layouter) lay(least int) {
	ph := l.ph
	if len(l.vec) == 0 || !ph.Alone() || len(l.vec) == 1 && !(l.Blends && l.onlyCopies()) || !l.layable() {
		return
	}
	l.joint()
	if l.Blends && (l.copiesWhole() || l.copiesEach()) {
		return
	}
	if l.storesApart() || l.fillsVectors() || l.transposesTiles() || !l.bp.findLaid(l.ext, least, l.longestLaid()) {
		return
	}
	lines := make([]bound.Line, len(ph.Sites))
	for at, i := range l.which {
		lines[i] = l.Line(l.offsets[i], l.inside, l.spans[at])
	}
	if !l.copiesRows(lines) && !l.laysVectors(lines, least) {
		l.bp.Laid = 0
	}
}

// laysVectors decides how vectors have the lanes of several rows, and reports whether that takes less time than vectors of each row.
func (l *layouter) laysVectors(lines []bound.Line, least int) bool {
	ph := l.ph
	w, part, most := l.laidWidths()
	block, parts, ops := l.bp.Block(w), l.bp.Block(part), len(ph.Top)
	chosen, many := l.bp.Computes(), l.Blends && l.bp.N >= leastMany*l.bp.Laid
	switch {
	case !chosen:
	case many && l.takes(lines):
		chosen, ops = false, ops+takeOps
	default:
		if block, ops = l.bp.Laid, l.elementOps(lines); ops == 2 && l.Blends && l.storesRows(lines) {
			return true // it only copies rows
		}
		if ops == 0 || slices.ContainsFunc(l.bp.Sites, func(s Site) bool { return s.Gather != nil && s.Size < 4 }) {
			return false
		}
	}
	l.bp.ManyRows = many && !chosen
	if l.bp.Laid > mostAlike || l.bp.Laid > MostLaid && !l.bp.ManyRows {
		return false
	}
	// The code of wide vectors would be long, as their blocks are, and their windows cross lines, or have few elements each: three of them
	// take as long as four of narrow vectors. The emitter has no masks of four lanes.
	long := ph.LaneSize == 0 && l.bp.Laid >= leastNarrow && !l.bp.Computes()
	windows, wide, laid, planes, whole, columns := 0, 0, 0, false, false, false
	longestBlock, mostOps := l.mostVectors()
	for _, i := range l.which {
		s := Site{Size: ph.Sites[i].Type.Size(), Line: lines[i], Gather: l.bp.Sites[i].Gather}
		if l.laidKind(&s) != Laid {
			continue
		}
		row := l.bp.LaidRow(&s)
		lo, hi := l.bp.laidRange(&s, l.bp.Laid)
		far := max(row, -row)*(2*longestBlock*w/l.bp.Laid+1) + hi - lo
		switch {
		case s.Size == 2 && !l.Blends, ph.Conflict(int(i)), far > farthest/laidBytes,
			l.bp.Laid > MostLaid && row != 0 && (lo != hi || long && l.Machine.Narrow || !l.wide()),
			ph.Sites[i].Store && (row == 0 || s.Size < 4 || l.bp.Laid > mostStored):
			return false
		case s.Gather != nil:
			continue
		}
		laid, columns = laid+1, columns || l.permutesColumns() && max(row, -row) == 1 && lo != hi
		switch {
		case l.bp.LaidOnce(&s, w):
		case l.plane(i, &s, ops):
			narrow := !l.wide() || !PlaneBytes(l.Bytes/ph.Widest*s.Size)
			l.bp.Sites[i].plane, planes, whole = true, planes || narrow, whole || !narrow
			windows += parts
		default:
			for v := range parts {
				windows += len(l.bp.LaidWindows(&s, v*part, part, part, 0))
				wide += len(l.bp.LaidWindows(&s, 2*v*part, 2*part, 2*part, 0)) // of twice as many elements
			}
		}
	}
	many = windows > laid*parts*most && !columns
	if block > longestBlock && !chosen || block*ops > mostOps || many && least > leastBlend {
		return false
	}
	long = long && !whole && !columns && (l.Machine.Narrow || 2*wide > 3*windows)
	l.bp.Narrow = (many || planes || long || ph.Widest == 8 && !columns && 2*windows > laid*parts*most) && !(ph.Widest == 8 && ph.Predicates())
	return true
}

// mostVectors returns the most vectors until the pattern of rows repeats, and the most instructions of that many.
func (l *layouter) mostVectors() (block, ops int) {
	switch {
	case !l.Blends:
		return mostBlock, mostLaidOps
	case l.wide() && !l.bp.ManyRows || l.bp.Computes():
		return mostBlends, mostLaidOps
	}
	return mostBlends, mostSmall
}

// permutesColumns reports whether the elements of short rows that are columns of an array are read by permutes of whole vectors, one for
// each column: narrow vectors have as many for half of the rows.
func (l *layouter) permutesColumns() bool {
	switch size := l.ph.LaneSize; {
	case !l.wide() || l.ph.Widest == 8 && l.bp.Laid >= leastNarrow:
		return false
	case size > 0:
		return size >= l.Joined && l.bp.Laid <= mostNarrow
	}
	return !l.Machine.Halves && !l.Machine.Narrow && l.bp.Laid <= mostColumns
}

// plane reports whether a site of a laid phase has planes, and the target interleaves so many.
func (l *layouter) plane(i int32, s *Site, ops int) bool {
	k, site := l.bp.Laid, &l.ph.Sites[i]
	if lo, hi := l.bp.laidRange(s, l.bp.Laid); lo == hi { // one element for each row takes one window
		return false
	}
	if l.wide() && (l.ph.LaneSize > 0 || !l.Machine.Halves && k < leastNarrow && (s.Size == l.ph.Widest || l.ph.Widest == 4 && s.Size >= l.Joined)) { // permutes of whole vectors are faster
		return false
	}
	return !l.bp.Computes() && !site.Store && site.Type != dtype.Bool && l.bp.LaidRow(s) == 1 && k < 32 && l.Planes>>k&1 != 0 && k*ops <= mostLaidOps
}

// longestLaid returns the most elements of a row that may be laid or copied.
func (l *layouter) longestLaid() int {
	longest := MostLaid
	switch {
	case !l.Blends:
	case l.onlyCopies():
		if longest = max(longest, copiedBytes/l.ph.Sites[0].Type.Size()); len(l.ph.Sites) > 2 {
			longest = max(longest, joinedBytes/l.ph.Sites[0].Type.Size())
		}
	case l.bp.Computes():
		longest = max(longest, chosenBytes/l.storedSize())
	default:
		longest = mostAlike
	}
	return min(longest, copiedElements, l.longestRow())
}

// longestRow returns the extent of the innermost axis where units are in order: a call may begin between any two rows of that
// axis. Elsewhere a call begins with a laid row, which may join several axes.
func (l *layouter) longestRow() int {
	if l.IR.InOrder {
		return l.Digits[l.vec[len(l.vec)-1]].Extent
	}
	return math.MaxInt
}

// storedSize returns the most bytes of an element that a map stores.
func (l *layouter) storedSize() (n int) {
	for i := range l.ph.Sites {
		if s := &l.ph.Sites[i]; s.Store {
			n = max(n, s.Type.Size())
		}
	}
	return max(n, 1)
}

// laidWidths returns the lanes of a vector in the estimate of a laid phase, the lanes of a part of it that has windows
// of its own, and the most windows of a part on average.
func (l *layouter) laidWidths() (w, part, most int) {
	switch size := l.ph.LaneSize; {
	case size > 0 && l.Blends: // each 16 bytes are a part
		return laidBytes / size, 16 / size, 8 / size
	case size == 1:
		return laidBytes, laidBytes, byteWindows
	}
	w = laidBytes / l.ph.Widest
	return w, w, mostWindows
}

// transposesTiles reports whether a map of elements of 4 bytes reads large tiles of one array along its columns, and rows of the others. Each
// element of a laid row would be a window of its own.
func (l *layouter) transposesTiles() bool {
	k, tiles := len(l.ext), 0
	if !l.Blends || k < 2 || l.ph.Widest != 4 || l.ph.LaneSize > 0 || l.ext[k-1] < leastTile || l.ext[k-1]*l.ext[k-2] < leastTiled || l.bp.Computes() {
		return false
	}
	for at, i := range l.which {
		store, step, row := l.ph.Sites[i].Store, l.spans[at][k-1].Coef, l.spans[at][k-2].Coef
		switch {
		case !store && !l.ph.Conflict(int(i)) && max(step, -step) > mostStep && max(row, -row) == 1:
			tiles++
		case step != 1 && (step != 0 || store):
			return false
		}
	}
	return tiles == 1
}

// fillsVectors reports whether rows of a map of 1 or 2 bytes, of which some are far apart, take vectors of narrow lanes of their own. The
// vector of a row that is shorter overlaps the rows behind it. The last vector of a longer row overlaps the vector before it.
func (l *layouter) fillsVectors() bool {
	k, size := len(l.ext), l.ph.LaneSize
	if !l.Blends || size == 0 || k < 2 || l.ext[k-1] < leastRow || l.ext[k-2] < leastFollowed || l.bp.Computes() {
		return false
	}
	w, n := l.Bytes/size, l.ext[k-1]
	long := n >= w
	if long && (l.wide() || 3*((n+w-1)/w*w) > 4*n) || 2*n < w { // stores that overlap by more take longer
		return false
	}
	far := l.wide()
	for at, i := range l.which {
		step, row, store := l.spans[at][k-1].Coef, l.spans[at][k-2].Coef, l.ph.Sites[i].Store
		far = far || max(row, -row) >= 2*n
		switch {
		case step != 1 && (step != 0 || store), store && l.IR.Bufs[l.bp.Sites[i].Buf].Mode != ir.Out:
			return false
		case step == 0 && row != 0 || !long && (store && row != l.ext[k-1] || step == 1 && row <= 0):
			return false
		}
	}
	return far
}

// storesApart reports whether rows take vectors of their own, and a store leaves out elements between two of them. Laid rows are stored
// one element after the other there, unless they are only copied.
func (l *layouter) storesApart() bool {
	k := len(l.ext)
	of := func(i int32) []bound.Span { return l.spans[slices.Index(l.which, i)] }
	return k > 1 && !l.onlyCopies() && l.ownVectors(l.ext[k-1], l.ext[k-2], func(i int) int { return of(int32(i))[k-1].Coef }) &&
		slices.ContainsFunc(l.which, func(i int32) bool { return l.ph.Sites[i].Store && of(i)[k-2].Coef != l.ext[k-1] })
}

// onlyCopies reports whether a map only copies elements from one array to another, or elements of one type from some arrays to others,
// which are not in the same memory.
func (l *layouter) onlyCopies() bool {
	sites, bufs := l.ph.Sites, l.Binding.Bufs
	if !l.ph.Copies() {
		return false
	}
	for i := range sites {
		s, several := &sites[i], len(sites) > 2
		if l.ph.Conflict(i) || several && (s.Buf < 0 || s.Coords != nil) {
			return false
		}
		for j := range sites[:i] {
			if x := &sites[j]; several && (x.Type != s.Type || x.Store != s.Store && (x.Buf == s.Buf || bufs[s.Buf].Memory != 0 && bufs[x.Buf].Memory == bufs[s.Buf].Memory)) {
				return false
			}
		}
	}
	return true
}

// copiesWhole decides whether a map of 1 or 2 bytes copies its innermost rows, as long as they are, one by one by the widest
// moves: bytes that are laid across vectors take more instructions, and those of a tail go one by one. Where rows are far apart a
// vector has a window for each of its rows.
func (l *layouter) copiesWhole() bool {
	k := len(l.ext)
	if k < 2 || len(l.ph.Sites) > 2 || !l.onlyCopies() || l.bp.Computes() || l.ext[k-1]*l.ext[k-2] < leastBlend {
		return false
	}
	size, least, apart := l.ph.Sites[0].Type.Size(), leastMoved, 0
	for at, s := range l.spans {
		if apart = max(apart, s[k-2].Coef*size, -s[k-2].Coef*size); s[k-2].Coef == -l.ext[k-1] && !l.ph.Sites[l.which[at]].Store {
			least = leastBack
		}
	}
	switch {
	case size > 2 || size == 2 && apart < LineBytes:
		return false
	case apart >= LineBytes:
		least = leastApart
	case l.wide():
		least = leastWhole
	}
	if row := l.ext[k-1] * size; row < least || row > copiedBytes || l.ext[k-1] > l.longestRow() {
		return false
	}
	l.bp.Laid, l.bp.LaidSpans = l.ext[k-1], 1
	for at, i := range l.which {
		line := l.Line(l.offsets[i], l.inside, l.spans[at])
		s := Site{Line: line}
		if row := l.bp.LaidRow(&s); !l.bp.LaidUnit(&s) || l.ph.Sites[i].Store && row == 0 || max(row, -row) > farthest/laidBytes {
			l.bp.Laid = 0
			return false
		}
	}
	l.bp.Copied = true
	return true
}

// copiesEach decides whether a map of one axis copies elements one by one, as rows of one element, by a load and a store each. It does so
// if the elements that it stores are far apart, if those that it loads are far apart and have 1 or 2 bytes, or if it stores all elements
// of records that follow each other, and loads each from records in the same order.
func (l *layouter) copiesEach() bool {
	if len(l.ext) != 1 || !l.onlyCopies() || l.bp.Computes() {
		return false
	}
	several := len(l.ph.Sites) > 2
	apart, lines, stores, record := several, make([]bound.Line, len(l.ph.Sites)), 0, 0
	for at, i := range l.which {
		size, step := l.ph.Sites[i].Type.Size(), max(l.spans[at][0].Coef, -l.spans[at][0].Coef)
		if step == 0 || step > farthest/laidBytes || several && l.spans[at][0].Coef <= 1 {
			return false
		}
		if l.ph.Sites[i].Store {
			stores, record = stores+1, max(record, step)
		}
		apart = apart || step > mostSteps && (l.ph.Sites[i].Store || size <= 2)
		lines[i] = l.Line(l.offsets[i], l.inside, l.spans[at])
	}
	if !apart || several && record != stores {
		return false
	}
	l.bp.Laid, l.bp.LaidSpans, l.bp.Copied = 1, 0, true
	if several && !l.copiesRows(lines) {
		l.bp.Laid, l.bp.Copied = 0, false
	}
	return l.bp.Laid > 0
}

// copiesRows reports whether a map copies rows whose elements follow each other to others that are apart. Such rows are
// copied one by one by the widest moves.
func (l *layouter) copiesRows(lines []bound.Line) bool {
	if !l.Blends || !l.onlyCopies() || l.bp.Computes() {
		return false
	}
	steps := 0 // rows that are as near are stored with a step; a row of predicates takes more instructions
	if t := l.ph.Sites[0].Type; l.wide() && t.Size() == 1 && len(lines) == 2 && (l.bp.Laid < leastApart || l.bp.Laid == leastApart && t == dtype.Bool) {
		steps = mostSteps
	}
	var roots []Site // those that need a register for their address
	for i := range lines {
		s := Site{Kind: Laid, Buf: l.ph.Sites[i].Buf, Size: l.ph.Sites[i].Type.Size(), Line: lines[i]}
		if row := l.bp.LaidRow(&s); !l.bp.LaidUnit(&s) || l.ph.Sites[i].Store && (max(row, -row) <= steps || row == l.bp.Laid) || max(row, -row) > farthest/laidBytes {
			return false
		}
		if !slices.ContainsFunc(roots, func(x Site) bool { d, ok := l.distance(&x, &s); return ok && max(d, -d) <= farthestNear }) {
			roots = append(roots, s)
		}
	}
	l.bp.Copied = len(lines) > 2 && len(roots) <= siteRegs
	return l.bp.Copied || len(lines) == 2
}

// storesRows reports whether the elements of the rows that a map stores follow each other, and have the type of those that
// an index selects.
func (l *layouter) storesRows(lines []bound.Line) bool {
	for i := range lines {
		info, s := &l.ph.Sites[i], Site{Line: lines[i]}
		if len(lines[i].Spans) > 0 { // it is laid
			if row := l.bp.LaidRow(&s); max(row, -row) > farthest/laidBytes {
				return false
			}
		}
		if info.Store && (info.Type == dtype.Bool || !l.bp.LaidUnit(&s) || l.bp.LaidRow(&s) == 0 || l.ph.Conflict(i)) {
			return false
		}
		if j := slices.IndexFunc(l.bp.Sites, func(x Site) bool { return x.Gather != nil }); info.Store && info.Type != l.ph.Sites[j].Type {
			return false
		}
	}
	return true
}

// layable reports whether the sites of a map may be laid: those with an affine offset, and loads
// whose computed coordinates are inside.
func (l *layouter) layable() bool {
	for i := range l.bp.Sites {
		s := &l.bp.Sites[i]
		switch {
		case s.Kind == Unused:
		case s.Guard || s.Dyn != nil || s.Size == 2 && !l.Blends && !l.onlyCopies():
			return false
		case s.Kind == Computed:
			if l.ph.Sites[i].Store || l.ph.Sites[i].Cold || s.Size < 4 && !l.Blends || s.masked() || !s.Gather.moves() {
				return false
			}
			if slices.ContainsFunc(s.Gather.Dims, func(d gatherDim) bool { return d.Coord.Node == lower.None }) {
				return false
			}
		case s.Kind != Uniform:
			return false
		}
	}
	return true
}

// findLaid makes rows of the innermost spans, as few as make enough rows that follow each other. It
// reports whether the rows are short.
func (bp *Phase) findLaid(ext []int, least, longest int) bool {
	n := 1
	for k := len(ext) - 1; k > 0; k-- {
		if n *= ext[k]; n > longest {
			break
		}
		if n > 1 && n*ext[k-1] >= least {
			bp.Laid, bp.LaidSpans = n, len(ext)-k
			return true
		}
	}
	return false
}

// laidKind returns the kind of a site of a laid phase.
func (l *layouter) laidKind(s *Site) siteKind {
	row, unit := l.bp.LaidRow(s), l.bp.LaidUnit(s)
	lo, hi := l.bp.laidRange(s, l.bp.Laid)
	switch {
	case s.Gather != nil:
		return Laid
	case unit && row == l.bp.Laid:
		return Unit
	case row == 0 && lo == 0 && hi == 0:
		return Uniform
	}
	return Laid
}

// An index may select the rows that are laid across vectors. Its offsets are the same along a
// row: code computes those of as many rows as a vector has lanes at once, and reads each row
// under masks.

// elementOps returns the number of instructions for each element of a map whose rows are
// selected, or 0 if an offset is not the same along a row.
func (l *layouter) elementOps(lines []bound.Line) int {
	needed := make([]bool, len(l.ph.Nodes))
	ops := 0
	for k := len(l.ph.Top) - 1; k >= 0; k-- {
		id := l.ph.Top[k]
		n := &l.ph.Nodes[id]
		if n.Op == ir.Cold {
			return 0
		}
		if !needed[id] && (n.Op < prim.NumOps || n.Op == ir.Load) {
			continue
		}
		ops++
		for _, a := range n.Args {
			if a != lower.None {
				needed[a] = true
			}
		}
	}
	rows := rowNodes{l, lines, make([]bool, len(l.ph.Nodes))}
	for i := range l.bp.Sites {
		g := l.bp.Sites[i].Gather
		if g == nil {
			continue
		}
		if !l.bp.LaidUnit(&Site{Line: lines[i]}) {
			return 0
		}
		for _, d := range g.Dims {
			if !rows.has(d.Coord.Node) {
				return 0
			}
		}
	}
	return ops
}

// takes finds the sites of which an index selects each element, and reports whether all sites with an index are such: the indices follow each
// other from row to row, or are the same in all rows, and are in memory until they are used. A loop that only looks for faults has none.
func (l *layouter) takes(lines []bound.Line) bool {
	stored := slices.IndexFunc(l.ph.Top, func(id int32) bool { return l.ph.Nodes[id].Op == ir.Store })
	if !l.Indices || l.Machine.Gathers || stored < 0 || slices.ContainsFunc(l.ph.Top[stored:], func(id int32) bool { return l.ph.Nodes[id].Op == ir.Load }) {
		return false
	}
	for i := range l.bp.Sites {
		g := l.bp.Sites[i].Gather
		if g == nil {
			continue
		}
		load, _ := l.bp.IndexOf(g, l.ph.Nodes, func(id int32) bool { return l.ph.Nodes[id].Op == lower.OpCell })
		if load == lower.None {
			return false
		}
		index := &Site{Line: lines[l.ph.Nodes[load].Aux]}
		if row := l.bp.LaidRow(index); l.ph.Nodes[load].Cold || !l.bp.LaidUnit(index) || row != 0 && row != l.bp.Laid {
			return false
		}
		l.bp.Sites[i].Takes = true
	}
	return true
}

// IndexOf returns the load of the index that is the only computed coordinate of a site, and the node that is added to it where it is
// negative, or None. word reports whether the frame has the value of a node, which is the same in all lanes and rows.
func (bp *Phase) IndexOf(g *GatherPlan, nodes []lower.Node, word func(id int32) bool) (load, size int32) {
	dim := g.Dims[0]
	small := dim.Extent <= math.MaxInt32 && math.MinInt32 <= dim.Stride && dim.Stride <= math.MaxInt32
	if load, size = dim.Coord.Node, lower.None; len(g.Dims) != 1 || load == lower.None || dim.Bounds != ir.Clamped || !small {
		return lower.None, lower.None
	}
	if n := &nodes[load]; n.Op == prim.Select {
		load = n.Args[2]
		less, sum := &nodes[n.Args[0]], &nodes[n.Args[1]]
		if less.Op != prim.Lt || less.In != dtype.I64 || less.Args[0] != load || nodes[less.Args[1]].Op != prim.Const || nodes[less.Args[1]].Imm != 0 || sum.Op != prim.Add || sum.Args[0] != load || !word(sum.Args[1]) {
			return lower.None, lower.None
		}
		size = sum.Args[1]
	}
	if n := &nodes[load]; n.Op == prim.Cvt && n.Type == dtype.I64 {
		load = n.Args[0]
	}
	if n := &nodes[load]; n.Op != ir.Load || !indexTypes[bp.Lowered.Sites[n.Aux].Type] {
		return lower.None, lower.None
	}
	return load, size
}

// indexTypes are the types of indices that one instruction loads into a general register with 64 bits.
var indexTypes = [1 << 8]bool{dtype.I64: true, dtype.U64: true, dtype.I32: true, dtype.U32: true, dtype.U16: true, dtype.U8: true}

// rowNodes finds the nodes that have one value for each row.
type rowNodes struct {
	*layouter
	lines []bound.Line
	known []bool // nodes that have
}

// has reports whether a node has one value for each row, and follows from contiguous loads.
func (l *rowNodes) has(id int32) bool {
	if l.known[id] {
		return true
	}
	n := &l.ph.Nodes[id]
	switch {
	case n.Op == ir.Load:
		s := Site{Line: l.lines[n.Aux]}
		lo, hi := l.bp.laidRange(&s, l.bp.Laid)
		row := l.bp.LaidRow(&s)
		if l.bp.Sites[n.Aux].Gather != nil || lo != 0 || hi != 0 || row != 0 && row != 1 || l.ph.Conflict(int(n.Aux)) {
			return false
		}
	case n.Op >= prim.NumOps && n.Op != lower.OpCell:
		return false
	}
	for _, a := range n.Args {
		if a != lower.None && !l.has(a) {
			return false
		}
	}
	l.known[id] = true
	return true
}
