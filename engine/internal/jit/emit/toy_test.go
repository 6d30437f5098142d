package emit_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/emit"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/isa"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/jit/reduce"
	"github.com/oneloop/oneloop/engine/internal/listing"
	hardware "github.com/oneloop/oneloop/engine/internal/machine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

// The toy is a processor of another kind: it has vectors of 16 bytes, no masks and no
// operands in memory, and its instructions are closures. It has the instructions of few
// kernels. It shows that loops, addresses, spills and accumulators need no x86.

// A machine is the state of the toy.
type machine struct {
	regs   [16]int
	vecs   [16]vector
	tail   int // lanes of the tail
	result int // of the last instruction on general registers
	pc     int
}

type vector [16]byte

func (m *machine) at(x isa.Mem) unsafe.Pointer {
	p := m.regs[x.Base.N()] + int(x.Disp)
	if x.Scale > 0 {
		p += m.regs[x.Index.N()] * int(x.Scale)
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)) // the test keeps the arrays alive
}

func (m *machine) value(x isa.Int) int {
	switch {
	case x.IsReg():
		return m.regs[x.N()]
	case x.IsWord():
		return *(*int)(m.at(isa.At(isa.Frame, x.N())))
	}
	return x.N()
}

func (m *machine) set(d isa.Int, v int) {
	if m.result = v; d.IsReg() {
		m.regs[d.N()] = v
	} else {
		*(*int)(m.at(isa.At(isa.Frame, d.N()))) = v
	}
}

// A toyAsm has the instructions of a function.
type toyAsm struct {
	code   []func(m *machine)
	labels []int
	used   map[string]int // instructions by kind
}

func (a *toyAsm) add(kind string, f func(m *machine)) {
	a.used[kind]++
	a.code = append(a.code, f)
}

func (a *toyAsm) NewLabel() isa.Label {
	a.labels = append(a.labels, -1)
	return isa.Label(len(a.labels) - 1)
}
func (a *toyAsm) Bind(l isa.Label) { a.labels[l] = len(a.code) }
func (a *toyAsm) Align(int)        {}
func (a *toyAsm) Head(string)      {}
func (a *toyAsm) Note(string)      {}

var toyOps = map[isa.IntOp]func(d, x int) int{
	isa.Mov: func(_, x int) int { return x }, isa.Add: func(d, x int) int { return d + x }, isa.Sub: func(d, x int) int { return d - x },
	isa.Mul: func(d, x int) int { return d * x }, isa.And: func(d, x int) int { return d & x }, isa.Shl: func(d, x int) int { return d << x },
	isa.Shr: func(d, x int) int { return int(uint(d) >> x) }, isa.Neg: func(d, _ int) int { return -d }, isa.Min: func(d, x int) int { return min(d, x) },
	isa.Mov32: func(_, x int) int { return int(uint32(x)) }, isa.And32: func(d, x int) int { return int(uint32(d & x)) },
	isa.Shl32: func(d, x int) int { return int(uint32(d) << x) },
}

func (a *toyAsm) Int(op isa.IntOp, d, x isa.Int) {
	do := toyOps[op]
	a.add("int", func(m *machine) { m.set(d, do(m.value(d), m.value(x))) })
}

func (a *toyAsm) Boolean(isa.Reg) { panic("the toy has no booleans") }

func (a *toyAsm) Address(d isa.Reg, x isa.Mem) {
	a.add("address", func(m *machine) { m.regs[d.N()] = int(uintptr(m.at(x))) })
}

func (a *toyAsm) Load(size int, d isa.Reg, x isa.Mem) {
	a.add("load", func(m *machine) {
		var b [8]byte
		copy(b[:size], unsafe.Slice((*byte)(m.at(x)), size))
		m.regs[d.N()] = int(binary.LittleEndian.Uint64(b[:]))
	})
}

