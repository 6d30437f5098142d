package emit

import (
	"slices"

	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// spareRegs is the most temporaries that the code of a node takes, on all targets.
const spareRegs = 6

// A phaseCode writes the machine code of one phase: the order of its nodes, its loops and
// its reductions.
type phaseCode struct {
	isa.Emitter
	target           isa.Target
	top              []int32 // nodes of the body of the loop
	hoisted          []int32 // uniform nodes, which the prologue computes
	owned            []owned
	accs             []acc
	reds             []lower.Red // of the phase, in its lanes
	carries          []carried   // in registers
	atOnce           int         // vectors of a whole row that are computed at once; 0: all of the group
	rowsStep         int         // rows of an iteration of a loop down columns
	transposedSites  []isa.TransposedSite
	heldTransposed   bool      // registers hold parts of the transposed sites
	transposedAtOnce int       // vectors of lanes whose parts are transposed one after the other
	partVec          isa.Vec   // a register beside those of the parts
	records          [][]int32 // the nodes that load neighbouring fields of records at once
	joined           [][]int32 // the nodes that store the fields of a record
	rowTop           []int32   // nodes with one value for each row of those that are laid across vectors
	chosen           []chosen  // sites whose rows an index selects
	// rowNodes has the copies in rowTop of nodes.
	rowNodes map[int32]int32
	// unroll is the vectors of an iteration that a loop computes one after the other, see oneByOne, or 0.
	unroll int
	moved  []lower.Move // by a loop that copies rows
	// rowMask says that the tail mask has the lanes of a row of a loop that copies rows.
	rowMask bool
	// tailKept says that code before a loop makes the mask of the known tails in it.
	tailKept bool
	// firstPart is the nodes of the first part of a loop that has two, see findShared, or 0.
	firstPart int
	inParts   int // vectors at once of the main loop of two parts
	alone     int // and of the loop behind it
	from, to  int // the copies that are emitted: all, or those of a batch
	share     sharing
	// widened says that uniform nodes have fewer lanes than the loop: see widenLoop.
	widened   bool
	left      isa.Label                // the end of a loop that carries values
	lastRow   bool                     // a row of a loop along rows stores all states
	many      int                      // rows of an iteration of a loop down whole columns
	combines  bool                     // the loop down columns goes from the identity to the result
	group     int                      // vectors of a group of columns
	back      int                      // lanes by which the last vector of whole rows of columns overlaps the one before, or 0
	rowsHeld  bool                     // see holdRows
	once      bool                     // no loop follows the prologue: its values stay in registers
	chained   bool                     // a map without reductions, or scalar code, which is one of several phases of a row
	rare      *rare                    // of the only carry of a loop, if it rarely changes
	position  isa.Int                  // the number of the row: see firstPosition
	stepRegs  map[*layout.Site]isa.Int // see holdSteps
	heldWords int                      // the registers behind rowCount with words of the frame: see holdWords
	lanes     isa.Int                  // the number of lanes of a row: a word of the frame, or a register
	begins    []int8                   // the registers of addresses at the begin of a row, or -1: see holdRows
	rowCount  isa.Int                  // the counter of a row loop whose addresses are in registers
	counted   bool                     // Count is the number of a vector of the tail
	sought    bool                     // a search for an extreme follows: see findByValue
	best      isa.Vec                  // the extreme in all lanes
	collected isa.Mask                 // predicates of a loop that leaves, or 0: see heldLoop

	ofNode              int  // see mostOfNode; 0: no registers have carries
	spared              int  // see spare; 0: not known
	pressed             bool // pressure is known
	mostVecs, mostMasks int
	mostBetween         int // the most vectors that hold values between the nodes
	kept                []listing.Kept
	counts              []int32  // see zeros
	uses                []uint16 // of each node, by nodes; see joiner
}

// A sharing says what two vectors of a group share.
type sharing struct {
	bit   uint64 // of the position, or 0: they share nothing
	site  int32  // the position
	roles []role // of nodes
}

// A role says how the value of a node depends on the position.
type role uint8

const (
	ownRole      role = iota // each vector has its own value
	positionRole             // the position
	sharedRole               // depends on the position without the bit
	bitRole                  // the bit of the position, or whether it is set
	choiceRole               // selects by the bit what vectors share
)

// zeros returns a zero for each node, until its next call.
func (f *phaseCode) zeros() []int32 {
	f.counts = slices.Grow(f.counts[:0], len(f.Nodes))[:len(f.Nodes)]
	clear(f.counts)
	return f.counts
}

func (f *phaseCode) node(list *[]int32, op prim.Op, t, in dtype.Type, cold bool, args ...int32) int32 {
	n := lower.Node{Op: op, Type: t, In: in, Args: [3]int32{lower.None, lower.None, lower.None}, Cold: cold}
	copy(n.Args[:], args)
	f.Nodes = append(f.Nodes, n)
	id := int32(len(f.Nodes) - 1)
	if list != nil {
		*list = append(*list, id)
	}
	return id
}

func (f *phaseCode) constant(t dtype.Type, x uint64) int32 {
	id := f.node(nil, prim.Const, t, t, false)
	f.Nodes[id].Imm = x
	return id
}

func (f *phaseCode) stored(buf int32) bool { return f.stores(buf) > 0 }

// stores returns the number of sites that store to an array.
func (f *phaseCode) stores(buf int32) (n int) {
	for i := range f.Phase.Sites {
		if f.Phase.Sites[i].Store && f.Phase.Sites[i].Buf == buf {
			n++
		}
	}
	return n
}

// An acc is the accumulators of one reduction of a map phase: in registers in the
// main loop if they fit, in memory in the tail.
type acc struct {
	*lower.Red
	area int // offset in the frame
	n    int // vectors
	regs []ranked
	used int // the vectors that have been combined with values; the others have the identity
}

// loose reports whether instructions may combine the values in any order.
func (a *acc) loose() bool { return !a.Kern.Ordered && !a.Kern.Arg && a.Prog == nil }

// idempotent reports whether a value may be combined twice.
func idempotent(r *lower.Red) bool {
	return r.Prog == nil && !r.Kern.Arg && slices.Contains([]prim.Op{prim.Min, prim.Max, prim.And, prim.Or}, r.Kern.Op)
}

// A ranked is a vector of an accumulator, and the vector of its positions for ArgMin and
// ArgMax. A rankedMem is its memory.
type (
	ranked    struct{ x, at isa.Vec }
	rankedMem struct{ x, at isa.Mem }
)

// A carried is a carry of a seq loop that stays in registers down the rows, one for
// each copy of a group. Its array holds it between two calls.
type carried struct {
	*lower.Carry
	regs  []isa.Vec
	early bool // no next of a carry comes before the last use of its value
	// echo is the site to which a loop along rows stores the next value too, in a row from which the next row
	// loads it, or nil. echoReg is the register with its address, or -1.
	echo    *layout.Site
	echoReg int8
	from    isa.Reg // has the address of that row, or of the array of a carry without one; or 0: see holdSteps
	slot    int32   // of a carry of 1 or 2 bytes, through which it goes to a register
}

// A rare is a carry that rarely changes: it does where node need is not 0. region is the next value in each lane, and
// next is the next value in the last lane.
type rare struct{ need, region, next int32 }

// An owned site has an address that the prologue computes.
type owned struct {
	site *layout.Site
	off  int32 // node
}

// A chosen site has rows that an index selects: see layout/laid.go. Its offsets are a vector,
// a lane for each row, which goes to a slot before the rows are loaded.
type chosen struct {
	site, off int32
	slot      int32
}

// freeSite returns the first register for addresses that neither a site nor the counter of rows has, if there is one.
func (f *phaseCode) freeSite() (r isa.Int, ok bool) {
	next := len(f.Layout.Shares)
	for i, r := range f.SiteReg {
		if next = max(next, int(r)+1); f.begins != nil {
			next = max(next, int(f.begins[i])+1)
		}
	}
	if next < f.Sites && (f.rowCount == isa.Int(isa.SiteReg(next)) || f.position == isa.SiteReg(next)) {
		next += 1 + f.heldWords
	}
	return isa.SiteReg(next), next < f.Sites
}

// anyLane reports whether a vector may begin at any lane: all sites are contiguous, uniform or loaded with a small step, and each vector
// of a group is loaded and stored by itself: narrower elements of two vectors are stored at once.
func (f *phaseCode) anyLane() bool {
	return !slices.ContainsFunc(f.Layout.Sites, func(s layout.Site) bool {
		steps := s.Kind == layout.Strided && s.Step != 0 && (s.Record == 0 || s.Part(len(f.Layout.Records[s.Record-1]))) && s.Size >= 4 && !f.Phase.Sites[s.Index(f.Phase)].Store
		return (s.Kind == layout.Unit || steps) && s.Size != f.Layout.Widest() || s.Kind != layout.Unit && s.Kind != layout.Uniform && s.Kind != layout.Unused && !steps || !s.Affine()
	})
}

// eachLaid calls do for the laid sites.
func (f *phaseCode) eachLaid(do func(i int32, s *layout.Site)) {
	for i := range f.Layout.Sites {
		if s := &f.Layout.Sites[i]; s.Kind == layout.Laid {
			do(int32(i), s)
		}
	}
}

// planes returns the sites that are interleaved from planes.
func (f *phaseCode) planes() (sites []int32) {
	f.eachLaid(func(i int32, s *layout.Site) {
		if f.Layout.Plane(s, f.W) {
			sites = append(sites, i)
		}
	})
	return sites
}
