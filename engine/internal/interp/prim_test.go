package interp_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// A cellOp is a primitive with its operand and result types.
type cellOp struct {
	op   prim.Op
	args []dtype.Type
	out  dtype.Type
}

func (c cellOp) String() string { return fmt.Sprint(c.op, c.args, c.out) }

func registers() (out []dtype.Type) {
	for _, t := range dtype.Real() {
		if prim.Any.Has(t) {
			out = append(out, t)
		}
	}
	return out
}

// cells returns every combination of primitive and types that the table allows.
func cells() (out []cellOp) {
	for op := prim.Const + 1; op < prim.NumOps; op++ {
		info := op.Info()
		for _, t := range registers() {
			if !info.Types.Has(t) || (op == prim.RoundF16 || op == prim.RoundBF16) && t != dtype.F32 {
				continue
			}
			args := make([]dtype.Type, info.Arity)
			for i := range args {
				args[i] = t
			}
			switch op {
			case prim.Select:
				args[0] = dtype.Bool
			case prim.Scale:
				args[1] = prim.IntOf(t)
			}
			switch {
			case op == prim.Cvt:
				for _, to := range registers() {
					if to != t {
						out = append(out, cellOp{op, args, to})
					}
				}
			case op == prim.Bitcast:
				for _, to := range registers() {
					if to != t && to.Size() == t.Size() && prim.Num.Has(to) {
						out = append(out, cellOp{op, args, to})
					}
				}
			case op == prim.Lookup:
				for _, to := range registers() {
					if prim.Num.Has(to) {
						out = append(out, cellOp{op, args, to})
					}
				}
			case info.Result == prim.IsPred:
				out = append(out, cellOp{op, args, dtype.Bool})
			default:
				out = append(out, cellOp{op, args, t})
			}
		}
	}
	return out
}

// specials returns bits of values at the limits of type t.
func specials(t dtype.Type) []uint64 {
	var out []uint64
	switch {
	case t == dtype.Bool:
		return []uint64{0, 1}
	case t == dtype.F32:
		for _, b := range []uint32{
			0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x3f800000, 0x3f800001, 0x3f7fffff, 0x3f000000, 0x40200000, 0x3fc00000,
			0x4b000000, 0x4b000001, 0x4effffff, 0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff,
			0x5f800000, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001, 0x42fe0000, 0x437f0000, 0x43800000, 0x0d000000, 0x0e000000, 0x33800000, 0x33800001,
		} {
			out = append(out, uint64(b), uint64(b|1<<31))
		}
	case t == dtype.F64:
		for _, x := range []float64{
			0, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp-1023, 1, 1.5, 2.5, .5, 0x1p31, 0x1p31 - 1, 0x1p31 - .5, 0x1p32, 0x1p32 - .5, 0x1p52, 0x1p53, 0x1p62,
			0x1p63, 0x1p63 - 1024, 0x1p64, 0x1p64 - 2048, 127.5, 128, 255.5, 256, math.MaxFloat64, math.MaxFloat32, 0x1.ffffffp127, 0x1p-149, 0x1p-150, 0x1.000001p-126,
			math.Inf(1), math.NaN(), 1 + 0x1p-52, 0x1p-53,
		} {
			out = append(out, math.Float64bits(x), math.Float64bits(-x))
		}
	default:
		mask := uint64(1)<<(8*t.Size()-1)<<1 - 1
		for _, x := range []int64{0, 1, 2, 3, 5, 7, 8, 15, 31, 32, 33, 63, 64, 65, 127, 128, 255, math.MaxInt32, math.MaxInt32 + 1, 1 << 53, 1<<53 + 1, math.MaxInt64} {
			out = append(out, uint64(x)&mask, uint64(-x)&mask, uint64(-x-1)&mask)
		}
	}
	return out
}

var specialBits = func() (out [dtype.F64 + 1][]uint64) {
	for _, t := range registers() {
		out[t] = specials(t)
	}
	return out
}()

func randomBits(r *rand.Rand, t dtype.Type) uint64 {
	sp := specialBits[t]
	if r.IntN(3) == 0 {
		return sp[r.IntN(len(sp))]
	}
	switch t {
	case dtype.Bool:
		return r.Uint64() & 1
	case dtype.F32:
		if r.IntN(2) == 0 {
			return uint64(math.Float32bits(float32(r.NormFloat64() * 8)))
		}
	case dtype.F64:
		if r.IntN(2) == 0 {
			return math.Float64bits(r.NormFloat64() * 8)
		}
	}
	x := r.Uint64()
	if t.IsInt() && r.IntN(2) == 0 {
		x = uint64(int64(x) >> 56)
	}
	return x & (1<<(8*t.Size()-1)<<1 - 1)
}

func sameBits(t dtype.Type, x, y uint64) bool {
	switch t {
	case dtype.F32:
		a, b := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
		return x == y || a != a && b != b
	case dtype.F64:
		a, b := math.Float64frombits(x), math.Float64frombits(y)
		return x == y || a != a && b != b
	}
	return x == y
}

// An array is a test operand in memory, with elements of type t.
type array struct {
	t   dtype.Type
	mem []uint64
}

func newArray(t dtype.Type, n int) *array {
	return &array{t, make([]uint64, (n*t.Size()+7)/8+1)}
}

func (a *array) ptr() unsafe.Pointer { return unsafe.Pointer(&a.mem[0]) }

func (a *array) set(i int, bits uint64) {
	p := unsafe.Add(a.ptr(), i*a.t.Size())
	switch a.t.Size() {
	case 1:
		*(*uint8)(p) = uint8(bits)
	case 2:
		*(*uint16)(p) = uint16(bits)
	case 4:
		*(*uint32)(p) = uint32(bits)
	default:
		*(*uint64)(p) = bits
	}
}

