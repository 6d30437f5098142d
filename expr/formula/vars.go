package formula

import (
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
)

// bind reads the variables of a run.
func (f *Formula) bind(b *binding, vars any) error {
	if m, ok := vars.(map[string]any); ok {
		for i, name := range f.src.all {
			if x, ok := m[name]; ok {
				if err := f.value(&b.vars[i], name, x); err != nil {
					return err
				}
			}
		}
		b.group()
		return nil
	}
	if vars == nil {
		return nil
	}
	s, ok := structOf(vars)
	if !ok {
		return tree.NewError(tree.ErrType, "", "formula: variables come in a map[string]any or a struct, not in %T", vars)
	}
	for i, at := range f.fieldsOf(s.Type()) {
		if at < 0 {
			continue
		}
		if err := f.field(&b.vars[i], f.src.all[i], s.Field(at)); err != nil {
			return err
		}
	}
	b.group()
	return nil
}

func structOf(vars any) (reflect.Value, bool) {
	v := reflect.ValueOf(vars)
	for v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	return v, v.Kind() == reflect.Struct
}

type leaf interface{ Node() *tree.Node }

// value binds a name to a value of a map.
func (f *Formula) value(v *bound, name string, x any) error {
	switch x := x.(type) {
	case leaf:
		if p := reflect.ValueOf(x); p.Kind() == reflect.Pointer && p.IsNil() {
			return tree.NewError(tree.ErrType, "", "formula: %s is a nil %T", name, x)
		}
		return v.node(name, x.Node())
	case nil:
		return tree.NewError(tree.ErrType, "", "formula: %s is nil", name)
	}
	return f.field(v, name, reflect.ValueOf(x))
}

// field binds a name to a field of a struct, without boxing slices.
func (f *Formula) field(v *bound, name string, x reflect.Value) error {
	if half, ok := halfValue(x); ok {
		f.floatScalar(v, half)
		return nil
	}
	switch x.Kind() {
	case reflect.Interface:
		if x.IsNil() {
			return tree.NewError(tree.ErrType, "", "formula: %s is nil", name)
		}
		return f.value(v, name, x.Interface())
	case reflect.Pointer:
		if x.IsNil() {
			return tree.NewError(tree.ErrType, "", "formula: %s is a nil %s", name, x.Type())
		}
		if l, ok := x.Interface().(leaf); ok {
			return v.node(name, l.Node())
		}
	case reflect.Float32, reflect.Float64:
		f.floatScalar(v, x.Float())
		return nil
	case reflect.Complex64, reflect.Complex128:
		f.complexScalar(v, x.Complex())
		return nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.scalar(dtype.I64, tree.Bits(x.Int()))
		return nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if x.Uint() > math.MaxInt64 {
			return tree.NewError(tree.ErrValue, "", "formula: %s is %d, above the largest integer scalar", name, x.Uint())
		}
		v.scalar(dtype.I64, x.Uint())
		return nil
	case reflect.Bool:
		v.scalar(dtype.Bool, tree.Bits(x.Bool()))
		return nil
	case reflect.Slice:
		if t := dtype.OfGo(x.Type().Elem()); t != dtype.Invalid {
			v.slice(t, x.UnsafePointer(), x.Len())
			return nil
		}
	}
	return tree.NewError(tree.ErrType, "", "formula: %s is a %s; bind tensors, arrays, parameters, slices of element types and scalars", name, x.Type())
}

// halfValue is the value of a scalar of half type.
func halfValue(x reflect.Value) (float64, bool) {
	if x.Kind() != reflect.Struct || !x.CanInterface() {
		return 0, false
	}
	switch h := x.Interface().(type) {
	case dtype.Float16:
		return float64(h.Float32()), true
	case dtype.BFloat16:
		return float64(h.Float32()), true
	}
	return 0, false
}

// fieldsOf returns the index of the struct's field for each name of the formula,
// or -1. A tag goes before a name, and a name before a name in another case.
func (f *Formula) fieldsOf(t reflect.Type) []int {
	if v, ok := f.structs.Load(t); ok {
		return v.([]int)
	}
	out := lists.Map(f.src.all, func(name string) int { return fieldNamed(t, name) })
	f.structs.Store(t, out)
	return out
}

func fieldNamed(t reflect.Type, name string) int {
	best, rank := -1, 3
	for i := range t.NumField() {
		x := t.Field(i)
		tag, tagged := x.Tag.Lookup("oneloop")
		r := 3
		switch {
		case !x.IsExported():
		case tagged && tag == name:
			r = 0
		case tagged:
		case x.Name == name:
			r = 1
		case strings.EqualFold(x.Name, name):
			r = 2
		}
		if r < rank {
			best, rank = i, r
		}
	}
	return best
}

// namesOf lists the names that vars binds, for messages.
func namesOf(vars any) []string {
	var out []string
	if m, ok := vars.(map[string]any); ok {
		for name := range m {
			out = append(out, name)
		}
	} else if vars != nil {
		if s, ok := structOf(vars); ok {
			for i := range s.NumField() {
				x := s.Type().Field(i)
				tag, tagged := x.Tag.Lookup("oneloop")
				switch {
				case !x.IsExported():
				case tagged:
					out = append(out, tag)
				default:
					out = append(out, x.Name)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
