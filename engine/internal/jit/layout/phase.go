package layout

import (
	"cmp"
	le "encoding/binary"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A siteKind says how machine code reaches the elements of a site.
type siteKind uint8

const (
	Uniform    siteKind = iota // one element for all lanes
	Unit                       // contiguous
	Strided                    // a constant stride: element by element, or for a small Step from vectors
	Scratch                    // contiguous, in scratch memory
	Computed                   // offsets computed by machine code
	Index                      // an affine index
	Transposed                 // contiguous, in scratch memory with a transposed tile
	Laid                       // a pattern of rows: from vectors and permutes
	Unused                     // a coordinate that is not needed
)

// A Site is a site of an instance, with its strides and extents.
type Site struct {
	Kind       siteKind
	Guard      bool // lanes outside an interval of the segment take the fill value
	Staged     bool // Go moves the elements between the array and scratch memory
	Buf        int32
	Array      int32
	Size       int // bytes of an element; of an iota 1
	Arg        int // offset in the frame
	Origin     int // offset of its address from arg: sitePtr, or siteOwn if machine code computes it
	Line       bound.Line
	Seq        []bound.Span      // of the seq loop
	Step       int               // of a Strided site: elements from lane to lane, if vector loads and permutes reach them, or 0
	Record     int               // number of its record, from 1 on, or 0
	Field      int               // of the record
	Row        int               // elements from row to row of a row loop
	Groups     [frame.Levels]int // elements from the end of a group of such rows to the next group, from the end of a group of these to the next one, and so on; or from a span of columns to the next
	Pure       bool              // a store to an array that is only written, and much larger than the caches
	Transposes bool              // parts of the rows of a loop with Each are transposed in registers: the elements of a row are neighbours
	Trails     bool              // a load of lines that another load has read before
	plane      bool              // see [Phase.Plane]
	Takes      bool              // of laid rows: each lane has an index of its own
	Near       int32             // the number, from 1 on, of an earlier site whose address is always Apart bytes before this one's, or 0
	Apart      int
	Shared     int // the number, from 1 on, of the register of a row loop whose address is Apart bytes before this one's, or 0
	Guards     []GuardLine
	Dyn        []dynDim
	Stage      *Staging
	Gather     *GatherPlan
}

// Part reports whether a site is a field of a record of which so many fields are loaded, fewer than it has.
func (s *Site) Part(fields int) bool { return s.Record > 0 && fields < s.Line.Step() }

// ShortSteps reports whether permutes reach the elements of a site, and these have 1 or 2 bytes.
func (s *Site) ShortSteps() bool { return s.Kind == Strided && s.Step != 0 && s.Size <= 2 }

// Shuffles reports whether permutes reach the elements of a site, or a pattern of rows, and
// these have 1 or 2 bytes.
func (s *Site) Shuffles() bool { return s.ShortSteps() || s.Kind == Laid && s.Size < 4 }

// Affine reports whether a site has an affine offset, inside its array in all lanes: it has neither guards nor computed coordinates.
func (s *Site) Affine() bool { return !s.Guard && s.Dyn == nil && s.Gather == nil }

// masked reports whether lanes of a site may be outside its array. They take the fill value,
// and must not be read.
func (s *Site) masked() bool {
	return s.Guard || s.Gather != nil && slices.ContainsFunc(s.Gather.Dims, func(d gatherDim) bool { return d.Bounds == ir.Guarded })
}

// A GuardLine is an affine coordinate that may be outside the array.
type GuardLine struct {
	Line   bound.Line
	Seq    []bound.Span // of the seq loop
	Extent int
}

// A dynDim is a coordinate computed from cells, the same in all lanes.
type dynDim struct {
	Site           gather.Access
	Stride, Extent int
	Bounds         ir.Bounds
}

// A GatherPlan has the coordinates that are not part of the address. Machine code
// adds stride * coordinate for each. It compares those that may be outside with the
// extent.
type GatherPlan struct{ Dims []gatherDim }

type gatherDim struct {
	Coord          lower.Coord
	Stride, Extent int
	Bounds         ir.Bounds
}

// moves reports whether some coordinate is added to the address.
func (g *GatherPlan) moves() bool {
	return slices.ContainsFunc(g.Dims, func(d gatherDim) bool { return d.Stride != 0 })
}

// A Phase is a phase of an instance, with its extents.
type Phase struct {
	Lowered        *lower.Phase
	N              int   // lanes
	Spans          []int // extents, innermost last
	SeqSpans       []int
	SeqN           int
	Sites          []Site
	Native         []int32 // sites with an address of their own
	Loads          []int32 // staged
	Stores         []int32
	Reds           []SeqRed
	Ordered        bool
	Direct         bool // no site is in scratch memory, except transposed tiles
	Tiled          bool
	TransposesRows bool             // a map transposes blocks of its transposed site in registers: see [Variant]
	Along          bool             // of a loop that carries values: lanes are walked one by one, each in a call of its own unless Each is set
	Each           int              // of a loop that carries values: steps of the rows that are walked one after the other, or with Prefixes of the whole rows that a vector has; or 0
	Always         bool             // with Prefixes: each vector combines its steps, also those of a minimum that few of them change
	Prefixes       bool             // of a loop that carries values: a vector has neighbouring steps of a lane
	Across         bool             // of a seq loop: a call goes along one row after the other
	AtOnce         int              // of such a loop, or of one that combines: the rows that it reads at once, if more than one, or 0
	Whole          int              // of a seq loop: lanes of a row whose states are all in registers, or that code that combines is made for; or 0
	Combines       bool             // of a seq loop: machine code goes from the identity to the result, through all runs of rows
	Short          int              // of a seq loop: lanes of a row that a group of vectors holds, if stores of its tail should know them; with Prefixes, the steps of its tail, or more by whole vectors; or 0
	TileSites      []int32          // transposed by tiles
	Far            bool             // their arrays are larger than the caches
	TileRows       int              // rows of their tiles
	Copy           int32            // the store of a phase that only moves tiles to another array, or -1
	Rows           bool             // one call runs many rows
	Exact          int              // lanes of short rows that are written out, or 0
	Follow         int              // rows of a call behind one whose steps are constants, so that all it reads and stores is in rows; or 0
	Shares         []*Site          // those whose addresses are in registers that all sites of the phases of a row share: see [Site.Shared]
	Together       int              // of a reduction of short rows and the phase after it: the rows follow each other in all arrays, so the lanes of several are folded at once, in vectors of at most so many bytes; else 0
	Groups         int              // one call runs so many levels of groups of rows, or many spans of columns
	Blends         bool             // see isa.Facts
	joined         int              // see Binder.Joined
	repeatsFew     bool             // a load repeats a few elements in all of a vector: those of AVX-512 are bounded by masks
	Laid           int              // elements of the rows that are laid across vectors, or 0
	LaidSpans      int              // spans of such a row
	ManyRows       bool             // of rows that are laid: see LaidOnce
	Copied         bool             // rows that are laid are copied one by one
	FewLanes       bool             // its tiles have few lanes: see tilesFew
	Plain          bool             // see plain
	Most           int              // most lanes of a call
	Narrow         bool             // see variant
	Moves          bool             // loads and stores bound a map, outside the first level or in halves
	Bytes          bool             // such a map copies neighbouring bytes, and one instruction may move those of a row
	Cached         bool             // the arrays of laid rows, or of rows of which some are read from their ends, fit into the second level
	LaneSize       int              // of narrow lanes: see [lower.Phase.LaneSize]
	Narrowing      *lower.Narrowing // the nodes in such lanes, if they are not those of the phase
	Counts         bool             // sums of predicates have lanes of 4 bytes: see [lower.Phase.Counts]
	Few            int              // most lanes of a vector, as the lanes of the loop are few; or 0
	Fetch          bool             // see variant
	Ahead          int              // see variant
	Records        [][]int32        // the sites of their fields, in the order of memory
	Woven          []int32          // all staged stores, if they are neighbouring fields of records: a tile moves them there
	Pure           []int32          // stores that can bypass the caches
	Gathers        bool             // elements apart go by gathers of the processor, which are faster here
	Repeats        bool             // lanes may be computed twice: no load sees what they store
	Leads          bool             // rows whose stores bypass the caches may begin anywhere: the lanes before a whole vector of memory are under a mask
}

// fewestLanes is the fewest lanes of a vector.
const fewestLanes = 4

// findFew sets bp.Few for a seq loop of few lanes: wider vectors would cross more cache lines. With AVX2, whose tails have no masks
// of bits, it also chooses vectors of four lanes for a scan that transposes rows a multiple of 4096 bytes apart: the first-level cache holds
// eight lines of such rows, four that are loaded and four that are stored.
func (bp *Phase) findFew(tails bool) {
	if tails && len(bp.Lowered.Carries) > 0 && bp.Widest() == 4 && bp.transposesOnly(4) && slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.RowsInReach() == 2*fewestLanes }) {
		bp.Few = fewestLanes
		return
	}
	if ph := bp.Lowered; ph.Kind != lower.SeqPhase || bp.LaneSize > 0 || bp.Along || bp.Prefixes || bp.Transposes() || bp.masks() || slices.ContainsFunc(ph.Reds, func(r lower.Red) bool { return r.Prog != nil }) {
		return
	}
	columns := bp.Columns()
	if bp.RowsFollow() {
		columns *= bp.Lowered.LaneStep
	}
	for bp.Few = fewestLanes; bp.Few < columns; bp.Few *= 2 {
	}
	if bp.Few > mostFew {
		bp.Few = 0
	}
}

