package pb

import (
	"encoding/binary"
	"math"
	"reflect"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"google.golang.org/protobuf/encoding/protowire"
)

// Marshal returns the binary form of the struct that x points to. What [Unmarshal]
// does not take for its size is an error.
func Marshal(x any) ([]byte, error) {
	v := structOf(x)
	if err := newBudget().check(v); err != nil {
		return nil, err
	}
	return appendMessage(nil, v), nil
}

func appendMessage(b []byte, v reflect.Value) []byte {
	for _, f := range messageOf(v.Type()).fields {
		b = f.append(b, v.Field(f.index))
	}
	return b
}

func (f *field) append(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return b
		}
		return f.appendOne(b, v.Elem())
	case reflect.Slice:
		if f.packed && v.Len() > 0 {
			b = protowire.AppendTag(b, f.num, protowire.BytesType)
			return protowire.AppendBytes(b, packed(v))
		}
		for i := range v.Len() {
			b = f.appendOne(b, pointed(v.Index(i)))
		}
		return b
	}
	if v.IsZero() {
		return b
	}
	return f.appendOne(b, v)
}

func (f *field) appendOne(b []byte, v reflect.Value) []byte {
	return appendValue(protowire.AppendTag(b, f.num, wireType(v.Kind())), v)
}

// wireType returns how a value of a Go kind is written.
func wireType(k reflect.Kind) protowire.Type {
	switch k {
	case reflect.Float32:
		return protowire.Fixed32Type
	case reflect.Float64:
		return protowire.Fixed64Type
	case reflect.String, reflect.Struct:
		return protowire.BytesType
	}
	return protowire.VarintType
}

func appendValue(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		return protowire.AppendVarint(b, protowire.EncodeBool(v.Bool()))
	case reflect.Float32:
		return protowire.AppendFixed32(b, math.Float32bits(float32(v.Float())))
	case reflect.Float64:
		return protowire.AppendFixed64(b, math.Float64bits(v.Float()))
	case reflect.String:
		return protowire.AppendString(b, v.String())
	case reflect.Struct:
		return protowire.AppendBytes(b, appendMessage(nil, v))
	}
	if v.CanUint() {
		return protowire.AppendVarint(b, v.Uint())
	}
	return protowire.AppendVarint(b, uint64(v.Int()))
}

// packed returns the elements of a slice without tags.
func packed(v reflect.Value) (b []byte) {
	switch s := v.Interface().(type) {
	case []float32:
		return dtype.Bytes(s)
	case []float64:
		return dtype.Bytes(s)
	default:
		for i := range v.Len() {
			b = appendValue(b, v.Index(i))
		}
	}
	return b
}

// Unmarshal reads the binary form into the struct that x points to, which should
// be zero. The error is [expr.ErrValue] and names the offset in data. The memory
// that Unmarshal allocates is in proportion to data, but for messages, of which
// there may be 1<<17, nested 100 deep.
func Unmarshal(data []byte, x any) error {
	r := reader{total: len(data), budget: newBudget()}
	return r.message(data, structOf(x), len(data))
}

// A reader reads one message and those in it.
type reader struct {
	total int // bytes of the whole input
	*budget
}

// fail returns an error at the byte that stands rest bytes before the end.
func (r *reader) fail(rest int, format string, args ...any) error {
	return tree.NewError(tree.ErrValue, "", "byte %d: "+format, append([]any{r.total - rest}, args...)...)
}

// message reads the fields in b. after is the number of bytes of the input from
// the start of b to its end.
func (r *reader) message(b []byte, v reflect.Value, after int) error {
	if err := r.enter(); err != nil {
		return r.fail(after, "%s", err)
	}
	defer r.leave()
	m := messageOf(v.Type())
	beyond := after - len(b)
	for len(b) > 0 {
		at := beyond + len(b)
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return r.fail(at, "%s", protowire.ParseError(n))
		}
		b = b[n:]
		f := m.byNum[num]
		if f == nil {
			if n = protowire.ConsumeFieldValue(num, typ, b); n < 0 {
				return r.fail(at, "field %d: %s", num, protowire.ParseError(n))
			}
			b = b[n:]
			continue
		}
		n, err := r.field(f, typ, b, v.Field(f.index), beyond+len(b))
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// field reads one occurrence of a field and returns its length.
func (r *reader) field(f *field, typ protowire.Type, b []byte, v reflect.Value, after int) (int, error) {
	kind := element(v.Type()).Kind()
	want := wireType(kind)
	if typ == protowire.BytesType && want != typ && v.Kind() == reflect.Slice {
		p, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return 0, r.fail(after, "field %s: %s", f.name, protowire.ParseError(n))
		}
		if !unpack(p, v) {
			return 0, r.fail(after, "field %s: the packed values are cut off", f.name)
		}
		return n, nil
	}
	if typ != want {
		return 0, r.fail(after, "field %s has wire type %d, not %d", f.name, typ, want)
	}
	if kind == reflect.Struct {
		p, n := protowire.ConsumeBytes(b)
		if n < 0 {
			return 0, r.fail(after, "field %s: %s", f.name, protowire.ParseError(n))
		}
		return n, r.message(p, slot(v), after-(n-len(p)))
	}
	n := consume(b, slot(v))
	if n < 0 {
		return 0, r.fail(after, "field %s: %s", f.name, protowire.ParseError(n))
	}
	return n, nil
}

// unpack appends packed values to the slice v. It reports false if the last one
// is cut off.
func unpack(p []byte, v reflect.Value) bool {
	switch s := v.Addr().Interface().(type) {
	case *[]float32:
		for ; len(p) >= 4; p = p[4:] {
			*s = append(*s, math.Float32frombits(binary.LittleEndian.Uint32(p)))
		}
	case *[]float64:
		for ; len(p) >= 8; p = p[8:] {
			*s = append(*s, math.Float64frombits(binary.LittleEndian.Uint64(p)))
		}
	default:
		for len(p) > 0 {
			n := consume(p, slot(v))
			if n < 0 {
				return false
			}
			p = p[n:]
		}
	}
	return len(p) == 0
}

// consume reads one scalar into v and returns its length, or a negative number.
func consume(b []byte, v reflect.Value) int {
	switch v.Kind() {
	case reflect.Float32:
		x, n := protowire.ConsumeFixed32(b)
		v.SetFloat(float64(math.Float32frombits(x)))
		return n
	case reflect.Float64:
		x, n := protowire.ConsumeFixed64(b)
		v.SetFloat(math.Float64frombits(x))
		return n
	case reflect.String:
		x, n := protowire.ConsumeBytes(b)
		v.SetString(string(x))
		return n
	}
	x, n := protowire.ConsumeVarint(b)
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(protowire.DecodeBool(x))
	case reflect.Int32: // protobuf keeps the low half
		v.SetInt(int64(int32(x)))
	case reflect.Uint32:
		v.SetUint(uint64(uint32(x)))
	default:
		v.SetInt(int64(x))
	}
	return n
}
