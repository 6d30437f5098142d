package ir

import (
	"slices"
	"sync"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/slab"
)

// A Builder builds a kernel. It implements prim.Sink. It puts every pure
// instruction into the outermost region in which its operands are visible, so
// loop-invariant code is hoisted while it is built. If an equal instruction is
// visible, the builder returns that one.
type Builder struct {
	K *Kernel
	// From are the numbers of what is being written. If Record is set, the kernel lists them
	// as origins of each value that is written, or found again.
	From   []int32
	Record bool

	parent []int32 // of each region; -1 for the entry
	home   []int32 // region of each value
	bound  []int32 // body of the open loop that binds an axis, or -1
	open   []openLoop
	cur    int32 // innermost open loop body, or the entry
	cold   []coldRegion
	root   int32 // of the code being built: the entry, or the program of a reducer
	equal  map[consKey]Value
	consts []constant // by value
	size   int        // about the number of instructions

	coords slab.Slab[prim.Ix] // of the accesses
	axes   slab.Slab[int32]   // of the loops
}

// A constant is the bits of a value, if it is a constant.
type constant struct {
	bits uint64
	is   bool
}

type openLoop struct{ loop, body int32 }

type coldRegion struct {
	region int32
	mark   Value // the first value after the region began
}

type consKey struct {
	region int32
	aux    int32
	imm    uint64
	args   [3]Value
	op     prim.Op
	typ    dtype.Type
}

// NewBuilder returns a builder of an empty kernel.
func NewBuilder(name string) *Builder {
	b := builders.Get().(*Builder)
	k := &roomy{}
	b.K, b.coords, b.axes = &k.Kernel, slab.Of(k.coords[:]), slab.Of(k.loopAxes[:])
	b.K.Name, b.K.Axes, b.K.Bufs, b.K.Access = name, k.axes[:0], k.bufs[:0], k.access[:0]
	b.K.Loops, b.K.Regions, b.K.Index.Nodes = k.loops[:0], k.regions[:1], k.nodes[:0]
	b.K.Regions[0].Code = k.entry[:0]
	b.parent = append(b.parent, -1)
	return b
}

// A roomy is a kernel with room for short lists, so that most kernels are one object.
type roomy struct {
	Kernel
	axes     [2]string
	bufs     [3]Buf
	access   [3]Access
	loops    [2]Loop
	regions  [3]Region
	entry    [2]Ins
	nodes    [4]prim.IxNode
	coords   [6]prim.Ix
	loopAxes [4]int32
}

// builders has builders without kernels.
var builders = sync.Pool{New: func() any { return &Builder{equal: map[consKey]Value{}} }}

// Free lets other builders use the memory of b, which may not be used any more. The kernel
// stays. It leaves the memory of a large builder to the garbage collector.
func (b *Builder) Free() {
	const most = 256
	if len(b.equal) > most {
		return
	}
	clear(b.equal)
	*b = Builder{
		parent: b.parent[:0], home: b.home[:0], bound: b.bound[:0], open: b.open[:0], cold: b.cold[:0],
		equal: b.equal, consts: b.consts[:0],
	}
	builders.Put(b)
}

// Expect allocates room for n instructions. The caller calls it before the
// first instruction.
func (b *Builder) Expect(n int) {
	b.size, b.K.Types = n, make([]dtype.Type, 0, n)
}

// Axis declares a loop axis and returns its number.
func (b *Builder) Axis(name string) int {
	b.K.Axes, b.bound = append(b.K.Axes, name), append(b.bound, -1)
	return len(b.K.Axes) - 1
}

// Buf declares a buffer and returns its number.
func (b *Builder) Buf(buf Buf) int {
	b.K.Bufs = append(b.K.Bufs, buf)
	return len(b.K.Bufs) - 1
}

// Param declares a run-time integer and returns its index expression.
func (b *Builder) Param() prim.Ix {
	b.K.Params++
	return b.K.Index.Param(b.K.Params - 1)
}

