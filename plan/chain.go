package plan

import (
	"slices"

	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/graph"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// Chains join stages that have the same rows: matrix products with the loops before
// and after them, loops that read what others have stored, and loops that store
// pieces of one array. One worker runs all parts of a chain for a block of rows before it
// takes the next block. So what lies between the parts is as large as a block.

// joined is the result of the pass.
type joined []*Stage

// constantsFirst returns stages with those first that read nothing but what the first ones write, and write few bytes of temporaries of
// their own, such as the positions along an axis. Between others they would part a chain.
func constantsFirst(stages []*Stage) []*Stage {
	var first, rest []*Stage
	var made []*Array
	for _, s := range stages {
		other := func(a *Array) bool { return !overlap([]*Array{a}, made) }
		large := func(w *Array) bool { return w.Mem != nil || w.Bytes() > ownBytes/8 }
		if s.Kind == Loop && !s.Raises() && !slices.ContainsFunc(s.Reads, other) && !slices.ContainsFunc(s.Writes, large) &&
			!slices.ContainsFunc(rest, func(t *Stage) bool { return !independent(t, s) }) {
			first, made = append(first, s), append(made, s.Writes...)
		} else {
			rest = append(rest, s)
		}
	}
	return append(first, rest...)
}

// chain returns stages with chains in place of the stages that they join. If
// always is set, it also makes chains that do not pay.
func chain(stages []*Stage, always bool) []*Stage {
	if len(stages) < 2 {
		return stages
	}
	stages = constantsFirst(stages)
	c := &chainer{stages: stages, always: always}
	var out []*Stage
	for i := 0; i < len(stages); {
		before, made, n := c.longest(i)
		if made == nil {
			if made = inPieces(stages, i, always); made != nil {
				n = len(made.Parts)
			}
		}
		if made == nil {
			out = append(out, stages[i])
			i++
			continue
		}
		out = append(append(out, before...), made)
		i += n
	}
	return out
}

type chainer struct {
	stages []*Stage
	always bool
}

// longest returns the longest chain that begins with stage i, the stages that run
// before the chain although they come later, and the number of all these stages.
func (c *chainer) longest(i int) (before []*Stage, made *Stage, n int) {
	if !chains(c.stages[i]) {
		return nil, nil, 0
	}
	for _, dims := range c.rows(i) {
		parts, ends, moved := c.stages[i:i+1:i+1], []int{0}, []*Stage(nil)
		for j, s := range c.stages[i+1 : min(len(c.stages), i+mostStages)] {
			if more := append(slices.Clip(parts), s); chains(s) && follows(parts, s) && aligned(more, dims) {
				parts, ends = more, append(ends, j+1)
			} else if mayPass(s, parts, moved) {
				moved = append(moved, s)
			} else {
				break
			}
		}
		for k := len(parts); k > 1 && ends[k-1] >= n; k-- {
			if x, scan := c.join(parts[:k], dims); x != nil {
				made, n = x, ends[k-1]+1
				if before = moved[:n-k]; scan != nil { // before anything is stored
					before = slices.Insert(slices.Clip(before), 0, scan)
				}
				break
			}
		}
	}
	return before, made, n
}

// mayPass reports whether s may run before parts, although it comes after them and
// after moved. A stage that can fail must not pass a store to an array of the program:
// a statement that fails leaves the results of earlier ones.
func mayPass(s *Stage, parts, moved []*Stage) bool {
	stores := func(p *Stage) bool {
		return slices.ContainsFunc(p.Writes, func(a *Array) bool { return a.Mem != nil })
	}
	if (s.Kind == Call || s.Raises()) && (slices.ContainsFunc(parts, stores) || slices.ContainsFunc(moved, stores)) {
		return false
	}
	return !slices.ContainsFunc(parts, func(p *Stage) bool { return !independent(p, s) })
}

// rows returns the axes whose positions may be the rows of a chain from stage i on.
// The first product decides, or the first loop if no product follows.
func (c *chainer) rows(i int) (out [][]int) {
	k := slices.IndexFunc(c.stages[i:], func(s *Stage) bool { return s.Kind == Product })
	if k < 0 {
		s := c.stages[i]
		return [][]int{{s.Extents[s.mainAxes()[0]]}}
	}
	if k += i; !chains(c.stages[k]) {
		return nil
	}
	p := c.stages[k]
	rows, matrices := graph.LoopShape(p.ShapeA[:len(p.ShapeA)-1]), p.matrices()
	if len(rows) > 0 && slices.Equal(rows, graph.LoopShape(p.outRows())) {
		out = append(out, rows)
	}
	if len(matrices) > 0 {
		return append(out, matrices)
	}
	if len(out) == 0 {
		return nil
	}
	for _, s := range c.stages[i:min(k+2, len(c.stages))] { // loops may have several axes for the rows of a matrix
		if s.Kind != Loop || !chains(s) {
			continue
		}
		var finer []int
		size := 1
		for _, x := range s.mainAxes() {
			finer = append(finer, s.Extents[x])
			if size *= s.Extents[x]; size == rows[0] && len(finer) > 1 {
				out = append(out, finer)
				break
			}
		}
	}
	return out
}

// follows reports whether s reads what one of parts writes.
func follows(parts []*Stage, s *Stage) bool {
	return slices.ContainsFunc(parts, func(p *Stage) bool { return overlap(p.Writes, s.Reads) })
}

// aligned reports whether each part has the rows, and accesses what another part
// writes only within the block of rows that it computes.
func aligned(parts []*Stage, dims []int) bool {
	return !slices.ContainsFunc(parts, func(s *Stage) bool { return !s.hasRows(dims) }) &&
		apart(parts, func(i int, w *Array) bool { return parts[i].within(w, dims) })
}

// join returns the chain of parts, or nil if it does not pay. It also returns the
// prescan of the first part if that can fail.
func (c *chainer) join(parts []*Stage, dims []int) (s, scan *Stage) {
	s = &Stage{Kind: Chain, Why: "a worker runs its parts for one block of rows after the other"}
	own := c.private(parts)
	room := rooms(parts, own)
	r, ok := c.blocks(parts, own, room, dims)
	if !ok {
		return nil, nil
	}
	s.Blocks = r
	s.keep(own, room, shape.Shape(dims).Size())
	for i, p := range parts {
		if p.Raises() {
			if i > 0 || !slices.Contains(own, p.Writes[0]) {
				return nil, nil
			}
			scan = p.scan()
		}
		if p.Kind == Loop {
			p = p.blocked(dims, r, own)
		}
		s.add(p)
	}
	return s, scan
}

// scan returns a stage that only looks for the faults of a loop.
func (s *Stage) scan() *Stage {
	k, out := *s.Kernel, *s
	k.Types, k.Reducers, k.Regions = slices.Clone(k.Types), slices.Clone(k.Reducers), slices.Clone(k.Regions)
	k.Index.Nodes = slices.Clone(k.Index.Nodes)
	for i, r := range k.Regions {
		k.Regions[i].Code = slices.DeleteFunc(slices.Clone(r.Code), func(in ir.Ins) bool { return in.Op == ir.Store })
	}
	ir.Prune(&k)
	out.Extents = once(&k, s.Extents)
	out.Kernel, out.Prescan, out.Writes, out.Why = &k, true, nil, "looks for faults before a chain"
	return &out
}

// blocks divides the rows. It returns false if a chain does not pay.
func (c *chainer) blocks(parts []*Stage, own []*Array, room, dims []int) (r RowBlocks, ok bool) {
	perRow, moved, packed, rows, products, whole := 0, 0, 0, shape.Shape(dims).Size(), 0, false
	for i, a := range own {
		if moved += a.Bytes() / rows; room[i] == i {
			perRow += a.Bytes() / rows
		}
	}
	for _, p := range parts {
		if p.Kind == Product {
			products++
			whole = whole || p.whole(dims)
			if k := p.ShapeA[len(p.ShapeA)-1]; k*p.columns()*p.B.Type.Size() > smallB {
				packed += k * p.columns() * p.B.Type.Size()
			}
		}
	}
	if perRow == 0 {
		return r, false
	}
	// A product packs its right operand for each block. A block has enough rows to keep at
	// least as many bytes from memory.
	least, most := max(leastRows, packed/moved), ownBytes
	if products == 0 { // what the loops read and store besides goes through the same cache
		least, most = 1, ownBytes/4
	}
	target := max(least, min(most/perRow, rows/leastBlocks, mostRows))
	pays := rows*moved >= leastTemp && rows >= leastBlocks/2*target && least <= mostRows
	switch {
	case whole:
		target, pays = 1, rows*moved >= leastTemp && rows >= leastBlocks && perRow <= mostMatrix
	case c.always:
		target = min(target, max(1, rows/3))
	}
	if !c.always && !pays {
		return r, false
	}
	r = rowBlocks(parts, dims, target)
	return r, c.always || r.Count() > 1
}

// columns returns the number of columns of the result of a product.
func (s *Stage) columns() int {
	if n := len(s.ShapeB); n > 1 {
		return s.ShapeB[n-1]
	}
	return 1
}

// private returns the temporaries that only parts use, or none if all that parts write are too small for a chain.
func (c *chainer) private(parts []*Stage) (own []*Array) {
	temp := func(w *Array) bool { return w.Mem == nil }
	if !c.always && lists.Sum(parts, func(p *Stage) int { return bytesOf(lists.Where(p.Writes, temp)) }) < leastTemp {
		return nil
	}
	for _, p := range parts {
		for _, w := range p.Writes {
			if w.Mem == nil && w.Shape.Size() > 0 && !slices.ContainsFunc(c.stages, func(s *Stage) bool {
				return !slices.Contains(parts, s) && s.uses(w)
			}) {
				own = append(own, w)
			}
		}
	}
	return own
}

// rooms returns for each temporary the number of the first one in its place: a loop
// may store to the temporary that it reads, if no later part reads that.
func rooms(parts []*Stage, own []*Array) []int {
	room := make([]int, len(own))
	for i, w := range own {
		room[i] = i
		k := slices.IndexFunc(parts, func(p *Stage) bool { return slices.Contains(p.Writes, w) })
		if p := parts[k]; p.Kind == Loop && len(p.Writes) == 1 {
			j := slices.IndexFunc(own[:i], func(t *Array) bool {
				return overlap([]*Array{t}, p.Reads) && !slices.ContainsFunc(parts[k+1:], func(s *Stage) bool { return overlap([]*Array{t}, s.Reads) }) &&
					t.Type == w.Type && t.Shape.Size() == w.Shape.Size() && p.elementwise(t, w)
			})
			if j >= 0 {
				room[i] = room[j]
			}
		}
	}
	return room
}
