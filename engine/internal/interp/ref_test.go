package interp_test

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/ir"
)

// A reference runs a kernel one element at a time, as docs/numerics.md says. It has
// no blocks and no analysis, and shares only prim.Eval with the interpreter.
type reference struct {
	k     *ir.Kernel
	b     *ir.Binding
	arrs  []*array // by buffer
	base  []int    // index of the element at coordinate (0, 0, ...)
	stri  [][]int
	ext   [][]int
	env   []uint64
	pos   []int
	fault ir.FaultKind
	tabs  [][]uint64
	lists map[ir.Value][]uint64 // operands of the reductions of the current loop
}

func newReference(k *ir.Kernel, b *ir.Binding, arrs []*array, base []int) *reference {
	r := &reference{k: k, b: b, base: base, env: make([]uint64, len(k.Types)), pos: make([]int, len(k.Axes)), lists: map[ir.Value][]uint64{}}
	for _, t := range k.Tables {
		r.tabs = append(r.tabs, t.Bits)
	}
	for i, d := range k.Bufs {
		if d.Mode != ir.Row {
			r.arrs = append(r.arrs, arrs[i])
			r.stri = append(r.stri, b.Bufs[i].Strides)
			r.ext = append(r.ext, b.Bufs[i].Extents)
			continue
		}
		n := 1
		strides, extents := make([]int, d.Rank), make([]int, d.Rank)
		for j := d.Rank - 1; j >= 0; j-- {
			strides[j], extents[j] = n, b.Extents[d.Axes[j]]
			n *= extents[j]
		}
		r.arrs = append(r.arrs, newArray(d.Type, n))
		r.stri = append(r.stri, strides)
		r.ext = append(r.ext, extents)
	}
	return r
}

func (r *reference) ix(ix prim.Ix) int64 {
	n := r.k.Index.At(ix)
	switch n.Op {
	case prim.IxConst:
		return n.K
	case prim.IxParam:
		return int64(r.b.Params[n.K])
	case prim.IxAxis:
		return int64(r.pos[n.K])
	case prim.IxValue:
		return int64(r.env[n.K])
	}
	x, y := r.ix(n.A), r.ix(n.B)
	switch n.Op {
	case prim.IxAdd:
		return x + y
	case prim.IxMul:
		return x * y
	}
	q := int64(math.Floor(float64(x) / float64(y)))
	if n.Op == prim.IxDiv {
		return q
	}
	return x - q*y
}

// place returns the index of the element of an access. It returns false if the
// element is outside a guarded array.
func (r *reference) place(a *ir.Access) (int, bool) {
	off := r.base[a.Buf]
	for d, ix := range a.Coords {
		c, e := r.ix(ix), int64(r.ext[a.Buf][d])
		switch {
		case a.Bounds == ir.Clamped:
			c = max(0, min(c, e-1))
		case c < 0 || c >= e:
			if a.Bounds == ir.InBounds {
				panic("reference: out of bounds")
			}
			return 0, false
		}
		off += int(c) * r.stri[a.Buf][d]
	}
	return off, true
}

func fromMemory(t dtype.Type, bits uint64) uint64 {
	switch t {
	case dtype.Bool:
		if bits != 0 {
			return 1
		}
	case dtype.F16:
		return uint64(math.Float32bits(dtype.F16FromBits(uint16(bits)).Float32()))
	case dtype.BF16:
		return uint64(math.Float32bits(dtype.BF16FromBits(uint16(bits)).Float32()))
	}
	return bits
}

func toMemory(t dtype.Type, bits uint64) uint64 {
	switch t {
	case dtype.F16:
		return uint64(dtype.F16From(math.Float32frombits(uint32(bits))).Bits())
	case dtype.BF16:
		return uint64(dtype.BF16From(math.Float32frombits(uint32(bits))).Bits())
	}
	return bits
}

func (r *reference) region(n int32) {
	for i := range r.k.Regions[n].Code {
		in := &r.k.Regions[n].Code[i]
		arg := func(i int) uint64 { return r.env[in.Args[i]] }
		switch in.Op {
		case ir.Load:
			a := &r.k.Access[in.Aux]
			if p, ok := r.place(a); ok {
				r.env[in.Dst] = fromMemory(r.k.Bufs[a.Buf].Type, r.arrs[a.Buf].get(p))
			} else {
				r.env[in.Dst] = arg(0)
			}
		case ir.Store:
			a := &r.k.Access[in.Aux]
			p, _ := r.place(a)
			r.arrs[a.Buf].set(p, toMemory(r.k.Bufs[a.Buf].Type, arg(0)))
		case ir.Index:
			r.env[in.Dst] = uint64(r.ix(prim.Ix(in.Imm)))
		case ir.Scalar:
			r.env[in.Dst] = r.b.Scalars[in.Aux]
		case ir.Reduce:
			r.lists[in.Dst] = append(r.lists[in.Dst], arg(0))
		case ir.Carry: // loop has set the value
		case ir.Next:
			r.env[in.Dst] = arg(1)
		case ir.Fault:
			if k := ir.FaultKind(in.Aux); arg(0) != 0 && (r.fault == 0 || k < r.fault) {
				r.fault = k
			}
		case ir.For:
			r.loop(&r.k.Loops[in.Aux])
		case ir.Cold:
			v := arg(1)
			if arg(0) != 0 {
				r.region(in.Aux)
				v = r.env[in.Imm]
			}
			r.env[in.Dst] = v
		default:
			p := prim.Ins{Op: in.Op, Type: in.Type, Imm: in.Imm}
			var args [3]uint64
			for j := range in.NumArgs() {
				p.Args[j] = prim.V{ID: in.Args[j], Type: r.k.Types[in.Args[j]]}
				args[j] = arg(j)
			}
			r.env[in.Dst] = prim.Eval(p, args, r.tabs)
		}
	}
}