// Scalar declares a run-time scalar of register type t and returns its value.
func (b *Builder) Scalar(t dtype.Type) prim.V {
	b.K.Scalars = append(b.K.Scalars, t)
	return b.put(0, Ins{Op: Scalar, Type: t, Aux: int32(len(b.K.Scalars) - 1)})
}

func (b *Builder) region(parent int32) int32 {
	b.K.Regions = append(b.K.Regions, Region{})
	b.parent = append(b.parent, parent)
	return int32(len(b.K.Regions) - 1)
}

// Open begins a loop over axes inside the innermost open loop.
func (b *Builder) Open(kind LoopKind, axes ...int) {
	body := b.region(b.cur)
	l := Loop{Kind: kind, Body: body, Axes: b.axes.List(len(axes), 4)}
	for i, a := range axes {
		l.Axes[i] = int32(a)
		b.bound[a] = body
	}
	b.K.Loops = append(b.K.Loops, l)
	b.open = append(b.open, openLoop{int32(len(b.K.Loops) - 1), body})
	b.cur = body
}

// Close ends the innermost loop.
func (b *Builder) Close() {
	top := b.open[len(b.open)-1]
	b.open = b.open[:len(b.open)-1]
	b.cur = b.parent[top.body]
	for _, a := range b.K.Loops[top.loop].Axes {
		b.bound[a] = -1
	}
	b.add(b.cur, Ins{Op: For, Aux: top.loop, Dst: None, Args: noArgs})
}

var noArgs = [3]Value{None, None, None}

func (b *Builder) add(region int32, in Ins) {
	r := &b.K.Regions[region]
	if n := min(b.size, 16); len(r.Code) == cap(r.Code) && n > len(r.Code) {
		r.Code = slices.Grow(r.Code, n-len(r.Code))
	}
	r.Code = append(r.Code, in)
}

// depth returns the number of regions from the entry to r.
func (b *Builder) depth(r int32) (d int) {
	for ; r >= 0; r = b.parent[r] {
		d++
	}
	return d
}

func (b *Builder) deeper(x, y int32) int32 {
	if b.depth(x) >= b.depth(y) {
		return x
	}
	return y
}

// Visible reports whether v can be used in the innermost open loop.
func (b *Builder) Visible(v prim.V) bool {
	home := b.home[v.ID]
	for r := b.cur; r >= 0; r = b.parent[r] {
		if r == home {
			return true
		}
	}
	return false
}

// Has reports whether v is a value of this kernel that is visible in the
// innermost open loop or in an open cold region. It implements prim.Sink.
func (b *Builder) Has(v prim.V) bool {
	if v.ID < 0 || int(v.ID) >= len(b.K.Types) || b.K.Types[v.ID] != v.Type {
		return false
	}
	for i := len(b.cold) - 1; i >= 0; i-- {
		if b.home[v.ID] == b.cold[i].region {
			return true
		}
	}
	return b.Visible(v)
}

// Uniform reports whether v is computed outside of all loops. It implements prim.Placer.
func (b *Builder) Uniform(v prim.V) bool { return b.home[v.ID] == 0 && b.cur != 0 }

// HasIndex reports whether value id is an I64 that is visible here.
func (b *Builder) HasIndex(id int64) bool {
	return id >= 0 && id < int64(len(b.K.Types)) && b.Has(prim.V{ID: Value(id), Type: dtype.I64})
}

// Bound reports whether an open loop binds an axis.
func (b *Builder) Bound(axis int) bool { return axis >= 0 && axis < len(b.bound) && b.bound[axis] >= 0 }

// homeOf returns the region of an index expression: the innermost region of its
// axes and values.
func (b *Builder) homeOf(ix prim.Ix) int32 {
	n := b.K.Index.At(ix)
	switch n.Op {
	case prim.IxConst, prim.IxParam:
		return 0
	case prim.IxAxis:
		return max(b.bound[n.K], 0)
	case prim.IxValue:
		return b.home[n.K]
	}
	return b.deeper(b.homeOf(n.A), b.homeOf(n.B))
}