// transposesOnly reports whether blocks of arrays are transposed, all of elements of so many bytes.
func (bp *Phase) transposesOnly(size int) bool {
	return bp.Transposes() && !slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Kind == Transposed && s.Size != size })
}

// masks reports whether the lanes of a phase have predicates, which masks of fewer than eight lanes do not hold.
func (bp *Phase) masks() bool {
	return bp.Lowered.Predicates() || slices.ContainsFunc(bp.Lowered.Reds, func(r lower.Red) bool { return r.Kern.Arg || r.Type == dtype.Bool })
}

// AnyLane reports whether a site gives every lane the same, so that lanes may change places: it is unused, or loads one element for
// all lanes. A guard makes some of the lanes padding.
func (bp *Phase) AnyLane(i int) bool {
	s := &bp.Sites[i]
	return s.Kind == Unused || s.Kind == Uniform && !s.Guard && !bp.Lowered.Sites[i].Store
}

// mostFew is the most lanes of short vectors. The widest have twice as many.
const mostFew = 8

// Lanes returns the lanes of a vector of so many bytes, if they are not lanes of 8 bits. masks says
// that there are mask registers.
func (bp *Phase) Lanes(bytes int, masks bool) int {
	w := bytes / bp.Widest()
	if masks && bp.Few > 0 {
		w = min(w, bp.Few)
	}
	return w
}