func (a *toyAsm) Store(size int, x isa.Mem, r isa.Reg) {
	a.add("store", func(m *machine) {
		b := binary.LittleEndian.AppendUint64(nil, uint64(m.regs[r.N()]))
		copy(unsafe.Slice((*byte)(m.at(x)), size), b)
	})
}

func (a *toyAsm) Prefetch(isa.Mem) {}

func (a *toyAsm) jump(l isa.Label, if_ func(m *machine) bool) {
	a.add("jump", func(m *machine) {
		if if_(m) {
			m.pc = a.labels[l]
		}
	})
}

func (a *toyAsm) Jump(l isa.Label) { a.jump(l, func(*machine) bool { return true }) }

func holds(cond isa.Cond, x, y int) bool {
	return [...]bool{isa.EQ: x == y, isa.NE: x != y, isa.LT: x < y, isa.LE: x <= y, isa.GT: x > y, isa.GE: x >= y, isa.NE32: uint32(x) != uint32(y)}[cond]
}

func (a *toyAsm) Branch(cond isa.Cond, x, y isa.Int, l isa.Label) {
	a.jump(l, func(m *machine) bool { return holds(cond, m.value(x), m.value(y)) })
}

func (a *toyAsm) BranchResult(cond isa.Cond, l isa.Label) {
	a.jump(l, func(m *machine) bool { return holds(cond, m.result, 0) })
}

func (a *toyAsm) Unset(x isa.Reg, k int, l isa.Label) {
	a.jump(l, func(m *machine) bool { return m.regs[x.N()]>>k&1 == 0 })
}

func (a *toyAsm) Finish(bool) (*listing.Object, error) { return &listing.Object{Code: []byte{0}}, nil }

func (a *toyAsm) run(frame unsafe.Pointer) {
	m := &machine{}
	m.regs[isa.Frame.N()] = int(uintptr(frame))
	for m.pc < len(a.code) {
		m.pc++
		a.code[m.pc-1](m)
	}
}

// toy is the target. It keeps the assembler of the last function.
type toy struct{ asm *toyAsm }

func (*toy) Facts() isa.Facts { return isa.Facts{Name: "toy", Vectors: 16, Bytes: 16, Sites: 2} }

func (t *toy) New(bool) isa.Asm {
	t.asm = &toyAsm{used: map[string]int{}}
	return t.asm
}

func (*toy) Lanes(f *isa.Emitter) isa.Lanes { return &toyLanes{f: f, a: f.Asm.(*toyAsm)} }

func (*toy) Block(isa.Asm, int, int, func(int) isa.Mem, func(int) isa.Mem) {
	panic("the toy has no tiles")
}

// toyLanes emits vectors. Methods that no kernel of the test needs are missing: the
// embedded interface panics.
type toyLanes struct {
	isa.Lanes
	f *isa.Emitter
	a *toyAsm
}

// bytes returns so many bytes of the memory at x.
func (m *machine) bytes(x isa.Mem, n int) []byte { return unsafe.Slice((*byte)(m.at(x)), n) }

func (l *toyLanes) LoadVec(t dtype.Type, d isa.Vec, x isa.Mem) {
	n := l.f.VecBytes(t)
	l.a.add("loadvec", func(m *machine) { copy(m.vecs[d][:], m.bytes(x, n)) })
}

func (l *toyLanes) StoreVec(t dtype.Type, x isa.Mem, v isa.Vec) { l.StoreLanes(t, x, v, false) }

func (l *toyLanes) StoreLanes(t dtype.Type, x isa.Mem, v isa.Vec, masked bool) {
	n := l.f.VecBytes(t)
	l.a.add("storevec", func(m *machine) {
		if n := min(n, t.Size()*m.tail); masked {
			copy(m.bytes(x, n), m.vecs[v][:n])
			return
		}
		copy(m.bytes(x, n), m.vecs[v][:n])
	})
}

func (l *toyLanes) StoreTo(n *lower.Node, t dtype.Type, x isa.Mem, masked bool) {
	l.StoreLanes(t, x, l.f.Src(n.Args[0]), masked)
}