// homeOfArgs returns the innermost region of some operands.
func (b *Builder) homeOfArgs(args [3]Value) int32 {
	r := b.root
	for _, a := range args {
		if a != None && b.home[a] != r {
			r = b.deeper(b.home[a], r)
		}
	}
	return r
}

// put appends an instruction to a region and returns its result. If the region
// has an equal instruction, put returns the result of that one. Inside a cold
// region, primitives other than constants go there.
func (b *Builder) put(region int32, in Ins) prim.V {
	if in.Op != Load && in.Op != Index && in.Op != Scalar {
		if len(b.cold) > 0 && in.Op != prim.Const {
			region = b.cold[len(b.cold)-1].region
		}
	} else {
		in.Args = [3]Value{in.Args[0], None, None}
		if in.Op != Load {
			in.Args[0] = None
		}
	}
	key := consKey{region, in.Aux, in.Imm, in.Args, in.Op, in.Type}
	if v, ok := b.equal[key]; ok {
		b.Mark(prim.V{ID: v, Type: in.Type})
		return prim.V{ID: v, Type: in.Type}
	}
	in.Dst = b.value(in.Type, region)
	b.equal[key] = in.Dst
	b.add(region, in)
	return prim.V{ID: in.Dst, Type: in.Type}
}

func (b *Builder) value(t dtype.Type, region int32) Value {
	b.K.Types = append(b.K.Types, t)
	b.home, b.consts = append(b.home, region), append(b.consts, constant{})
	if b.Record {
		b.K.Origins = append(b.K.Origins, b.From)
	}
	return Value(len(b.K.Types) - 1)
}

// Mark adds From to the origins of a value, if they are recorded.
func (b *Builder) Mark(v prim.V) {
	if !b.Record || v.ID < 0 || int(v.ID) >= len(b.K.Origins) {
		return
	}
	for _, n := range b.From {
		if old := b.K.Origins[v.ID]; !slices.Contains(old, n) {
			b.K.Origins[v.ID] = append(slices.Clip(old), n)
		}
	}
}

// Emit appends a primitive and returns its value. A primitive on constants
// becomes a constant. It implements prim.Sink.
func (b *Builder) Emit(p prim.Ins) prim.V {
	if bits, ok := b.constant(p); ok {
		p = prim.Ins{Op: prim.Const, Type: p.Type, Imm: bits}
	}
	in := Ins{Op: p.Op, Type: p.Type, Args: noArgs}
	for i := range p.Op.Info().Arity {
		in.Args[i] = p.Args[i].ID
	}
	if p.Op == prim.Lookup {
		in.Aux = int32(p.Imm)
	} else {
		in.Imm = p.Imm
	}
	v := b.put(b.homeOfArgs(in.Args), in)
	if p.Op == prim.Const {
		b.consts[v.ID] = constant{p.Imm, true}
	}
	return v
}

// constant returns the bits of a primitive on constants. It returns false if an
// operand is not constant.
func (b *Builder) constant(p prim.Ins) (bits uint64, ok bool) {
	var args [3]uint64
	for i := range p.Op.Info().Arity {
		c := b.consts[p.Args[i].ID]
		if args[i], ok = c.bits, c.is; !ok {
			return 0, false
		}
	}
	if p.Op == prim.Lookup {
		t := b.K.Tables[p.Imm].Bits
		return t[args[0]&uint64(len(t)-1)], true
	}
	return prim.Eval(p, args, nil), ok
}

// Constant returns the bits of v and true if v is a constant.
func (b *Builder) Constant(v prim.V) (bits uint64, ok bool) {
	if v.ID < 0 || int(v.ID) >= len(b.consts) {
		return 0, false
	}
	c := b.consts[v.ID]
	return c.bits, c.is && v.Type.Valid()
}

// Table declares a constant table and returns its number. It implements
// prim.Sink.
func (b *Builder) Table(t dtype.Type, bits []uint64) int {
	for i, old := range b.K.Tables {
		if old.Type == t && slices.Equal(old.Bits, bits) {
			return i
		}
	}
	b.K.Tables = append(b.K.Tables, Table{t, bits})
	return len(b.K.Tables) - 1
}

