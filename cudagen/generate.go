package cudagen

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

// Prelude is the beginning of every source: types, primitives and reductions.
//
//go:embed prelude.cuh
var Prelude string

// A Source is the text of a kernel for one layout.
type Source struct {
	Code    string   // CUDA C++, complete: it begins with Prelude
	Entries []string // the kernels (extern "C"), in the order they run
	Faults  bool     // the kernel may raise faults
	// Indirect says that the argument struct is too large to pass by value. The
	// caller copies it to the device and passes its address.
	Indirect bool

	k      *ir.Kernel
	layout Layout
	passes []pass
	areas  []area
	fields []field
	size   int // of the argument struct
}

// A passKind says how the work of a pass is divided among threads.
type passKind uint8

const (
	scalarPass    passKind = iota // one thread for the scalar code between loops
	elementsPass                  // a thread for each position of a vec loop, in strides of the grid
	blocksPass                    // a warp for each block of 4096 positions of a reducing vec loop
	finishPass                    // one thread block combines the blocks, then runs scalar code
	runsPass                      // a thread for each run of 64 positions of each column
	columnsPass                   // a thread block for each column, or several, combines the runs
	rowPartsPass                  // a warp for each block of 4096 positions of each row
	rowFinishPass                 // a thread for each row, or a thread block, combines the blocks
	rowsPass                      // a warp or a thread block for each row of a par loop
)

// A pass is one CUDA kernel.
type pass struct {
	kind   passKind
	loop   int32             // number of the loop in the IR; -1 for scalar code
	lo, hi int               // the pass runs the effects of Code[lo:hi] of the entry region
	need   map[ir.Value]bool // values of the entry region that the pass reads
	pairs  bool              // a finishPass that combines values of 8 bytes with their positions
}

// An areaKind says what an area of memory holds.
type areaKind uint8

const (
	slotArea  areaKind = iota // value x, for later passes
	partArea                  // the results of the blocks of loop y that value x combines
	rowArea                   // row buffer x
	stageArea                 // the values of two blocks of loop y that value x adds up
	runArea                   // the results of the runs of seq loop y that value x combines
	blockArea                 // the results of the blocks of the rows of par loop y that value x combines
	tileArea                  // the tile of site x
	copyArea                  // copy x of a load
)

// An area is a piece of scratch or shared memory.
type area struct {
	kind areaKind
	x, y int   // see areaKind
	size int   // bytes of one element
	par  int32 // par loop: each concurrent row has a copy of the area; tiles: their loop; else -1
}

// A generator writes the passes of a kernel.
type generator struct {
	k         *ir.Kernel
	l         *Layout
	args      args
	areas     []area
	areaOf    map[[2]int]int // index in areas, by kind and x
	passes    []pass
	siteOf    map[*ir.Ins]int  // index in Layout.sites
	sites     []*ir.Ins        // by index in Layout.sites
	def       map[ir.Value]int // position in the entry region of the definition, or of the loop that reduces the value
	form      []string         // name of the pointer, by form; "" if the form has no array
	w         strings.Builder
	constants []string // float64 in constant memory
	indent    string
	faults    bool
}

// Generate returns the source of kernel k for layout l. The kernel must pass
// [ir.Check], and l must be a layout of k. Equal layouts give equal text.
func Generate(k *ir.Kernel, l Layout) *Source {
	g := &generator{k: k, l: &l, siteOf: map[*ir.Ins]int{}, def: map[ir.Value]int{}, areaOf: map[[2]int]int{}}
	for _, in := range k.All() {
		switch in.Op {
		case ir.Load, ir.Store, ir.Index:
			g.siteOf[in] = len(g.siteOf)
			g.sites = append(g.sites, in)
		case ir.Fault:
			g.faults = true
		}
	}
	g.names()
	g.plan()
	bodies := make([]string, len(g.passes))
	s := &Source{k: k, layout: l, Faults: g.faults}
	for i := range g.passes {
		name := "oneloop_" + k.Name
		if len(g.passes) > 1 {
			name += fmt.Sprintf("_%d", i+1)
		}
		s.Entries = append(s.Entries, name)
		g.w.Reset()
		g.body(&g.passes[i])
		bodies[i] = g.w.String()
	}
	s.size = g.args.place()
	s.Indirect = s.size > maxArgs
	s.passes, s.areas, s.fields = g.passes, g.areas, g.args.fields
	var w strings.Builder
	w.WriteString(Prelude)
	if l.wide {
		w.WriteString("\ntypedef i64 ix;\ntypedef divisor64 divisor;\n\n")
	} else {
		w.WriteString("\ntypedef i32 ix;\ntypedef divisor32 divisor;\n\n")
	}
	if s.Indirect {
		g.args.text(&w, "values")
		w.WriteString("struct args {\n  const values *at;\n};\n")
	} else {
		g.args.text(&w, "args")
	}
	g.tables(&w)
	if len(g.constants) > 0 {
		fmt.Fprintf(&w, "static __constant__ f64 constants[%d] = {%s};\n", len(g.constants), strings.Join(g.constants, ", "))
	}
	g.reducers(&w)
	for i, body := range bodies {
		g.kernel(&w, &g.passes[i], s.Entries[i], s.Indirect)
		w.WriteString(body + "}\n")
	}
	s.Code = w.String()
	return s
}