// A Binder has the extents and arrays of an instance while the back end makes it.
type Binder struct {
	*bound.Kernel
	Binding    *ir.Binding
	Machine    machine.Model
	Vectors    int  // vector registers
	Bytes      int  // of each
	AtOnce     int  // rows of sums that a loop along rows reads at once
	Tails      bool // of the target, like the next three: see isa.Facts
	Blends     bool
	Joins      uint32
	Joined     int // the least size of fields that are loaded or stored together: see isa.Facts
	MostNarrow int // see isa.Facts
	Planes     uint32
	Sums       bool
	Indices    bool // the fact LoadsIndices
	// NarrowPrefixes is the fact Prefixes of the target.
	NarrowPrefixes bool

	forms fewForms
}

// fewForms is memory of the forms of the phase at hand, if it has few sites.
type fewForms struct {
	offsets [4]bound.Form
	guards  [4][]bound.Form
}

// narrowBytes is the bytes of narrow vectors.
const narrowBytes = 32

// wide reports whether the target has vectors that are not narrow.
func (b *Binder) wide() bool { return b.Bytes > narrowBytes }

// Nodes returns the nodes of the phase for a variant, and the size of narrow lanes or 0.
func (bp *Phase) Nodes(v Variant) ([]lower.Node, int) {
	switch {
	case bp.Narrowing == nil:
		return bp.Lowered.Nodes, bp.LaneSize
	case v.Wide:
		return bp.Lowered.Nodes, bp.Lowered.LaneSize
	}
	return bp.Narrowing.Nodes, bp.LaneSize
}