// Cold builds a region that runs only if p holds in some lane. It implements
// prim.Sink.
func (b *Builder) Cold(p, fast prim.V, body func() prim.V) prim.V {
	r := b.region(b.cur)
	b.cold = append(b.cold, coldRegion{r, Value(len(b.home))})
	v := body()
	top := b.cold[len(b.cold)-1]
	b.cold = b.cold[:len(b.cold)-1]
	at := b.deeper(b.home[p.ID], b.home[fast.ID])
	if h := b.home[v.ID]; h != r {
		at = b.deeper(at, h)
	}
	for _, in := range b.K.Regions[r].Code {
		for _, a := range in.Args {
			if a != None && b.home[a] != r {
				at = b.deeper(at, b.home[a])
			}
		}
		if in.Op == Cold {
			at = b.deeper(at, b.outside(in.Aux, top.mark, r))
		}
	}
	if len(b.cold) > 0 {
		at = b.cold[len(b.cold)-1].region
	}
	b.parent[r] = at
	in := Ins{Op: Cold, Type: v.Type, Args: [3]Value{p.ID, fast.ID, None}, Aux: r, Imm: uint64(v.ID), Dst: b.value(v.Type, at)}
	b.add(at, in)
	return prim.V{ID: in.Dst, Type: in.Type}
}

// outside returns the innermost region of the values that a nested cold region
// uses, apart from values of r and values defined since mark.
func (b *Builder) outside(region int32, mark Value, r int32) (at int32) {
	for _, in := range b.K.Regions[region].Code {
		for _, a := range in.Args {
			if a != None && a < mark && b.home[a] != r {
				at = b.deeper(at, b.home[a])
			}
		}
		if in.Op == Cold {
			at = b.deeper(at, b.outside(in.Aux, mark, r))
		}
	}
	return at
}

func (b *Builder) access(buf int, bounds Bounds, coords []prim.Ix) (int32, int32) {
	var home int32
	for _, c := range coords {
		home = b.deeper(home, b.homeOf(c))
	}
	for i := range b.K.Access {
		if a := &b.K.Access[i]; int(a.Buf) == buf && a.Bounds == bounds && slices.Equal(a.Coords, coords) {
			return int32(i), home
		}
	}
	b.K.Access = append(b.K.Access, Access{Buf: int32(buf), Bounds: bounds, Coords: append(b.coords.List(len(coords), 8)[:0], coords...)})
	return int32(len(b.K.Access) - 1), home
}

// Load returns an element of a buffer. Only a guarded load uses fill.
func (b *Builder) Load(buf int, bounds Bounds, coords []prim.Ix, fill prim.V) prim.V {
	a, home := b.access(buf, bounds, coords)
	in := Ins{Op: Load, Type: b.K.Bufs[buf].Type.Register(), Args: noArgs, Aux: a}
	if bounds == Guarded {
		in.Args[0] = fill.ID
		home = b.deeper(home, b.home[fill.ID])
	}
	if b.K.Bufs[buf].Mode == Row {
		home = b.cur
	}
	return b.put(home, in)
}

// Store writes an element in the innermost open loop. Stores are not hoisted,
// so two stores to one element keep their order.
func (b *Builder) Store(buf int, coords []prim.Ix, v prim.V) {
	a, _ := b.access(buf, InBounds, coords)
	b.add(b.cur, Ins{Op: Store, Type: v.Type, Dst: None, Args: [3]Value{v.ID, None, None}, Aux: a})
}

// Value returns an index expression as an I64.
func (b *Builder) Value(ix prim.Ix) prim.V {
	if n := b.K.Index.At(ix); n.Op == prim.IxValue {
		return prim.V{ID: Value(n.K), Type: dtype.I64}
	}
	return b.put(b.homeOf(ix), Ins{Op: Index, Type: dtype.I64, Args: noArgs, Imm: uint64(ix)})
}

