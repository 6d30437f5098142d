package cudagen

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan/ir"
)

func itoa(x int) string { return strconv.Itoa(x) }

// A scope says how to write the instructions of a region.
type scope struct {
	once   string        // condition that holds in one thread, followed by " && "; guards effects; "" for none
	add    func(*ir.Ins) // writes the accumulation of a reduction
	pack   bool          // accesses whose site has pack read and write vectors
	tile   bool          // loads whose site has tile read the tile in shared memory
	copied bool          // loads that make copies have made them: read these
	loaded []*ir.Ins     // loads that were done for several positions, of which k is the number
}

// instructions returns the instructions of a region, or those of an operation if that is given, but not those of the
// regions inside it.
func instructions(k *ir.Kernel, region int32, of ...prim.Op) (out []*ir.Ins) {
	code := k.Regions[region].Code
	for i := range code {
		if len(of) == 0 || code[i].Op == of[0] {
			out = append(out, &code[i])
		}
	}
	return out
}

// region writes the instructions of a region.
func (g *generator) region(r int32, at scope) { g.list(g.k.Regions[r].Code, at) }

func (g *generator) list(code []ir.Ins, at scope) {
	for i := range code {
		g.ins(&code[i], at)
	}
}

// ins writes one instruction.
func (g *generator) ins(in *ir.Ins, at scope) {
	switch in.Op {
	case ir.Load:
		g.load(in, at)
	case ir.Store:
		g.store(in, at)
	case ir.Index:
		g.def1(in, "(i64)"+g.index(prim.Ix(in.Imm), !g.l.nodes[in.Imm].narrow))
	case ir.Scalar:
		t := in.Type.Short()
		name := g.word("s"+itoa(int(in.Aux)), "u64", scalarField, int(in.Aux))
		g.def1(in, scalar(t, name))
	case ir.Reduce:
		at.add(in)
	case ir.Carry: // inner declares it
	case ir.Next:
		g.line("const %s n%d = v%d;", in.Type.Short(), in.Dst, in.Args[1])
	case ir.Fault:
		g.line("if (%sv%d) %s[%d] = 1;", at.once, in.Args[0], g.word("faults", "u32 *", faultsField, 0), in.Aux-1)
	case ir.For:
		g.inner(in.Aux, at)
	case ir.Cold:
		g.line("%s v%d = v%d;", in.Type.Short(), in.Dst, in.Args[1])
		g.open("if (v%d)", in.Args[0])
		g.region(in.Aux, at)
		g.line("v%d = v%d;", in.Dst, in.Imm)
		g.close()
	case prim.Const:
		g.def1(in, g.constant(in.Type, in.Imm))
	case prim.Cvt, prim.Bitcast:
		g.def1(in, fmt.Sprintf("prim::%s<%s>(v%d)", in.Op, in.Type.Short(), in.Args[0]))
	case prim.Lookup:
		t := g.k.Tables[in.Aux]
		entry := fmt.Sprintf("t%d[v%d & %d]", in.Aux, in.Args[0], len(t.Bits)-1)
		if bitsTable(t) != t.Type {
			entry = fmt.Sprintf("prim::bitcast<%s>(%s)", in.Type.Short(), entry)
		}
		g.def1(in, entry)
	default:
		args := lists.Map(in.Args[:in.NumArgs()], func(v ir.Value) string { return "v" + itoa(int(v)) })
		g.def1(in, fmt.Sprintf("prim::%s(%s)", function(in.Op), strings.Join(args, ", ")))
	}
}

func (g *generator) def1(in *ir.Ins, expr string) {
	g.line("const %s v%d = %s;", in.Type.Short(), in.Dst, expr)
}

// function returns the name of a primitive in the prelude. Four primitives get a
// trailing underscore, because their names are keywords of C++.
func function(op prim.Op) string {
	switch op {
	case prim.And, prim.Or, prim.Xor, prim.Not:
		return op.String() + "_"
	}
	return op.String()
}

// scalar returns the expression that converts the 64 bits of an argument to a
// value of type t.
func scalar(t, word string) string {
	switch t {
	case "f32":
		return "prim::bitcast<f32>((u32)" + word + ")"
	case "f64":
		return "prim::bitcast<f64>(" + word + ")"
	case "bool":
		return "(u8)" + word + " != 0"
	}
	return "(" + t + ")" + word
}