// Computes reports whether machine code computes offsets or masks of sites.
func (bp *Phase) Computes() bool {
	return slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Gather != nil })
}

// A SeqRed is the reduction of a seq loop in an instance.
type SeqRed struct {
	*lower.Red
	At    int // offset in the frame of the accumulators: a site of their own
	PosAt int // offset of the positions
}

// A Variant is one of several functions for the same phases.
type Variant struct {
	Rows       bool // runs frameRows rows; sites step by siteRow
	Narrow     bool // vectors of 256 bits at most
	Stream     bool // stores to pure sites bypass the caches
	Fetch      bool // prefetches loads
	Runs       int  // a seq loop over so many runs of rows at once, if not 0
	Transposed bool // a map transposes blocks of its transposed site, for several rows at once
	Wide       bool // the nodes of the phase have their own types, without a narrowing
	Ahead      int  // bytes from a load to its prefetch
}

// RowBytes returns the bytes from one row of a seq loop to the next, and RunBytes from one run of rows
// to the next.
func (s *Site) RowBytes() int { return bound.StepOf(s.Seq) * s.Size }
func (s *Site) RunBytes() int { return ir.Run * s.RowBytes() }

// Columns returns the lanes of a seq loop that follow each other with one step.
func (bp *Phase) Columns() int {
	if k := len(bp.Spans); k > 1 {
		return bp.Spans[k-1]
	}
	return bp.N
}

// InRuns returns how many runs of rows a seq loop combines at once, and the vectors of w lanes of
// a row, together at most most vectors. It returns 0 unless the columns are few, and the loop only
// loads whole rows.
func (bp *Phase) InRuns(w, most int) (runs, vectors int) {
	vectors = (bp.Columns() + w - 1) / w
	if vectors == 0 || vectors > most || bp.SeqN < 2*ir.Run || bp.Lowered.LaneStep > 0 || !bp.OnlyReduces() {
		return 0, 0
	}
	for runs = 1; 2*runs*vectors <= most && 4*runs*ir.Run <= bp.SeqN; runs *= 2 {
	}
	if slices.ContainsFunc(bp.Lowered.Reds, func(r lower.Red) bool {
		return !r.Kern.Ordered && (r.Kern.Quiet || r.Type == dtype.Bool || r.Type.Size() < 4 || bp.loadsNarrow())
	}) {
		return 0, 0
	}
	return runs, vectors
}

// RowsFollow reports whether the rows of all columns follow each other in all arrays, of a loop in the order of lanes: rows of
// several lanes are one row then.
func (bp *Phase) RowsFollow() bool {
	return bp.Lowered.LaneStep > 0 && len(bp.Spans) == 1 && len(bp.SeqSpans) == 1 && bp.OnlyReduces() && !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		step := bound.StepOf(s.Seq)
		return s.Kind == Unit && step != bp.N*bp.Lowered.LaneStep || s.Kind == Uniform && step != 0
	})
}

// OnlyReduces reports whether a seq loop only loads whole rows and reduces them, without positions
// and programs.
func (bp *Phase) OnlyReduces() bool { return bp.loadsDown(false) }

// loadsDown is OnlyReduces, also with elements that are a step apart or transposed if steps is set.
func (bp *Phase) loadsDown(steps bool) bool {
	ph := bp.Lowered
	if ph.Kind != lower.SeqPhase || len(ph.Carries) > 0 || !bp.Direct || len(ph.Reds) == 0 || !bp.simpleReds() {
		return false
	}
	return !slices.ContainsFunc(bp.Sites, func(s Site) bool {
		suits := s.Kind == Unit || s.Kind == Uniform || s.Kind == Unused || steps && (s.Kind == Strided || s.Kind == Transposed)
		return !suits || s.Guard || s.Dyn != nil || ph.Sites[s.Index(ph)].Store || max(s.RunBytes(), -s.RunBytes()) >= 1<<28
	})
}