// kernel writes the head of a CUDA kernel. The name a denotes the arguments.
func (g *generator) kernel(w *strings.Builder, p *pass, name string, indirect bool) {
	param := "a"
	if indirect {
		param = "far"
	}
	fmt.Fprintf(w, "\n// %s\nextern \"C\" __global__ void __launch_bounds__(%d) %s(const __grid_constant__ args %s) {\n", p.comment(g.k, g.l), p.threads(g.l), name, param)
	if indirect {
		w.WriteString("  const values &__restrict__ a = *far.at;\n")
	}
}

// names sets g.form: the name of the array and the number of the form among the
// forms of that array.
func (g *generator) names() {
	count := map[int32]int{}
	for _, f := range g.l.forms {
		name := ""
		if f.buf >= 0 {
			name = fmt.Sprintf("%s_%d", g.k.Bufs[f.buf].Name, count[f.buf])
			count[f.buf]++
		}
		g.form = append(g.form, name)
	}
}

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.w, g.indent+format+"\n", args...)
}

func (g *generator) open(format string, args ...any) {
	g.line(format+" {", args...)
	g.indent += "  "
}

// unroll opens a loop of n steps, numbered by a variable, that the compiler unrolls.
func (g *generator) unroll(variable string, n int) {
	g.w.WriteString("#pragma unroll\n")
	g.open("for (int %[1]s = 0; %[1]s < %[2]d; %[1]s++)", variable, n)
}

func (g *generator) close() {
	g.indent = g.indent[2:]
	g.line("}")
}

// ix adds a field of type ix, the type of indices, and returns its name.
func (g *generator) ix(name string, kind fieldKind, x, y int) string {
	size := 4
	if g.l.wide {
		size = 8
	}
	return g.args.put(field{name: name, ctype: "ix", size: size, align: size, kind: kind, x: x, y: y})
}

// divisor adds a field of type divisor, which divides an index quickly, and
// returns its name.
func (g *generator) divisor(name string, kind fieldKind, x int) string {
	size, align := 12, 4
	if g.l.wide {
		size, align = 8, 8
	}
	return g.args.put(field{name: name, ctype: "divisor", size: size, align: align, kind: kind, x: x})
}

// word adds a field of eight bytes and returns its name.
func (g *generator) word(name, ctype string, kind fieldKind, x int) string {
	return g.args.put(field{name: name, ctype: ctype, size: 8, align: 8, kind: kind, x: x})
}

// memory returns the C++ type of an element in memory.
func memory(t dtype.Type) string {
	if t == dtype.Bool {
		return "b8"
	}
	return t.Short()
}

// tables declares the constant tables. A table is declared as integers if an
// entry has no plain literal: the initialiser of a device variable must not call
// a function.
func (g *generator) tables(w *strings.Builder) {
	for i, t := range g.k.Tables {
		typ := bitsTable(t)
		fmt.Fprintf(w, "static __device__ const %s t%d[%d] = {", typ.Short(), i, len(t.Bits))
		for j, b := range t.Bits {
			if j > 0 {
				w.WriteString(", ")
			}
			w.WriteString(literal(typ, b))
		}
		w.WriteString("};\n")
	}
}

// bitsTable returns the element type of the declaration of a table.
func bitsTable(t ir.Table) dtype.Type {
	for _, b := range t.Bits {
		if strings.Contains(literal(t.Type, b), "(") {
			if t.Type.Size() == 8 {
				return dtype.U64
			}
			return dtype.U32
		}
	}
	return t.Type
}

