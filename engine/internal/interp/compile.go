package interp

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// A reg is a register under construction. The values of the kernel are the
// first registers; splats and temporaries follow.
type reg struct {
	t         dtype.Type
	vector    bool
	konst     bool
	bits      uint64 // of a constant
	depth     int    // of a one-lane register: the level that computes it
	splat     int32  // the register with this one in every lane, or -1
	alias     int32  // the register whose memory this one is, or -1
	pointer   bool   // no memory of its own
	def, last int    // positions, of a vector register
	home      int    // offset in the arena
}

// A stub is an instruction under construction.
type stub struct {
	ins
	dst   int32   // register written, or -1
	reads []int32 // registers read
	apart bool    // dst must not share memory with what is read
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

// A blk is the code of a region under construction.
type blk struct{ code []stub }

// A level is a region that is being translated.
type level struct {
	blk  *blk
	kind levelKind
	loop int32 // in the kernel
}

type levelKind uint8

const (
	scalarLevel levelKind = iota // the entry, a par body
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
	axisLevel []int // by axis: the level of the loop that binds it
	err       error
}

// A code is a compiled kernel.
type code struct {
	k      *ir.Kernel
	entry  []ins
	main   int // index in entry of the loop that units divide, or -1
	regs   []reg
	arena  int // bytes
	inits  []initial
	tables []unsafe.Pointer
	sites  []siteInfo
	vecs   []vecInfo
	seqs   []seqInfo
	reds   []redInfo // of vec loops
	runs   []redInfo // of seq loops
}

// An initial is a constant that a worker puts into a register once.
type initial struct {
	reg   int32
	size  int
	bits  uint64
	lanes int
}

type vecInfo struct {
	axes []int32
	reds []int32 // indices in code.reds
	ops  int     // instructions, for the cost
	seqs []int32
	// stored directly: register and site
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
	// For wide.go.
	vec   int32
	sites []int32 // in the body
	outer []int32 // vectors that the body uses and does not define
	wide  bool    // nothing in the body forbids it
}

// A redInfo is a reduction of a loop.
type redInfo struct {
	row  *ir.Reducer
	arg  dtype.Type // of the operand
	typ  dtype.Type // of the result
	dst  int32
	tmp  int32 // in seq loops: the register that points into the stack
	src  int32
	kern *reducer
	prog program // of a reduction without kernels of its own
}

func newCompiler(k *ir.Kernel) *compiler {
	c := &compiler{k: k, vec: -1, axisLevel: make([]int, len(k.Axes))}
	c.code = &code{k: k, main: -1}
	for _, t := range k.Types {
		c.newReg(t)
	}
	for _, t := range k.Tables {
		c.code.tables = append(c.code.tables, packTable(t.Type, t.Bits))
	}
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

// finish turns stubs into code.
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