func (l *toyLanes) StoreFirst(size int, x isa.Mem, v isa.Vec) {
	l.a.add("storefirst", func(m *machine) { copy(m.bytes(x, size), m.vecs[v][:size]) })
}

func (l *toyLanes) CopyVec(_ dtype.Type, d, x isa.Vec) {
	l.a.add("copy", func(m *machine) { m.vecs[d] = m.vecs[x] })
}

func (l *toyLanes) CopyLanes(t dtype.Type, d, x isa.Vec) {
	n := l.f.VecBytes(t)
	l.a.add("copylanes", func(m *machine) {
		k := min(n, t.Size()*m.tail)
		copy(m.vecs[d][:k], m.vecs[x][:k])
	})
}

func (l *toyLanes) Constant(d isa.Vec, t dtype.Type, bits uint64) {
	l.a.add("constant", func(m *machine) {
		for at := 0; at < 16; at += t.Size() {
			copy(m.vecs[d][at:at+t.Size()], binary.LittleEndian.AppendUint64(nil, bits))
		}
	})
}

func (l *toyLanes) LoadUniform(d isa.Vec, n int32) {
	if nd := &l.f.Nodes[n]; nd.Op == prim.Const {
		l.Constant(d, nd.Type, nd.Imm)
	} else {
		l.LoadVec(nd.Type, d, l.f.Slot(l.f.UniformSlot[n]))
	}
}

func (l *toyLanes) UpperHalf(d, x isa.Vec, bytes int) {
	l.a.add("half", func(m *machine) { copy(m.vecs[d][:bytes/2], m.vecs[x][bytes/2:bytes]) })
}

func (l *toyLanes) SetTail() {
	l.a.add("tail", func(m *machine) { m.tail = m.regs[isa.T1.N()] })
}

func (l *toyLanes) StepValues(*reduce.Kern, isa.Vec, []isa.Vec) bool { return false }
func (l *toyLanes) StepValue(k *reduce.Kern, d, x isa.Vec)           { l.two(k.Op, k.Lane, d, d, x) }

// two emits a primitive of two operands.
func (l *toyLanes) two(op prim.Op, t dtype.Type, d, x, y isa.Vec) {
	l.a.add("two", func(m *machine) {
		a, b := m.vecs[x], m.vecs[y]
		for at := 0; at < 16; at += 4 {
			p, q := binary.LittleEndian.Uint32(a[at:]), binary.LittleEndian.Uint32(b[at:])
			f, g := math.Float32frombits(p), math.Float32frombits(q)
			switch {
			case t == dtype.I32 && op == prim.Add:
				p += q
			case t == dtype.I32 && op == prim.Max:
				p = uint32(max(int32(p), int32(q)))
			case t == dtype.F32 && op == prim.Add:
				p = math.Float32bits(f + g)
			case t == dtype.F32 && op == prim.Sub:
				p = math.Float32bits(f - g)
			case t == dtype.F32 && op == prim.Mul:
				p = math.Float32bits(f * g)
			default:
				panic(fmt.Sprint("the toy lacks ", op, t))
			}
			binary.LittleEndian.PutUint32(m.vecs[d][at:], p)
		}
	})
}

// toyRules are the rules, as a target of a few lines has them.
var toyRules = isa.Table(
	isa.Row[func(*toyLanes, *lower.Node)]{Emit: (*toyLanes).binary, Types: []dtype.Type{dtype.F32, dtype.I32}, Ops: []prim.Op{prim.Add, prim.Sub, prim.Mul, prim.Max}},
	isa.Row[func(*toyLanes, *lower.Node)]{Emit: (*toyLanes).cell, Types: isa.All, Ops: []prim.Op{lower.OpCell}},
	isa.Row[func(*toyLanes, *lower.Node)]{Emit: (*toyLanes).load, Ops: []prim.Op{ir.Load}},
)