func (r *reference) loop(l *ir.Loop) {
	var reds, nexts []*ir.Ins
	for i := range r.k.Regions[l.Body].Code {
		if in := &r.k.Regions[l.Body].Code[i]; in.Op == ir.Reduce {
			reds = append(reds, in)
			r.lists[in.Dst] = r.lists[in.Dst][:0]
		} else if in.Op == ir.Carry {
			r.env[in.Dst] = r.env[in.Args[0]]
		} else if in.Op == ir.Next {
			r.env[in.Dst] = r.env[in.Args[0]]
			nexts = append(nexts, in)
		}
	}
	var walk func(axes []int32)
	walk = func(axes []int32) {
		if len(axes) == 0 {
			r.region(l.Body)
			for _, in := range nexts {
				r.env[in.Args[0]] = r.env[in.Dst]
			}
			return
		}
		for p := range r.b.Extents[axes[0]] {
			r.pos[axes[0]] = p
			walk(axes[1:])
		}
	}
	walk(l.Axes)
	for _, in := range reds {
		r.env[in.Dst] = refReduce(r.k.Reducer(in), r.lists[in.Dst], l.Kind == ir.Vec)
	}
}

// refPrograms caches the scalar programs of reductions without a primitive.
var refPrograms = map[*prim.Reduction]*prim.Program{}

// refReduce returns the result of a reduction of v in the order of docs/numerics.md.
// lanes says that a vec loop reduces; otherwise a seq loop does.
func refReduce(row *ir.Reducer, v []uint64, lanes bool) uint64 {
	t := row.Type
	isNaN := func(x uint64) bool {
		return t == dtype.F32 && math.IsNaN(float64(math.Float32frombits(uint32(x)))) || t == dtype.F64 && math.IsNaN(math.Float64frombits(x))
	}
	if row.Position() {
		return refPosition(row, v, isNaN)
	}
	if len(v) == 0 {
		return row.Nothing(t)
	}
	if row.Quiet(t) {
		numbers := slices.DeleteFunc(slices.Clone(v), isNaN)
		if len(numbers) == 0 {
			return v[0]
		}
		v = numbers
	}
	f := func(x, y uint64) uint64 {
		a := prim.V{Type: t}
		return prim.Eval(prim.Ins{Op: row.Op(), Type: t, Args: [3]prim.V{a, a}}, [3]uint64{x, y}, nil)
	}
	if !row.Native() {
		p := refPrograms[row.Reduction]
		if p == nil {
			var err error
			if p, err = row.Scalar(); err != nil {
				panic(err)
			}
			refPrograms[row.Reduction] = p
		}
		f = func(x, y uint64) uint64 { return p.Call(x, y) }
	}
	if row.Quiet(t) {
		acc := v[0]
		for _, x := range v[1:] {
			acc = f(acc, x)
		}
		return acc
	}
	return refTree(f, row.Identity(t), t, v, lanes)
}

// refPosition returns the position of the first extreme, or of the first NaN.
func refPosition(row *ir.Reducer, v []uint64, isNaN func(x uint64) bool) uint64 {
	less := func(x, y uint64) bool {
		a := prim.V{Type: row.Type}
		return prim.Eval(prim.Ins{Op: prim.Lt, Type: dtype.Bool, Args: [3]prim.V{a, a}}, [3]uint64{x, y}, nil) == 1
	}
	best := 0
	for i, x := range v {
		b := v[best]
		if isNaN(b) {
			break
		}
		if isNaN(x) || row.Op() == prim.Min && less(x, b) || row.Op() == prim.Max && less(b, x) {
			best = i
		}
	}
	return uint64(best)
}

func refTree(f func(x, y uint64) uint64, identity uint64, t dtype.Type, v []uint64, lanes bool) uint64 {
	size := 64
	if lanes {
		size = 4096
	}
	var level []uint64
	for len(v) > 0 {
		b := v[:min(size, len(v))]
		v = v[len(b):]
		if !lanes {
			acc := identity
			for _, x := range b {
				acc = f(acc, x)
			}
			level = append(level, acc)
			continue
		}
		l := 64
		if t.Size() == 8 {
			l = 32
		}
		acc := make([]uint64, l)
		for i := range acc {
			acc[i] = identity
		}
		for i, x := range b {
			acc[i%l] = f(acc[i%l], x)
		}
		for l > 1 {
			l /= 2
			for j := range l {
				acc[j] = f(acc[j], acc[j+l])
			}
		}
		level = append(level, acc[0])
	}
	for len(level) > 1 {
		var next []uint64
		for i := 0; i+1 < len(level); i += 2 {
			next = append(next, f(level[i], level[i+1]))
		}
		if len(level)%2 == 1 {
			next = append(next, level[len(level)-1])
		}
		level = next
	}
	return level[0]
}