// FromEnd returns i and true if v is i+n where i is negative, and i elsewhere. It returns an I32 if v was made from one.
func (b *Builder) FromEnd(v, n prim.V) (i prim.V, ok bool) {
	s := b.Def(v.ID)
	if s.Op != prim.Select {
		return prim.V{}, false
	}
	at, less, sum := s.Args[2], b.Def(s.Args[0]), b.Def(s.Args[1])
	ok = less.Op == prim.Lt && less.Args[0] == at && b.consts[less.Args[1]] == constant{is: true} &&
		sum.Op == prim.Add && sum.Args == [3]Value{at, n.ID, None}
	if cvt := b.Def(at); cvt.Op == prim.Cvt && b.K.Types[cvt.Args[0]] == dtype.I32 {
		return prim.V{ID: cvt.Args[0], Type: dtype.I32}, ok
	}
	return prim.V{ID: at, Type: v.Type}, ok
}

// Def returns the instruction that computes v.
func (b *Builder) Def(v Value) (in Ins) {
	code := b.K.Regions[b.home[v]].Code
	if i := slices.IndexFunc(code, func(in Ins) bool { return in.Dst == v }); i >= 0 {
		in = code[i]
	}
	return in
}

// Reduce reduces v over the innermost open loop. The result is visible after
// the loop is closed.
func (b *Builder) Reduce(r *prim.Reduction, v prim.V) prim.V {
	n := b.reducer(r, v.Type)
	t := r.Result(v.Type)
	dst := b.value(t, b.parent[b.cur])
	b.add(b.cur, Ins{Op: Reduce, Type: t, Dst: dst, Args: [3]Value{v.ID, None, None}, Aux: n})
	return prim.V{ID: dst, Type: t}
}

// Carry returns the state that the open seq loop carries, with the value first in
// the first step. first must be visible outside of the loop. Two carries are never
// one, even with equal operands.
func (b *Builder) Carry(first prim.V) prim.V {
	dst := b.value(first.Type, b.cur)
	b.add(b.cur, Ins{Op: Carry, Type: first.Type, Dst: dst, Args: [3]Value{first.ID, None, None}})
	return prim.V{ID: dst, Type: first.Type}
}

// Next sets the value that a carry of the open seq loop has in the next step. The
// result is the value after the last step; it is visible after the loop is closed.
// The caller writes the nexts of all carries before it closes the loop, and nothing
// after them.
func (b *Builder) Next(carry, v prim.V) prim.V {
	dst := b.value(v.Type, b.parent[b.cur])
	b.add(b.cur, Ins{Op: Next, Type: v.Type, Dst: dst, Args: [3]Value{carry.ID, v.ID, None}})
	return prim.V{ID: dst, Type: v.Type}
}

// reducer returns the number of a reducer. For a row that is not native it
// builds the program.
func (b *Builder) reducer(r *prim.Reduction, t dtype.Type) int32 {
	for i := range b.K.Reducers {
		if old := &b.K.Reducers[i]; old.Reduction == r && old.Type == t {
			return int32(i)
		}
	}
	d := Reducer{Reduction: r, Type: t, Body: -1, X: None, Y: None, Yield: None}
	if !r.Native() {
		cur, root, cold := b.cur, b.root, b.cold
		d.Body = b.region(-1)
		b.cur, b.root, b.cold = d.Body, d.Body, nil
		d.X, d.Y = b.value(t, d.Body), b.value(t, d.Body)
		d.Yield = r.Lower(prim.NewB(b), prim.V{ID: d.X, Type: t}, prim.V{ID: d.Y, Type: t}).ID
		b.cur, b.root, b.cold = cur, root, cold
	}
	b.K.Reducers = append(b.K.Reducers, d)
	return int32(len(b.K.Reducers) - 1)
}

// Fault raises k where p holds.
func (b *Builder) Fault(k FaultKind, p prim.V) {
	b.add(b.home[p.ID], Ins{Op: Fault, Dst: None, Args: [3]Value{p.ID, None, None}, Aux: int32(k)})
}