func (l *toyLanes) Emit(n *lower.Node) bool {
	emit, ok := toyRules.Find(n.Op, n.In)
	if ok {
		emit(l, n)
	}
	return ok
}

func (l *toyLanes) binary(n *lower.Node) {
	x, y := l.f.Src(n.Args[0]), l.f.Src(n.Args[1])
	l.f.Release()
	l.two(n.Op, n.In, l.f.Dst(), x, y)
}

func (l *toyLanes) cell(n *lower.Node) { l.broadcast(l.f.Dst(), n.Type.Size(), l.f.CellAt(n.Aux)) }

func (l *toyLanes) broadcast(d isa.Vec, size int, x isa.Mem) {
	l.a.add("broadcast", func(m *machine) {
		for at := 0; at < 16; at += size {
			copy(m.vecs[d][at:], m.bytes(x, size))
		}
	})
}

func (l *toyLanes) load(n *lower.Node) {
	s, f := &l.f.Layout.Sites[n.Aux], l.f
	x, d := f.Address(s, n.Aux), f.Dst()
	if s.Kind == layout.Uniform {
		l.broadcast(d, s.Size, x)
		return
	}
	size, masked := f.VecBytes(n.Type), f.Masked
	l.a.add("loadvec", func(m *machine) {
		n := size
		if masked {
			n = s.Size * m.tail
		}
		copy(m.vecs[d][:], m.bytes(x, n))
	})
}

// toyKernels are the kernels of the test; want computes element i of the last array.
var toyKernels = []struct {
	name, text string
	extents    []int
	shapes     [][]int
	scalars    []uint64
	want       func(x, y []uint32, i int) uint32
}{
	{"update", `kernel update
axis i0
buf w f32 in 1
buf g f32 in 1
buf z f32 out 1
scalar s0 f32
{
  %0 = scalar f32 s0
  vec i0 {
    %1 = load f32 w[i0]
    %2 = load f32 g[i0]
    %3 = mul f32 %0 %2
    %4 = sub f32 %1 %3
    %5 = mul f32 %1 %2
    %6 = add f32 %4 %5
    store f32 z[i0] %6
  }
}`, []int{77}, [][]int{{77}, {77}, {77}}, []uint64{uint64(math.Float32bits(.5))}, func(x, y []uint32, i int) uint32 {
		w, g := math.Float32frombits(x[i]), math.Float32frombits(y[i])
		h, p := .5*g, w*g
		d := w - h
		return math.Float32bits(d + p)
	}},
	{"columns", `kernel columns
axis i0 i1
buf x i32 in 2
buf y i32 in 1
buf z i32 out 1
{
  vec i1 {
    seq i0 {
      %0 = load i32 x[i0, i1]
      %1 = load i32 y[i1]
      %2 = add i32 %0 %1
      %3 = reduce max i32 %2
    }
    store i32 z[i1] %3
  }
}`, []int{5, 39}, [][]int{{5, 39}, {39}, {39}}, nil, func(x, y []uint32, i int) uint32 {
		best := int32(math.MinInt32)
		for r := range 5 {
			best = max(best, int32(x[r*39+i]+y[i]))
		}
		return uint32(best)
	}},
	{"sum", `kernel sum
axis i0
buf x i32 in 1
buf y i32 in 1
buf z i32 out 0
{
  vec i0 {
    %0 = load i32 x[i0]
    %1 = load i32 y[i0]
    %2 = add i32 %0 %1
    %3 = reduce sum i32 %2
  }
  store i32 z[] %3
}`, []int{203}, [][]int{{203}, {203}, {}}, nil, func(x, y []uint32, _ int) (sum uint32) {
		for i := range x {
			sum += x[i] + y[i]
		}
		return sum
	}},
}

