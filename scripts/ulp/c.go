package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
)

// A C compiler vectorises what the sweep interprets: -c prints a lowering as
// the C function f, and sweep.c goes through all arguments in a tenth of the
// time. The sum of the results shows that both compute the same bits.
//
//	scripts/ulp/csweep/run.sh exp log ...

// A cSink writes instructions as C statements.
type cSink struct {
	n      int32
	tables int
	heads  strings.Builder // constant tables
	body   strings.Builder
	indent string
}

var cTypes = map[dtype.Type]string{
	dtype.Bool: "int", dtype.I32: "int32_t", dtype.U32: "uint32_t",
	dtype.I64: "int64_t", dtype.U64: "uint64_t", dtype.F32: "float", dtype.F64: "double",
}

var infix = map[prim.Op]string{
	prim.Add: "+", prim.Sub: "-", prim.Mul: "*", prim.Div: "/",
	prim.And: "&", prim.Or: "|", prim.Xor: "^", prim.Eq: "==", prim.Ne: "!=", prim.Lt: "<", prim.Le: "<=",
}

func (s *cSink) value(t dtype.Type, format string, args ...any) prim.V {
	s.n++
	fmt.Fprintf(&s.body, "%s%s v%d = %s;\n", s.indent, cTypes[t], s.n, fmt.Sprintf(format, args...))
	return prim.V{ID: s.n, Type: t}
}

// Has implements [prim.Sink].
func (s *cSink) Has(v prim.V) bool { return v.ID > 0 && v.ID <= s.n && v.Type.Valid() }

// Emit implements [prim.Sink].
func (s *cSink) Emit(in prim.Ins) prim.V {
	x, y, z := in.Args[0].ID, in.Args[1].ID, in.Args[2].ID
	name, float := in.Op.String(), in.Type.IsFloat()
	if o, ok := infix[in.Op]; ok {
		if t := in.Args[0].Type; t.IsSigned() { // wraps
			u := strings.Replace(cTypes[t], "int", "uint", 1)
			if in.Op == prim.Add || in.Op == prim.Sub || in.Op == prim.Mul {
				return s.value(in.Type, "(%s)v%d %s (%s)v%d", u, x, o, u, y)
			}
		}
		return s.value(in.Type, "v%d %s v%d", x, o, y)
	}
	switch in.Op {
	case prim.Const:
		if float {
			return s.value(in.Type, "bits_%s(UINT64_C(%#x))", in.Type.Short(), in.Imm)
		}
		return s.value(in.Type, "(%s)UINT64_C(%#x)", cTypes[in.Type], in.Imm)
	case prim.Select:
		return s.value(in.Type, "v%d ? v%d : v%d", x, y, z)
	case prim.Neg:
		return s.value(in.Type, "-v%d", x)
	case prim.Not:
		if in.Type == dtype.Bool {
			return s.value(in.Type, "!v%d", x)
		}
		return s.value(in.Type, "~v%d", x)
	case prim.Cvt: // from floats only where they are in range
		return s.value(in.Type, "(%s)v%d", cTypes[in.Type], x)
	case prim.Bitcast:
		return s.value(in.Type, "%s_from_%s(v%d)", in.Type.Short(), in.Args[0].Type.Short(), x)
	case prim.Lookup:
		entry := fmt.Sprintf("table%d[v%d & (sizeof table%d / sizeof table%d[0] - 1)]", in.Imm, x, in.Imm, in.Imm)
		if float {
			entry = fmt.Sprintf("bits_%s(%s)", in.Type.Short(), entry)
		}
		return s.value(in.Type, "%s", entry)
	case prim.Fma:
		return s.value(in.Type, "fma_%s(v%d, v%d, v%d)", in.Type.Short(), x, y, z)
	}
	if in.Op.Info().Arity == 1 {
		return s.value(in.Type, "%s_%s(v%d)", name, in.Type.Short(), x)
	}
	return s.value(in.Type, "%s_%s(v%d, v%d)", name, in.Type.Short(), x, y)
}

// Cold implements [prim.Sink].
func (s *cSink) Cold(p, fast prim.V, body func() prim.V) prim.V {
	v := s.value(fast.Type, "v%d", fast.ID)
	fmt.Fprintf(&s.body, "%sif (__builtin_expect(v%d, 0)) {\n", s.indent, p.ID)
	s.indent += "\t"
	slow := body()
	fmt.Fprintf(&s.body, "%sv%d = v%d;\n", s.indent, v.ID, slow.ID)
	s.indent = s.indent[1:]
	fmt.Fprintf(&s.body, "%s}\n", s.indent)
	return v
}

// Table implements [prim.Sink].
func (s *cSink) Table(t dtype.Type, bits []uint64) int {
	fmt.Fprintf(&s.heads, "static const uint%d_t table%d[] = {", 8*t.Size(), s.tables)
	for _, b := range bits {
		fmt.Fprintf(&s.heads, "UINT64_C(%#x), ", b)
	}
	s.heads.WriteString("};\n")
	s.tables++
	return s.tables - 1
}

// printC writes the lowering of a function for elements of type t as C.
func printC(w io.Writer, name string, t dtype.Type) error {
	row, ok := untyped.Lookup(name)
	if !ok {
		return fmt.Errorf("no function %q", name)
	}
	s := &cSink{indent: "\t", n: int32(row.Arity())}
	b := prim.NewB(s)
	args, params := make([]prim.V, row.Arity()), make([]string, row.Arity())
	for i := range args {
		args[i] = prim.V{ID: int32(i) + 1, Type: t}
		params[i] = fmt.Sprintf("%s v%d", cTypes[t], i+1)
	}
	r := row.Lower()(b, args...)
	if b.Err() != nil {
		return b.Err()
	}
	_, err := fmt.Fprintf(w, "#include \"prims.h\"\n\n%s\n// %s\nstatic inline %s f(%s) {\n%s\treturn v%d;\n}\n",
		s.heads.String(), name, cTypes[t], strings.Join(params, ", "), s.body.String(), r.ID)
	return err
}