// simpleReds reports whether no reduction of a phase has positions or a program.
func (bp *Phase) simpleReds() bool {
	return !slices.ContainsFunc(bp.Lowered.Reds, func(r lower.Red) bool { return r.Kern.Arg || r.Prog != nil })
}

// loadsNarrow reports whether some elements have 1 or 2 bytes.
func (bp *Phase) loadsNarrow() bool {
	return slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Kind == Unit && s.Size < 4 })
}

// A Staging is the staging copy of one site.
type Staging struct {
	Site  gather.Access
	Buf   int32
	Size  int
	Index bool // copies the values of an index expression

	// Period is the number of lanes after which the elements repeat, if they are copied
	// once in a run, or 0.
	Period int

	Line bound.Line // of a field of bp.Woven: has the step from lane to lane
}

// copiedElements is the most elements of a row that is only copied.
const copiedElements = 2047

// AppendKey appends all that the machine code of a phase depends on to key.
func (bp *Phase) AppendKey(key []byte) []byte {
	flags := frame.Bit(bp.Along) | frame.Bit(bp.Prefixes)<<1 | frame.Bit(bp.Across)<<2 | frame.Bit(bp.Repeats)<<3 | frame.Bit(bp.Gathers)<<4 | frame.Bit(bp.Cached)<<5 | frame.Bit(bp.Copied)<<6 | frame.Bit(bp.Combines)<<7
	key = append(key, byte(bp.Lowered.ID), byte(bp.Lowered.ID>>8), byte(flags), byte(bp.Groups), byte(bp.AtOnce), byte(bp.Whole), byte(bp.Whole>>8), byte(bp.Short), byte(bp.Each), byte(bp.Each>>8|int(frame.Bit(bp.Leads)|frame.Bit(bp.Always)<<1)<<6), byte(bp.Laid), byte(bp.Laid>>8), byte(bp.Few), byte(bp.LaneSize), byte(bp.Exact), byte(bp.Exact>>8), byte(bp.Follow), byte(bp.Together), byte(int(frame.Bit(bp.ManyRows && bp.Laid > 0)|frame.Bit(bp.Moves)<<1|frame.Bit(bp.Bytes)<<2)|len(bp.Shares)<<3))
	if bp.Narrowing != nil {
		for _, a := range bp.Narrowing.Assumed {
			key = append(key, byte(a.Scalar), byte(a.Scalar>>8))
			key = le.LittleEndian.AppendUint64(le.LittleEndian.AppendUint64(key, uint64(a.Lo)), uint64(a.Hi))
		}
	}
	if len(bp.Lowered.Reds) > 0 && bp.Lowered.Kind == lower.MapPhase { // short rows have no loop
		n := min(bp.N, MostShort+1)
		if bp.Together > 0 {
			n = bp.N
		}
		key = append(key, byte(n), byte(n>>8), byte(frame.Bit(bp.N > MostTwice)))
	}
	for i := range bp.Sites {
		s := &bp.Sites[i]
		k := uint32(s.Kind)
		for bit, is := range [...]bool{
			s.Guard, s.Staged, s.Dyn != nil, s.Row != 0, s.Pure,
			s.Line.Step() != 0, bound.StepOf(s.Seq) != 0,
			s.Trails, s.Record > 0, s.Near > 0,
		} {
			k |= uint32(frame.Bit(is)) << (8 + bit)
		}
		k |= uint32(frame.Bit(s.Step != 0))<<18 | uint32(frame.Bit(s.Counts()))<<26 | uint32(frame.Bit(s.Groups[0] != 0))<<27 | uint32(frame.Bit(s.Groups[1] != 0))<<19 | uint32(frame.Bit(s.Groups[2] != 0))<<20 | uint32(frame.Bit(s.RowBytes() < 0))<<28 | uint32(frame.Bit(s.plane))<<29
		k |= uint32(s.RowsInReach()>>4) << 30
		key = le.LittleEndian.AppendUint32(key, k)
		if s.Step != 0 {
			key = le.LittleEndian.AppendUint32(key, uint32(s.Step))
		}
		if s.Record > 0 {
			key = append(key, byte(s.Record), byte(s.Field), byte(s.Line.Step()))
		}
		if bp.AtOnce > 0 || bp.Each > 0 {
			key = le.LittleEndian.AppendUint64(key, uint64(s.RowBytes()))
		}
		if bp.Follow > 0 || bp.Together > 0 {
			key = le.LittleEndian.AppendUint32(key, uint32(s.Row))
		}
		if s.Transposes {
			key = le.LittleEndian.AppendUint32(key, uint32(s.Line.Step()))
		}
		if s.Shared > 0 {
			key = le.LittleEndian.AppendUint32(append(key, byte(s.Shared)), uint32(s.Apart))
		}
		if s.Near > 0 {
			key = le.LittleEndian.AppendUint32(append(key, byte(s.Near), byte(s.Near>>8)), uint32(s.Apart))
		}
		if s.Kind == Laid {
			for _, x := range s.Line.Spans[len(s.Line.Spans)-1-bp.LaidSpans:] {
				extent := min(x.Extent, copiedElements)
				key = le.LittleEndian.AppendUint64(append(key, byte(extent), byte(extent>>8)), uint64(x.Coef))
			}
		}
		if s.Gather == nil {
			key = append(key, 0)
			continue
		}
		// Strides and extents are constants of the code.
		key = le.LittleEndian.AppendUint64(append(key, byte(1+len(s.Gather.Dims))), uint64(s.Line.Step()))
		for _, d := range s.Gather.Dims {
			key = le.LittleEndian.AppendUint32(append(key, byte(d.Bounds)), uint32(d.Coord.Node))
			key = le.LittleEndian.AppendUint32(key, uint32(d.Coord.Site))
			key = le.LittleEndian.AppendUint64(key, uint64(d.Stride))
			key = le.LittleEndian.AppendUint64(key, uint64(d.Extent))
		}
	}
	return key
}