// TestToy runs kernels on the toy: loops and operands work for a processor that is no x86.
func TestToy(t *testing.T) {
	for _, c := range toyKernels {
		t.Run(c.name, func(t *testing.T) {
			k, err := ir.Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Check(k); err != nil {
				t.Fatal(err)
			}
			bind := &ir.Binding{Extents: c.extents, Scalars: c.scalars}
			var arrays [][]uint32
			for _, s := range c.shapes {
				n := 1
				strides := make([]int, len(s))
				for d := len(s) - 1; d >= 0; d-- {
					strides[d] = n
					n *= s[d]
				}
				a := make([]uint32, n)
				for i := range a {
					a[i] = math.Float32bits(float32(i%19) - 7.25)
				}
				arrays = append(arrays, a)
				bind.Bufs = append(bind.Bufs, ir.BufBind{Ptr: unsafe.Pointer(&a[0]), Strides: strides, Extents: s})
			}
			runToy(t, k, bind)
			for i, have := range arrays[2] {
				if want := c.want(arrays[0], arrays[1], i); have != want {
					t.Fatalf("element %d is %#x, want %#x", i, have, want)
				}
			}
		})
	}
}

// runToy runs the phases of a kernel one after the other, as a worker does for arrays that
// one call reaches.
func runToy(t *testing.T, k *ir.Kernel, bind *ir.Binding) {
	p, err := lower.Kernel(k)
	if err != nil {
		t.Fatal(err)
	}
	n, err := bound.New(k, bind, false)
	if err != nil {
		t.Fatal(err)
	}
	b := &layout.Binder{Kernel: n, Binding: bind, Machine: hardware.Model{Caches: cpucache.Sizes{L1: 1 << 15, L2: 1 << 20, L3: 1 << 25}}}
	words := make([]uint64, (p.SlotBase+64*64)/8)
	word := func(off int) *uint64 { return &words[off/8] }
	for i, s := range bind.Scalars {
		*word(p.CellBase + 8*i) = s
	}
	scratch := make([][]uint64, 16)
	for i := range scratch {
		scratch[i] = make([]uint64, 256)
	}
	address := func(x unsafe.Pointer, by int) uint64 { return uint64(uintptr(x) + uintptr(by)) }
	for _, ph := range p.Phases {
		bp := b.Phase(ph)
		target := &toy{}
		for i := range ph.Reds {
			at := ph.ArgBase + (len(ph.Sites)+2*i)*frame.SiteBytes
			bp.Reds = append(bp.Reds, layout.SeqRed{Red: &ph.Reds[i], At: at})
			if array := ph.Reds[i].Array; array >= 0 {
				acc := unsafe.Slice((*uint32)(unsafe.Pointer(&scratch[array][0])), 512)
				for j := range acc {
					acc[j] = uint32(ph.Reds[i].Kern.Identity)
				}
				*word(at + frame.SitePtr) = address(unsafe.Pointer(&acc[0]), 0)
			}
		}
		if _, err := emit.Generate(target, p, []*layout.Phase{bp}, layout.Variant{}, false); err != nil {
			t.Fatal(err)
		}
		for i := range bp.Sites {
			s := &bp.Sites[i]
			switch {
			case s.Kind == layout.Scratch:
				*word(s.Arg + frame.SitePtr) = address(unsafe.Pointer(&scratch[s.Array][0]), 0)
			case s.Buf >= 0:
				*word(s.Arg + frame.SitePtr) = address(bind.Bufs[s.Buf].Ptr, s.Line.Base*s.Size)
				*word(s.Arg + frame.SiteRow) = uint64(bound.StepOf(s.Seq) * s.Size)
			}
		}
		*word(ph.Lanes), *word(frame.Rows) = uint64(bp.N), uint64(bp.SeqN)
		target.asm.run(unsafe.Pointer(&words[0]))
		for i := range ph.Reds {
			if r := &ph.Reds[i]; r.Cell >= 0 {
				*word(p.CellBase + 8*int(r.Cell)) = *word(p.RedBase + int(r.State)*frame.RedBytes)
			}
		}
	}
}
