package layout

import (
	le "encoding/binary"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A siteKind says how machine code reaches the elements of a site.
type siteKind uint8

const (
	Uniform    siteKind = iota // one element for all lanes
	Unit                       // contiguous
	Strided                    // a constant stride: from a gather, or for a small Step from vectors
	Scratch                    // contiguous, in scratch memory
	Computed                   // offsets computed by machine code
	Index                      // an affine index
	Transposed                 // contiguous, in scratch memory with a transposed tile
	Unused                     // a coordinate that is not needed
)

// A Site is a site of an instance, with its strides and extents.
type Site struct {
	Kind   siteKind
	Guard  bool // lanes outside an interval of the segment take the fill value
	Staged bool // Go moves the elements between the array and scratch memory
	Buf    int32
	Array  int32
	Size   int // bytes of an element; of an iota 1
	Arg    int // offset in the frame
	Origin int // offset of its address from arg: sitePtr, or siteOwn if machine code computes it
	Line   bound.Line
	Seq    []bound.Span // of the seq loop
	Step   int          // of a Strided site: elements from lane to lane, if vector loads and permutes reach them, or 0
	Row    int          // elements from row to row of a row loop
	Pure   bool         // a store to an array that is only written, and much larger than the caches
	Trails bool         // a load of lines that another load has read before
	Guards []GuardLine
	Dyn    []dynDim
	Stage  *Staging
	Gather *GatherPlan
}

// ByteSteps reports whether permutes reach the elements of a site, and these are bytes.
func (s *Site) ByteSteps() bool { return s.Kind == Strided && s.Step != 0 && s.Size == 1 }

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
	Lowered    *lower.Phase
	N          int   // lanes
	Spans      []int // extents, innermost last
	SeqSpans   []int
	SeqN       int
	Sites      []Site
	Native     []int32 // sites with an address of their own
	Loads      []int32 // staged
	Stores     []int32
	Reds       []SeqRed
	Ordered    bool
	Direct     bool // no site is in scratch memory, except transposed tiles
	Tiled      bool
	Along      bool        // of a loop that carries values: a call has one lane
	Transposed []int32     // transposedSites
	Far        bool        // their arrays are larger than the caches
	TileRows   int         // rows of their tiles
	Copy       int32       // the store of a phase that only moves tiles to another array, or -1
	Rows       bool        // one call runs many rows
	Plain      []PlainSite // nil unless all sites are plain: see findPlain
	Most       int         // most lanes of a call
	Narrow     bool        // see variant
	Octets     bool        // lanes of 8 bits: see [lower.Phase.Octets]
	Fetch      bool        // see variant
	Pure       []int32     // stores that can bypass the caches
}

// A Binder has the extents and arrays of an instance while the back end makes it.
type Binder struct {
	*bound.Kernel
	Binding *ir.Binding
	Machine machine.Model
}

// Computes reports whether machine code computes offsets or masks of sites.
func (bp *Phase) Computes() bool {
	return slices.ContainsFunc(bp.Sites, func(s Site) bool { return s.Gather != nil })
}

// A PlainSite is a site with the address *ptr + base + i*step, in bytes: i is the
// first lane, or the first row of a call with many rows.
type PlainSite struct {
	Arg  int             // offset in the frame
	Ptr  *unsafe.Pointer // of the buffer
	Base int             // bytes
	Step int
}

// A SeqRed is the reduction of a seq loop in an instance.
type SeqRed struct {
	*lower.Red
	At    int // offset in the frame of the accumulators: a site of their own
	PosAt int // offset of the positions
}

// A Variant is one of several functions for the same phases.
type Variant struct {
	Rows   bool // runs frameRows rows; sites step by siteRow
	Narrow bool // vectors of 256 bits at most
	Stream bool // stores to pure sites bypass the caches
	Fetch  bool // prefetches loads
	Ahead  int  // bytes from a load to its prefetch
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
}

// AppendKey appends all that the machine code of a phase depends on to key.
func (bp *Phase) AppendKey(key []byte) []byte {
	key = append(key, byte(bp.Lowered.ID), byte(bp.Lowered.ID>>8), byte(frame.Bit(bp.Along)))
	if len(bp.Lowered.Reds) > 0 && bp.Lowered.Kind == lower.MapPhase { // short rows have no loop
		key = append(key, byte(min(bp.N, MostShort+1)))
	}
	for i := range bp.Sites {
		s := &bp.Sites[i]
		k := uint32(s.Kind)
		for bit, is := range [...]bool{
			s.Guard, s.Staged, s.Dyn != nil, s.Row != 0, s.Pure,
			s.Line.Step() != 0, bound.StepOf(s.Seq) != 0,
			s.Trails,
		} {
			k |= uint32(frame.Bit(is)) << (8 + bit)
		}
		k |= uint32(uint8(s.Step)) << 16
		key = le.LittleEndian.AppendUint32(key, k)
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

// MostShort is the most elements of a row that is reduced without a loop.
const MostShort = 128

// MaxLanes is the most lanes of a call, but for loops that memory bounds.
const MaxLanes = 1 << 14