// body writes the body of one CUDA kernel.
func (g *generator) body(p *pass) {
	threads := p.threads(g.l)
	g.indent = "  "
	g.buffers(p)
	if p.kind != finishPass {
		g.scalars(p)
	}
	switch p.kind {
	case elementsPass:
		if g.l.loops[p.loop].tile.on {
			g.tiled(p.loop)
			break
		}
		together := g.l.loops[p.loop].together
		step, stride := fmt.Sprintf("(ix)gridDim.x * %d", threads), ""
		if together > 1 {
			step, stride = itoa(threads), fmt.Sprintf("(ix)gridDim.x * %d", threads*together)
		}
		g.line("const ix first = (ix)blockIdx.x * %d + threadIdx.x, step = %s;", threads*together, step)
		g.elements(p.loop, stride)
	case blocksPass:
		g.results(partArea, "part", p.loop, p.loop)
		g.line("const int lane = threadIdx.x %% 32;")
		g.line("const ix warp = (ix)blockIdx.x * %d + threadIdx.x / 32, warps = (ix)gridDim.x * %d;", threads/32, threads/32)
		g.blocks(p.loop)
	case finishPass:
		g.results(partArea, "part", p.loop, p.loop)
		for _, r := range g.reductions(p.loop) {
			g.line("const %s v%d = %s::result(%s);", r.Type.Short(), r.Dst, g.reduction(r), g.tree(r, p.loop))
		}
		g.open("if (threadIdx.x == 0)")
		g.scalars(p)
		g.close()
	case runsPass:
		g.line("const ix first = (ix)blockIdx.x * %d + threadIdx.x, step = (ix)gridDim.x * %d;", threads, threads)
		g.runs(p.loop)
	case columnsPass:
		g.columns(p.loop)
	case rowPartsPass:
		g.rowParts(p.loop)
	case rowFinishPass:
		g.rowFinish(p.loop)
	case rowsPass:
		g.rows(p.loop)
	}
}

// buffers declares the row buffers that pass p uses and that the passes share.
// They are in scratch memory. The method rows declares the row buffers of a par
// loop.
func (g *generator) buffers(p *pass) {
	for i := range g.k.Bufs {
		b := &g.k.Bufs[i]
		if b.Mode != ir.Row || p.kind == rowsPass {
			continue
		}
		used := slices.ContainsFunc(g.k.Regions[0].Code[p.lo:p.hi], func(in ir.Ins) bool { return g.touched(&in, int32(i)) })
		if p.kind != scalarPass && p.kind != finishPass {
			used = used || g.touches(g.k.Loops[p.loop].Body, int32(i))
		}
		if used {
			t := memory(b.Type)
			g.line("%s *const row_%s = (%s *)%s;", t, b.Name, t, g.place(g.area(area{kind: rowArea, x: i, size: b.Type.Size(), par: -1})))
		}
	}
}

func (p *pass) threads(l *Layout) int {
	switch p.kind {
	case scalarPass:
		return 1
	case finishPass:
		if p.pairs { // 16 of them do not fit the registers of a thread of 1024
			return 512
		}
		return 1024
	case rowsPass:
		r := l.loops[p.loop].rows
		return 32 * r.rows * r.warps
	}
	return 256
}

func (p *pass) comment(k *ir.Kernel, l *Layout) string {
	axes := func() string {
		names := lists.Map(k.Loops[p.loop].Axes, func(a int32) string { return k.Axes[a] })
		return strings.Join(names, ", ")
	}
	switch p.kind {
	case elementsPass:
		return "A thread for each position of " + axes() + ", or several."
	case blocksPass:
		return "A warp for each block of 4096 positions of " + axes() + "."
	case finishPass:
		return "One block combines the results of the blocks."
	case runsPass:
		return "A thread for each run of 64 positions of the columns along " + axes() + "."
	case columnsPass:
		if n := l.loops[p.loop].columns; n > 1 {
			return fmt.Sprintf("A block for each %d columns along %s combines the runs.", n, axes())
		}
		return "A block for each column along " + axes() + " combines the runs."
	case rowPartsPass:
		return "A warp for each block of 4096 positions of the rows along " + axes() + "."
	case rowFinishPass:
		if l.loops[p.loop].alone {
			return "A thread for each row along " + axes() + " combines its blocks."
		}
		return "A block for each row along " + axes() + " combines its blocks."
	case rowsPass:
		return "The rows along " + axes() + "."
	}
	return "Scalar code."
}
