package jit

import (
	"math"
	"sync"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/gather"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/pairwise"
	"github.com/oneloop/oneloop/engine/internal/work"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A code is a lowered kernel. Its machine code depends on the layouts of a binding.
// Bindings with the same layouts share it.
type code struct {
	p        *lower.Program
	gen      *generator
	portable backend.Code // the interpreter's code, for bindings that machine code cannot run
	columns  *code        // the code of the rows as columns: see columnsOf; nil if there is none
	asked    bool         // columns is known
	folds    [][]*code    // of rows as columns: combine the accumulators of lanes, by phase and reduction; see lanesPiece

	mu        sync.Mutex
	functions *functions
	fallback  string
}

// The functions of a code, which a cleanup releases. Most codes have one.
type functions struct {
	list []*function
	one  function
	few  [1]*function
}

// find returns the function with a key, or nil.
func (fs *functions) find(key []byte) *function {
	for _, f := range fs.list {
		if f.key == string(key) {
			return f
		}
	}
	return nil
}

// add adds a function and returns it.
func (fs *functions) add(f function) *function {
	p := &fs.one
	if len(fs.list) > 0 {
		p = new(function)
	}
	*p, fs.list = f, append(fs.list, p)
	return p
}

// A function is the machine code of some phases.
type function struct {
	key     string // of their layouts and the variant
	code    *exec.Code
	slots   int
	variant layout.Variant
	// combines says that a call of a seq loop goes from the identity to the result: see [layout.Phase].
	combines bool
	wide     *function // for scalars out of the ranges that narrowings assume, or nil
}

// An instance is code bound to arrays and extents.
type instance struct {
	code     *code
	bind     *ir.Binding
	extents  []int
	items    []boundItem
	vecs     []*boundVec
	phases   []*boundPhase
	periodic []*boundPhase // with loads that are copied once in a run
	rowBytes []int
	partials [][]reduce.Partial
	frame    int // bytes
	need     gather.Need
	lanes    int // most lanes of a call of Go code that copies elements
	units    bound.UnitKind
	count    int     // units
	split    int     // the blocks of a row, if these are units, or 0; see findSplit
	at       int     // the loop along such a row, among the items of the par loop
	done     []int64 // the blocks of each such row that are done. Workers change it as atomic integers
	main     int     // the item that is divided into units, or -1
	cost     float64
	assumed  []lower.Assumed // of the scalars, by narrowings of phases

	work.Run

	// Memory of the lists of an instance of one loop of one phase.
	one struct {
		items  [1]boundItem
		vec    boundVec
		vecs   [1]*boundVec
		phase  boundPhase
		phases [2]*boundPhase
		rows   [4]int
	}
}

// A boundPhase is a phase of an instance, with its layout and its machine code.
type boundPhase struct {
	*layout.Phase
	vec        int // index of the loop in the instance
	strip      int // most lanes of a piece
	together   int // of rows as columns: the lanes whose rows a call of all columns goes through as if they were one row, or 0
	fn         *function
	transposed *function    // of a map that transposes blocks, or nil
	runs       *function    // of a seq loop that combines several runs at once, or nil
	streamed   *function    // the function whose stores bypass the caches; nil without such stores
	pastBytes  int          // of its vectors
	tiles      []*exec.Code // of the transposed sites
	weave      *exec.Code   // of the stores to fields of records, or nil
	walked     int          // see walks
}

type boundItem struct {
	scalar *boundPhase
	vec    *boundVec
	par    []boundItem
	axes   []int32
	n      int      // iterations of par
	rows   *rowLoop // of par, if one call does many of them
}

type boundVec struct {
	v    *lower.VecLoop
	id   int
	n    int
	step int  // lanes that run all phases before the next lanes start
	row  int  // step should be a multiple of it; 0: no preference
	wide bool // its chunks should be as large as possible
	// settles says that the loop only finds whether predicates hold for some element, or for all.
	settles bool
	phases  []*boundPhase
	reds    []*boundRed
}

// A boundRed is a reduction of a vec loop in an instance.
type boundRed struct {
	*lower.Red
	area int // offset in the frame
}

// A rowLoop is a par loop whose body is one function.
type rowLoop struct {
	phases []*layout.Phase
	spans  []int   // the groups around a group, and so on, as far as a call runs them; the last are the rows of a group
	most   int     // most rows of a call
	cost   float64 // of a row in ns
	fn     *function
}

// lanesFrom returns the lanes of the spans from span d on.
func (bp *boundPhase) lanesFrom(d int) int { return shape.Shape(bp.Spans[d:]).Size() }

// wholeGroups returns the lanes of a row, or of the largest group of rows, groups and so on that has at most so many.
func (bp *boundPhase) wholeGroups(most int) int {
	d := len(bp.Spans) - 1
	for d > 0 && bp.N > 0 && bp.lanesFrom(d-1) <= most {
		d--
	}
	return bp.lanesFrom(d)
}

// A rowCount is the rows of a group, the groups of a call or of a group of groups, and so on.
type rowCount [frame.Levels + 1]int

// oneRow is the count of a single row.
var oneRow = rowsOf(1)

func rowsOf(n int) rowCount { return rowCount{n, 1, 1, 1} }

// all returns the number of rows.
func (r *rowCount) all() int { return r[0] * r[1] * r[2] * r[3] }

// rowsAt returns the rows of a call from row number first on, at most most, but at least one. Where a call begins and ends with a group,
// it has several groups, and so on. The last of spans are the rows of a group.
func rowsAt(spans []int, first, most int) rowCount {
	r := oneRow
	for l := range r {
		n := spans[len(spans)-1-l]
		r[l] = max(1, min(most, n-first%n))
		if r[l] < n || l+1 == len(spans) {
			break
		}
		first, most = first/n, most/n
	}
	return r
}

// A generator makes machine code for one instruction set.
type generator struct {
	isa isa.Target
	isa.Facts
	tiles [4][2]func() (*exec.Code, error) // by log2 of the size; the second for operands larger than the caches
}

// A worker runs chunks of an instance.
type worker struct {
	gather.Scratch
	inst    *instance
	frame   unsafe.Pointer
	short   shortcut
	ready   bool // the last run was a shortcut of all units
	mem     []uint64
	rows    []unsafe.Pointer // row buffers, by buffer
	arrays  [][]unsafe.Pointer
	scratch []unsafe.Pointer // of staged sites, by phase and site
	inside  []unsafe.Pointer
	reds    []redState
	accs    [][]accState // by phase and reduction
	first   int          // lane of the scratch arrays where the piece begins
	run     uint64
	wide    bool // the scalars of the run are out of the ranges that narrowings assume
	settled bool // no later block can change the results of the run
	keep    []any

	// Memory of the lists of a worker of one loop of one phase.
	one struct {
		arrays   [1][]unsafe.Pointer
		accs     [1][]accState
		pointers [12]unsafe.Pointer
		words    [6]exec.Word
		sites    [4]shortSite
		calls    [1]exec.Bound
	}
}

const (
	stageLanes = 1024 // lanes with scratch memory, which should stay in the first-level cache
)

// An accState is the memory of a seqRed in one worker.
type accState struct {
	acc    unsafe.Pointer
	levels []unsafe.Pointer // acc and a level change places, unless a function combines
	pos    unsafe.Pointer
	tree   unsafe.Pointer // levels that machine code combines, pitch bytes apart
	runs   unsafe.Pointer // accumulators of the function for few columns, or nil
	lanes  unsafe.Pointer // accumulators of the lanes of a block, pitch bytes apart, or nil
	pitch  int
	folded unsafe.Pointer // the combination of all lanes, which fold computes
	fold   backend.Worker
}

// A redState is the tree of the blocks of a vec loop.
type redState = pairwise.Tree[reduce.Partial]

// A shortcut keeps all that a worker needs for a kernel that is one plain map, one loop whose phases are one call
// each, or one function without a loop around it, after scalar code. To find this in the instance takes longer than a
// short run, and a long run evicts the instance from the caches.
type shortcut struct {
	calls   []exec.Bound // with the words that their functions change or share with the function before
	first   *exec.Bound  // of calls, or nil
	step    int          // most units of a call; 0: there is no shortcut
	row     int          // a call begins with a multiple of so many units, and the addresses step from one to the next; 0: of one
	whole   bool         // a call runs a whole number of so many
	changes bool         // the functions change words
	words   []exec.Word  // the lanes, the rows or the groups of rows of a call, and then the addresses of sites; if functions change words, the first call has these and its own
	counts  int          // number of words before the addresses
	sites   []shortSite
}

// A shortSite is a site with the address *ptr + base + i*step, in bytes: i is the first lane, or the first row of a call
// with many rows or with laid rows, or the first group of rows.
type shortSite struct {
	arg  int // offset in the frame
	ptr  *unsafe.Pointer
	base int
	step int
}

func (w *worker) cell(i int32) *uint64 {
	return (*uint64)(unsafe.Add(w.frame, w.inst.code.p.CellBase+int(i)*8))
}

// holds reports whether the scalars are in the ranges that the narrowings of the phases assume.
func (in *instance) holds() bool { return len(in.assumed) == 0 || in.allHold() }

func (in *instance) allHold() bool {
	for i := range in.assumed {
		if a := &in.assumed[i]; !a.Holds(in.bind.Scalars[a.Scalar]) {
			return false
		}
	}
	return true
}

// loadScalars writes the scalars of the binding to their cells.
func (w *worker) loadScalars() {
	for i, s := range w.inst.bind.Scalars {
		*w.cell(int32(i)) = frame.Canonical(w.inst.code.p.IR.Scalars[i], s)
	}
	for _, h := range w.inst.code.p.Halves {
		*w.cell(h.Cell) = h.Bits(w.inst.bind.Scalars[h.Scalar])
	}
}

func (w *worker) set(off int, v int) { *w.word(off) = v }

// setPtr writes the address p + by as an integer. The sum may lie outside the
// array, where a Go pointer must not point.
func (w *worker) setPtr(off int, p unsafe.Pointer, by int) {
	*(*uintptr)(unsafe.Add(w.frame, off)) = uintptr(p) + uintptr(by)
}

// base returns the address of coordinate (0, 0, ...) of a buffer.
func (w *worker) base(buf int32) unsafe.Pointer {
	if p := w.rows[buf]; p != nil {
		return p
	}
	return w.inst.bind.Bufs[buf].Ptr
}

// word returns the address of a word of the frame.
func (w *worker) word(off int) *int { return (*int)(unsafe.Add(w.frame, off)) }

func (w *worker) scratchOf(bp *boundPhase, site int32) unsafe.Pointer {
	return w.scratch[int(bp.Lowered.Scratch)+int(site)]
}

func (w *worker) insideOf(bp *boundPhase, site int32, n int) []uint8 {
	return unsafe.Slice((*uint8)(w.inside[int(bp.Lowered.Scratch)+int(site)]), n)
}

// setInside writes the range of lanes inside a guarded array to the frame. hi is at
// most the lanes of a call. lo may be beyond 32 bits, if no lane is inside.
func (w *worker) setInside(s *layout.Site, lo, hi int) {
	hi = max(hi, 0)
	*(*int32)(unsafe.Add(w.frame, s.Arg+frame.SiteLo)) = int32(min(max(lo, 0), hi))
	*(*int32)(unsafe.Add(w.frame, s.Arg+frame.SiteHi)) = int32(hi)
}

// outside marks a coordinate outside a guarded array: dynamic returns it.
const outside = math.MinInt

// dynamic returns the part of an offset that depends on cells, in elements. It
// returns outside if a coordinate is outside a guarded array. Then the caller must
// leave no lane inside.
func (w *worker) dynamic(s *layout.Site) int {
	off := 0
	for i := range s.Dyn {
		d := &s.Dyn[i]
		c := w.One(&d.Site)
		switch {
		case d.Bounds == ir.Clamped:
			c = max(0, min(c, d.Extent-1))
		case d.Bounds == ir.Guarded && uint(c) >= uint(d.Extent):
			return outside
		}
		off += c * d.Stride
	}
	return off
}

func (w *worker) point(s *layout.Site, off int) {
	if s.Kind == layout.Index {
		w.set(s.Arg+frame.SitePtr, off)
		return
	}
	w.setPtr(s.Arg+frame.SitePtr, w.base(s.Buf), off*s.Size)
}

// guardAt returns the guarded coordinate at position p, and its step from lane to
// lane.
func (w *worker) guardAt(g *layout.GuardLine, p int) (c, step int) {
	o, _ := bound.Inner(g.Line.Spans, p)
	return g.Line.At(w.Pos) + o, g.Line.Step()
}

func (g *generator) Name() string { return g.Facts.Name }
