package dtype

import (
	"math/bits"
	"reflect"
	"slices"
	"testing"
)

func TestNames(t *testing.T) {
	for _, typ := range All() {
		for _, name := range []string{typ.String(), typ.Short()} {
			if got, err := Parse(name); got != typ || err != nil {
				t.Errorf("Parse(%q) = %v, %v", name, got, err)
			}
		}
	}
	for _, name := range []string{"", "float", "Float32", "invalid", "?"} {
		if got, err := Parse(name); err == nil || got.Valid() {
			t.Errorf("Parse(%q) = %v", name, got)
		}
	}
}

// Every type belongs to one class, and types beyond the list to none.
func TestClasses(t *testing.T) {
	for typ := range Type(255) {
		n := 0
		for _, is := range []bool{typ == Bool, typ.IsSigned(), typ.IsUnsigned(), typ.IsFloat(), typ.IsComplex()} {
			if is {
				n++
			}
		}
		valid := typ > Invalid && int(typ) <= len(All())
		if typ.Valid() != valid || valid != (n == 1) || valid != (typ.Size() > 0) || !valid && n > 0 {
			t.Errorf("%s (%d): valid %v, in %d classes, %d bytes", typ, typ, typ.Valid(), n, typ.Size())
		}
		if typ.IsInt() != (typ.IsSigned() || typ.IsUnsigned()) {
			t.Errorf("%s: IsInt is %v", typ, typ.IsInt())
		}
		if r := typ.Register(); r.IsHalf() || !typ.IsHalf() && r != typ {
			t.Errorf("%s is held as %s", typ, r)
		}
	}
}

func of[T Elem](t *testing.T, want Type) {
	t.Helper()
	if got := Of[T](); got != want {
		t.Errorf("Of[%T]: %s, want %s", *new(T), got, want)
	}
	s := make([]T, 3)
	b := Bytes(s)
	if len(b) != 3*want.Size() {
		t.Fatalf("%s: %d bytes", want, len(b))
	}
	back := Slice[T](b[:len(b)-want.Size()+want.Size()/2]) // half an element too many
	if len(back) != 2 || &back[0] != &s[0] {
		t.Errorf("%s: %d elements, shared %v", want, len(back), &back[0] == &s[0])
	}
	if Bytes([]T{}) != nil || Slice[T](nil) != nil {
		t.Errorf("%s: nothing is not nil", want)
	}
}

func TestOf(t *testing.T) {
	of[bool](t, Bool)
	of[int8](t, I8)
	of[int32](t, I32)
	of[int64](t, I64)
	of[uint8](t, U8)
	of[uint32](t, U32)
	of[uint64](t, U64)
	of[Float16](t, F16)
	of[BFloat16](t, BF16)
	of[float32](t, F32)
	of[float64](t, F64)
	of[complex64](t, C64)
	of[complex128](t, C128)
}

// The parts of complex types are real types of half their size.
func TestParts(t *testing.T) {
	for _, typ := range All() {
		part := typ.Part()
		switch {
		case typ.IsComplex() && (part.Complex() != typ || 2*part.Size() != typ.Size() || !part.IsFloat()):
			t.Errorf("%s has parts of type %s", typ, part)
		case !typ.IsComplex() && part != typ:
			t.Errorf("%s is real and has parts of type %s", typ, part)
		}
	}
	for i, typ := range Real() {
		if typ.IsComplex() || typ != All()[i] {
			t.Errorf("%s is listed as a real type", typ)
		}
	}
	if len(Real())+2 != len(All()) {
		t.Errorf("%d real types of %d", len(Real()), len(All()))
	}
}

// A row agrees with itself: the Go type has the size, and the name where Go has one.
func TestRows(t *testing.T) {
	codes := map[string]bool{}
	for _, typ := range All() {
		g := typ.GoType()
		if int(g.Size()) != typ.Size() || OfGo(g) != typ || g.Kind() != reflect.Struct && g.Name() != typ.String() {
			t.Errorf("%s has %d bytes, its Go type %s has %d and belongs to %s", typ, typ.Size(), g, g.Size(), OfGo(g))
		}
		if codes[typ.Code()] {
			t.Errorf("two types have the code %s", typ.Code())
		}
		codes[typ.Code()] = true
	}
	type named uint8
	for g, want := range map[reflect.Type]Type{
		reflect.TypeFor[named](): U8, reflect.TypeFor[string](): Invalid, reflect.TypeFor[struct{}](): Invalid,
		reflect.TypeFor[int](): Integer(bits.UintSize/8, true), reflect.TypeFor[uintptr](): Invalid,
	} {
		if got := OfGo(g); got != want {
			t.Errorf("%s has the type %s, want %s", g, got, want)
		}
	}
}

func TestIntegers(t *testing.T) {
	for _, typ := range Integers() {
		size := 8 * typ.Size()
		if Integer(typ.Size(), typ.IsSigned()) != typ || typ.Unsigned().Size() != typ.Size() || !typ.Unsigned().IsUnsigned() {
			t.Errorf("%s: Integer gives %s, Unsigned %s", typ, Integer(typ.Size(), typ.IsSigned()), typ.Unsigned())
		}
		if bits.Len64(typ.Mask()) != size || typ.Mask()&(typ.Mask()+1) != 0 {
			t.Errorf("%s: mask %#x", typ, typ.Mask())
		}
		top := uint64(1) << (size - 1)
		want := top
		if typ.IsSigned() {
			want = -top
		}
		if got := typ.Extend(top); got != want {
			t.Errorf("%s: %#x extended is %#x, want %#x", typ, top, got, want)
		}
		if !slices.Contains(Registers(), typ) {
			t.Errorf("%s has no register", typ)
		}
	}
	if Integer(3, true) != Invalid || F32.Unsigned() != F32 {
		t.Errorf("Integer of 3 bytes is %s, Unsigned of float32 is %s", Integer(3, true), F32.Unsigned())
	}
}