// Counts reports whether a site is an index that grows by one from lane to lane.
func (s *Site) Counts() bool { return s.Kind == Index && s.Line.Step()*s.Size == 1 }

// RowsInReach returns how many rows a loop may transpose at once, so that a line of each stays in the first-level cache. Lines that are a multiple
// of 4096 bytes apart share its eight ways. At other distances, and for sites that are not transposed, it is 32, more than a loop transposes at once.
func (s *Site) RowsInReach() int {
	switch by := s.Line.Step() * s.Size; {
	case s.Kind != Transposed || by%2048 != 0:
		return 32
	case by%4096 != 0:
		return 16
	}
	return 8
}

// MostShort is the most elements of a row that is reduced without a loop.
const MostShort = 128

// MostTogether is the most bytes of a row that is folded together with others.
const MostTogether = 1024

// MostTwice is the most elements of a row that a reduction reads twice: the first-level cache holds them.
const MostTwice = 2048

// MaxLanes is the most lanes of a call, but for maps over neighbouring elements and loops over rows. These have at most MostLanes.
const (
	MaxLanes  = 1 << 14
	MostLanes = 8 * MaxLanes
)

// Transposes reports whether blocks of the arrays of a loop that carries values are transposed.
func (bp *Phase) Transposes() bool {
	return bp.Lowered.Kind == lower.SeqPhase && slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Kind == Transposed })
}

// Index returns the number of a site of a phase.
func (s *Site) Index(ph *lower.Phase) int { return (s.Arg - ph.ArgBase) / frame.SiteBytes }

// MostLaid is the largest number of elements of a row that is laid across vectors.
const MostLaid = 64

// Widest returns the size of the widest lanes of the phase in bytes: 1, 2, 4 or 8.
func (bp *Phase) Widest() int {
	if bp.LaneSize == 0 && bp.Counts {
		return 4
	}
	return cmp.Or(bp.LaneSize, bp.Lowered.Widest)
}