func (a *array) get(i int) uint64 {
	p := unsafe.Add(a.ptr(), i*a.t.Size())
	switch a.t.Size() {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

func vector(a *array, n int) ir.BufBind {
	return ir.BufBind{Ptr: a.ptr(), Strides: []int{1}, Extents: []int{n}}
}

var lookupTable = [8]uint64{1, 2, 3, 5, 7, 11, 13, 17}

// opKernel returns a kernel of one primitive. Operand i is a scalar if bit i of mask
// is set, and a load otherwise.
func opKernel(c cellOp, mask int) *ir.Kernel {
	k := &ir.Kernel{Name: "op", Axes: []string{"i0"}}
	axis := k.Index.Axis(0)
	body := ir.Region{}
	entry := ir.Region{}
	in := ir.Ins{Op: c.op, Type: c.out, Args: [3]ir.Value{ir.None, ir.None, ir.None}}
	value := func(t dtype.Type) ir.Value {
		k.Types = append(k.Types, t)
		return ir.Value(len(k.Types) - 1)
	}
	none := [3]ir.Value{ir.None, ir.None, ir.None}
	for i, t := range c.args {
		v := value(t)
		in.Args[i] = v
		k.Bufs = append(k.Bufs, ir.Buf{Name: fmt.Sprintf("x%d", i), Type: t, Mode: ir.In, Rank: 1})
		k.Access = append(k.Access, ir.Access{Buf: int32(i), Coords: []prim.Ix{axis}})
		k.Scalars = append(k.Scalars, t)
		if mask>>i&1 != 0 {
			entry.Code = append(entry.Code, ir.Ins{Op: ir.Scalar, Type: t, Dst: v, Args: none, Aux: int32(i)})
		} else {
			body.Code = append(body.Code, ir.Ins{Op: ir.Load, Type: t, Dst: v, Args: none, Aux: int32(i)})
		}
	}
	if c.op == prim.Lookup {
		tab := ir.Table{Type: c.out}
		for _, b := range lookupTable {
			tab.Bits = append(tab.Bits, b)
		}
		k.Tables = append(k.Tables, tab)
	}
	in.Dst = value(c.out)
	body.Code = append(body.Code, in)
	out := int32(len(k.Bufs))
	k.Bufs = append(k.Bufs, ir.Buf{Name: "y", Type: c.out, Mode: ir.Out, Rank: 1})
	k.Access = append(k.Access, ir.Access{Buf: out, Coords: []prim.Ix{axis}})
	body.Code = append(body.Code, ir.Ins{Op: ir.Store, Type: c.out, Dst: ir.None, Args: [3]ir.Value{in.Dst, ir.None, ir.None}, Aux: out})
	k.Loops = []ir.Loop{{Kind: ir.Vec, Axes: []int32{0}, Body: 1}}
	entry.Code = append(entry.Code, ir.Ins{Op: ir.For, Dst: ir.None, Args: none})
	k.Regions = []ir.Region{entry, body}
	return k
}

// TestEveryCell compares every primitive, with every type in every form, with
// prim.Eval. A primitive without a kernel does not compile.
func TestEveryCell(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	lengths := []int{0, 1, 3, 511, 512, 513, 4099}
	for n := 1; n <= 70 && testlevel.Deep(); n++ {
		lengths = append(lengths, n)
	}
	for _, c := range cells() {
		for mask := range 1 << len(c.args) {
			k := opKernel(c, mask)
			if err := ir.Check(k); err != nil {
				t.Fatalf("%v: %v", c, err)
			}
			code, err := interp.New().Compile(k)
			if err != nil {
				t.Errorf("%v: %v", c, err)
				continue
			}
			for _, n := range lengths {
				if mask != 0 && n > 8 && n != 513 {
					continue
				}
				b := &ir.Binding{Extents: []int{n}}
				var arrs []*array
				for _, ty := range c.args {
					a := newArray(ty, n)
					for i := range n {
						a.set(i, randomBits(r, ty))
					}
					arrs = append(arrs, a)
					b.Bufs = append(b.Bufs, vector(a, n))
					b.Scalars = append(b.Scalars, randomBits(r, ty))
				}
				y := newArray(c.out, n+1)
				y.set(n, 0x55)
				b.Bufs = append(b.Bufs, vector(y, n))
				inst, err := code.Bind(b)
				if err != nil {
					t.Fatal(err)
				}
				runAll(inst)
				if y.get(n) != 0x55 {
					t.Fatalf("%v n=%d: wrote past the end", c, n)
				}
				bad := 0
				for i := range n {
					ins := prim.Ins{Op: c.op, Type: c.out}
					var args [3]uint64
					for j, a := range arrs {
						ins.Args[j] = prim.V{ID: int32(j), Type: c.args[j]}
						args[j] = a.get(i)
						if mask>>j&1 != 0 {
							args[j] = b.Scalars[j]
						}
					}
					want := prim.Eval(ins, args, [][]uint64{lookupTable[:]})
					if got := y.get(i); !sameBits(c.out, got, want) {
						if bad++; bad < 4 {
							t.Errorf("%v mask %d n=%d i=%d: %#x -> %#x, want %#x", c, mask, n, i, args, got, want)
						}
					}
				}
				if bad > 0 {
					break
				}
			}
		}
	}
}

var (
	negZero = math.Copysign(0, -1)
	nan     = math.NaN()
	inf     = math.Inf(1)
)

func fromF(t dtype.Type, v float64) uint64 { return prim.FromFloat(t, v) }