// literal returns the C++ literal of a constant of type t. A NaN, an infinity and a
// subnormal number are bits in a call of prim::bitcast.
func literal(t dtype.Type, bits uint64) string {
	switch t {
	case dtype.Bool:
		return strconv.FormatBool(bits != 0)
	case dtype.F32:
		if x := math.Float32frombits(uint32(bits)); plainFloat(float64(x), 0x1p-126) {
			return decimal(float64(x), 32) + "f"
		}
		return fmt.Sprintf("prim::bitcast<f32>(%#xu)", bits)
	case dtype.F64:
		if x := math.Float64frombits(bits); plainFloat(x, 0x1p-1022) {
			return decimal(x, 64)
		}
		return fmt.Sprintf("prim::bitcast<f64>(%#xull)", bits)
	}
	x := int64(t.Extend(bits))
	switch wide := t.Size() == 8; {
	case t.IsSigned() && t.Size() >= 4 && bits == t.Mask()^t.Mask()>>1: // its magnitude is no literal of the type
		return fmt.Sprintf("(%s)%#x%s", t.Short(), bits, suffix(true, wide))
	case t.IsSigned():
		return strconv.FormatInt(x, 10) + suffix(false, wide)
	default:
		return strconv.FormatUint(bits, 10) + suffix(true, wide)
	}
}

// suffix returns what follows the digits of an integer literal.
func suffix(unsigned, wide bool) string {
	s := ""
	if unsigned {
		s = "u"
	}
	if wide {
		s += "ll"
	}
	return s
}

// constant returns the C++ expression of a constant. An instruction takes one operand from
// constant memory; as a literal, a float64 whose lower half is not 0 takes two instructions
// before each use.
func (g *generator) constant(t dtype.Type, bits uint64) string {
	text := literal(t, bits)
	if t != dtype.F64 || uint32(bits) == 0 || strings.Contains(text, "(") {
		return text
	}
	i := slices.Index(g.constants, text)
	if i < 0 {
		i = len(g.constants)
		g.constants = append(g.constants, text)
	}
	return fmt.Sprintf("constants[%d]", i)
}

// plainFloat reports whether x may be written in decimal: x is 0, or finite and at
// least normal in magnitude.
func plainFloat(x, normal float64) bool {
	return x == 0 || math.Abs(x) >= normal && math.Abs(x) <= math.MaxFloat64
}

func decimal(x float64, size int) string {
	s := strconv.FormatFloat(x, 'g', -1, size)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// index returns an index expression as C++, of type i64 if wide, and of type ix
// otherwise.
func (g *generator) index(ix prim.Ix, wide bool) string {
	n := g.k.Index.At(ix)
	t := "ix"
	if wide {
		t = "i64"
	}
	switch n.Op {
	case prim.IxConst:
		return fmt.Sprintf("(%s)%s", t, literal(dtype.I64, uint64(n.K)))
	case prim.IxParam:
		return fmt.Sprintf("(%s)%s", t, g.word("p"+itoa(int(n.K)), "i64", paramField, int(n.K)))
	case prim.IxAxis:
		return fmt.Sprintf("(%s)at_%s", t, g.k.Axes[n.K])
	case prim.IxValue:
		return fmt.Sprintf("v%d", n.K)
	}
	x := g.index(n.A, wide)
	switch n.Op {
	case prim.IxAdd:
		return fmt.Sprintf("(%s + %s)", x, g.index(n.B, wide))
	case prim.IxMul:
		return fmt.Sprintf("%s * %s", x, g.index(n.B, wide))
	}
	op := "quo"
	if n.Op == prim.IxMod {
		op = "mod"
	}
	if d := g.k.Index.At(n.B); d.Op == prim.IxParam && !wide && !g.l.wide && g.l.nodes[n.A].positive {
		return fmt.Sprintf("prim::%s(%s, %s)", op, x, g.divisor("q"+itoa(int(d.K)), paramDivField, int(d.K)))
	}
	return fmt.Sprintf("prim::%s(%s, %s)", op, x, g.index(n.B, wide))
}
