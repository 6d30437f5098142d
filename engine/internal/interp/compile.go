package interp

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A reg describes a register. The values of the kernel are the first registers;
// splats and temporaries follow.
type reg struct {
	t         dtype.Type
	vector    bool
	konst     bool
	bits      uint64 // the value of a constant
	depth     int    // the level that computes a one-lane register
	splat     int32  // the vector register with this value in every lane, or -1
	alias     int32  // the register that shares its memory with this one, or -1
	pointer   bool   // the register has no memory in the arena
	def, last int    // positions of the first definition and the last use of a vector register
	home      int    // offset of its memory in the arena, in bytes
}

// A stub is an instruction that the compiler has not finished.
type stub struct {
	ins
	dst   int32   // register written, or -1
	reads []int32 // registers read
	apart bool    // dst must not share memory with an operand
	body  *blk
	loop  bool
	site  siteOp
}

type siteOp uint8

const (
	noSite siteOp = iota
	loadSite
	storeSite
)

// A blk is the unfinished code of a region.
type blk struct{ code []stub }

// A level is a region that the compiler is translating. The levels are a stack,
// with the innermost region last.
type level struct {
	blk  *blk
	kind levelKind
	loop int32 // number of the loop in the kernel
}

type levelKind uint8

const (
	scalarLevel levelKind = iota // the entry region or the body of a par loop
	vecLevel
	seqLevel
	coldLevel
)

type compiler struct {
	k         *ir.Kernel
	code      *code
	regs      []reg
	levels    []level
	vec       int   // the level of the vec loop, or -1
	axisLevel []int // the level of the loop that binds each axis
	err       error
}

// A code is a compiled kernel.
type code struct {
	k      *ir.Kernel
	entry  []ins
	main   int // index in entry of the loop that workers divide, or -1
	regs   []reg
	arena  int // size of the registers of one worker, in bytes
	inits  []initial
	tables []unsafe.Pointer
	sites  []siteInfo
	vecs   []vecInfo
	seqs   []seqInfo
	reds   []redInfo // reductions of vec loops
	runs   []redInfo // reductions of seq loops
}

// An initial is a constant that NewWorker stores in a register.
type initial struct {
	reg   int32
	size  int
	bits  uint64
	lanes int
}

type vecInfo struct {
	axes []int32
	reds []int32 // indices in code.reds
	ops  int     // number of instructions, for the cost
	seqs []int32
	// stores whose register may point at the array, so that they copy nothing
	direct []directStore
}

type directStore struct {
	reg  int32
	site int32
}

type seqInfo struct {
	axes []int32
	runs []int32 // indices in code.runs
	ops  int
	// The values that the loop carries; see carryInfo.
	carries []carryInfo
	// After so many instructions of a step the loop may end, if none of these registers
	// holds in any lane.
	settled int
	held    []int32
	// The fields below are for wide.go.
	vec   int32
	sites []int32 // the loads in the body
	outer []int32 // vector registers that the body reads and does not define
	wide  bool    // the body can compute several runs in one block
}

// A redInfo is a reduction of a loop.
type redInfo struct {
	row  *ir.Reducer
	arg  dtype.Type // type of the operand
	typ  dtype.Type // type of the result
	dst  int32
	tmp  int32 // seq loop: the register that points at a level of the stack; else -1
	src  int32
	kern *reducer
	prog program // registers of a reduction without kernels of its own
}

func newCompiler(k *ir.Kernel) *compiler {
	c := &compiler{k: k, vec: -1, axisLevel: make([]int, len(k.Axes))}
	c.code = &code{k: k, main: -1}
	for _, t := range k.Types {
		c.newReg(t)
	}
	c.code.tables = lists.Map(k.Tables, func(t ir.Table) unsafe.Pointer { return packTable(t.Type, t.Bits) })
	return c
}

func (c *compiler) fail(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

func (c *compiler) newReg(t dtype.Type) int32 {
	c.regs = append(c.regs, reg{t: t, splat: -1, alias: -1})
	return int32(len(c.regs) - 1)
}

func (c *compiler) compile() (*code, error) {
	entry := &blk{}
	c.levels = []level{{blk: entry}}
	c.region(0)
	if c.err != nil {
		return nil, c.err
	}
	c.allocate(entry)
	c.code.entry = c.finish(entry)
	c.code.regs = c.regs
	if units, _ := bound.UnitsOf(c.k); units != bound.OneUnit {
		c.code.main = slices.IndexFunc(entry.code, func(s stub) bool { return s.loop })
	}
	return c.code, c.err
}

// finish returns the instructions of b.
func (c *compiler) finish(b *blk) []ins {
	out := make([]ins, len(b.code), len(b.code)+1)
	for i := range b.code {
		s := &b.code[i]
		out[i] = s.ins
		if s.body != nil {
			out[i].body = c.finish(s.body)
		}
	}
	return out
}
