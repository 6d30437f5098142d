// The program of TestZeroValues calls what the table names.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/autograd"
	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
)

// A row is a function, or a type whose methods are called.
type row struct {
	name     string
	f        any
	panics   bool // the documentation of f says that it panics
	t        reflect.Type
	mayPanic []string // the methods that panic by their documentation
	promoted []string // the methods of embedded fields, which Go does not find in a nil pointer
}

// A mode says how the value of an argument is made.
type mode int

const (
	zero  mode = iota
	small      // a valid value
	wild       // a value out of every range
	huge
	modes
)

// number counts the calls; those before first were made by a process that ended. mixed counts
// the calls with arguments of two modes, of which one in every is made.
var number, first, mixed, every int

var seen = map[string]bool{}

func main() {
	first, _ = strconv.Atoi(os.Args[1])
	every, _ = strconv.Atoi(os.Args[2])
	debug.SetMaxStack(64 << 20)
	pool := values()
	for _, r := range table {
		if o := os.Getenv("ZERO_ONLY"); o != "" && !strings.HasPrefix(r.name, o) {
			continue
		}
		if r.f != nil {
			f := reflect.ValueOf(r.f)
			results := calls(pool, r.name, f, nil, r.panics)
			for i, v := range results {
				methods(pool, fmt.Sprintf("result %d of %s: %s", i, r.name, strings.TrimPrefix(v.Type().String(), "*")), v, nil, []string{"*"})
			}
			continue
		}
		if r.t.Kind() == reflect.Interface {
			continue
		}
		receivers := []reflect.Value{reflect.New(r.t), reflect.Zero(reflect.PointerTo(r.t))}
		names := []string{"zero ", "nil "}
		for m := small; m < modes; m++ {
			v := reflect.New(r.t)
			v.Elem().Set(pool.value(r.t, m, 0))
			receivers, names = append(receivers, v), append(names, "filled ")
		}
		for i, v := range receivers {
			var not []string
			if v.IsNil() {
				not = r.promoted
			}
			methods(pool, names[i]+r.name, v, not, r.mayPanic)
			call(names[i]+r.name+" in a log", reflect.ValueOf(logged), []reflect.Value{v}, false)
		}
	}
	fmt.Println("done", number, "calls")
}

// logged writes a value with fmt and with log/slog, which write a panic of a method as text.
func logged(v any) error {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("", "v", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("", "v", v)
	fmt.Fprintf(&b, "%v %+v", v, v)
	if text := b.String(); strings.Contains(text, "PANIC") || strings.Contains(text, "panicked") {
		return fmt.Errorf("internal error: a log says %.300s", text)
	}
	return nil
}

// methods calls the methods of a value.
func methods(p pool, name string, v reflect.Value, not, mayPanic []string) {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() || !ours(v.Type()) {
		return
	}
	of := typeName(v.Type())
	pkg, _, _ := strings.Cut(of, ".")
	if notCalled[pkg] != "" || notCalled[of] != "" {
		return
	}
	for i := range v.NumMethod() {
		m := v.Type().Method(i)
		// A method of a value cannot be called on a nil pointer: Go itself panics.
		if v.Kind() == reflect.Pointer {
			if _, ok := v.Type().Elem().MethodByName(m.Name); ok && v.IsNil() {
				continue
			}
		}
		if !slices.Contains(not, m.Name) && notCalled[of+"."+m.Name] == "" {
			calls(p, name+"."+m.Name, v.Method(i), &v, slices.Contains(mayPanic, m.Name) || slices.Contains(mayPanic, "*"))
		}
	}
}

// typeName returns the name of a type as in the table.
func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	return strings.TrimPrefix(t.PkgPath(), "github.com/oneloop/oneloop/") + "." + name
}

// ours tells whether a type is one of this library.
func ours(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasPrefix(t.PkgPath(), "github.com/oneloop/oneloop")
}

// calls calls a function with all arguments of a mode, and with one argument of
// another mode than the others. It returns results of the library.
func calls(p pool, name string, f reflect.Value, receiver *reflect.Value, mayPanic bool) (results []reflect.Value) {
	n := f.Type().NumIn()
	for base := zero; base < modes; base++ {
		for other := zero; other < modes; other++ {
			for i := range max(n, 1) {
				if other == base && i > 0 || n == 0 && other != base {
					continue
				}
				if other != base {
					if mixed++; mixed%every != 0 {
						continue
					}
				}
				args := make([]reflect.Value, n)
				text := make([]string, n)
				for j := range args {
					m := base
					if j == i {
						m = other
					}
					args[j] = p.value(f.Type().In(j), m, 0)
					text[j] = [...]string{"zero", "small", "wild", "huge"}[m]
				}
				out := call(name+"("+strings.Join(text, ", ")+")", f, args, mayPanic)
				if base == other && base <= small {
					results = append(results, out...)
				}
			}
		}
	}
	return results
}

// call makes one call and reports it, if it is bad.
func call(name string, f reflect.Value, args []reflect.Value, mayPanic bool) []reflect.Value {
	number++
	if number-1 < first {
		return nil
	}
	fmt.Println("call", number-1, name)
	late := time.AfterFunc(20*time.Second, func() { // of a machine that does much else
		fmt.Println("bad", name+": does not return")
		os.Exit(1)
	})
	out, bad := outcome(f, args, mayPanic)
	late.Stop()
	// One report for each function and each kind of mistake.
	key, _, _ := strings.Cut(name, "(")
	key = key[strings.LastIndexByte(key, ' ')+1:]
	key += bad
	if bad != "" && !seen[key] {
		seen[key] = true
		fmt.Println("bad", name+":", bad)
	}
	return out
}

// outcome makes a call and says what is wrong with its results or its panic.
func outcome(f reflect.Value, args []reflect.Value, mayPanic bool) (out []reflect.Value, bad string) {
	defer func() {
		if x := recover(); x != nil {
			bad = panicked(x, mayPanic)
		}
	}()
	if f.Type().IsVariadic() {
		out = f.CallSlice(args)
	} else {
		out = f.Call(args)
	}
	return out, results(out)
}

// panicked says what is wrong with a panic.
func panicked(x any, mayPanic bool) string {
	err, ok := x.(error)
	var bug runtime.Error
	if s := fmt.Sprint(x); strings.Contains(s, "reflect:") || strings.Contains(s, "from nil parent") {
		return "panics: " + s + " " + place()
	}
	switch {
	case ok && errors.As(err, &bug):
		return fmt.Sprintf("panics: %v %s", x, place())
	case !mayPanic:
		return fmt.Sprintf("panics, and its documentation does not say so: %v", x)
	}
	if !ok {
		return ""
	}
	return mistake(err)
}

// place returns the line of the library that panicked.
func place() string {
	for line := range strings.Lines(string(debug.Stack())) {
		if strings.HasPrefix(line, "\t") && !strings.Contains(line, "/src/") && !strings.Contains(line, "/main.go:") {
			return "at " + strings.TrimSpace(strings.Split(line, " +")[0])
		}
	}
	return ""
}

// results says what is wrong with the results of a call.
func results(out []reflect.Value) string {
	for _, v := range out {
		switch x := v.Interface().(type) {
		case error:
			if bad := mistake(x); bad != "" {
				return bad
			}
		case interface{ Node() *tree.Node }:
			if v.Kind() == reflect.Pointer && v.IsNil() {
				continue
			}
			if n := x.Node(); n != nil && n.Err() != nil {
				if bad := mistake(n.Err()); bad != "" {
					return bad
				}
			}
		case *tree.Node:
			if x != nil && x.Err() != nil {
				if bad := mistake(x.Err()); bad != "" {
					return bad
				}
			}
		}
	}
	return ""
}

// mistake says what is wrong with the text of an error.
func mistake(err error) string {
	text := err.Error()
	for _, word := range []string{"runtime error", "internal error", "%!", "nil pointer"} {
		if strings.Contains(text, word) {
			return "an error of the library says " + strconv.Quote(text)
		}
	}
	if text == "" {
		return "an error without text"
	}
	return ""
}

// A pool has valid values of the types that are not made of their fields.
type pool []reflect.Value

func values() (p pool) {
	x := engine.MustFromSlice([]float32{1, 2, 3, 4}, 2, 2)
	i := engine.MustFromSlice([]int32{0, 1})
	v := autograd.New(x)
	r := rand.New(rand.NewPCG(1, 2))
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	_ = cancel
	o, _ := untyped.Lookup("exp")
	program, err := engine.Compile(ctx, expr.Let(x, op.Exp(x)))
	if err != nil {
		panic(err)
	}
	for _, a := range []any{
		x, i, engine.MustFromSlice([]float64{1, 2}), engine.MustFromSlice([]int64{0, 1}), engine.MustFromSlice([]bool{true, false}),
		engine.MustFromSlice([]uint32{0, 1}), engine.MustFromSlice([]complex64{0, 1}), engine.MustFromSlice([]uint8{0, 1}),
		x.Array(), x.Array().Memory(), x.Node(), o, program, engine.CPU(), engine.NewStream(),
		v, nn.NewLinear[float32](r, 2, 2), nn.NewSequential[float32](nn.NewLinear[float32](r, 2, 2)), nn.Adam[float32](.1),
		expr.NewParam(float32(1)), expr.NewParam(uint32(1)), r, image.NewRGBA(image.Rect(0, 0, 2, 2)), new(bytes.Buffer),
		errors.New("an error"), dtype.F32,
		tree.Attributes{},
	} {
		p = append(p, reflect.ValueOf(a))
	}
	return p
}

var contexts = reflect.TypeFor[context.Context]()

// value returns a value of a type.
func (p pool) value(t reflect.Type, m mode, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	if m == zero || depth > 4 {
		return v
	}
	if m == small || t.Kind() == reflect.Interface || t.Kind() == reflect.Pointer {
		if t == contexts {
			ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
			_ = cancel
			return reflect.ValueOf(ctx)
		}
		if x := p.find(t); x.IsValid() {
			v.Set(x)
			return v
		}
	}
	p.fill(v, m, depth)
	return v
}

// found has the results of find. The library calls functions that want values on several goroutines.
var found sync.Map

// find returns the value of the pool for a type, or none.
func (p pool) find(t reflect.Type) reflect.Value {
	if v, ok := found.Load(t); ok {
		return v.(reflect.Value)
	}
	var v reflect.Value
	if i := slices.IndexFunc(p, func(x reflect.Value) bool {
		return x.Type() == t || t.Kind() == reflect.Interface && x.Type().Implements(t)
	}); i >= 0 {
		v = p[i]
	}
	found.Store(t, v)
	return v
}

// fill sets a value by its kind.
func (p pool) fill(v reflect.Value, m mode, depth int) {
	t := v.Type()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(m != zero)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt([]int64{0, 1, -1, math.MaxInt64 >> (64 - t.Bits())}[m])
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint([]uint64{0, 1, math.MaxUint64 >> (64 - t.Bits()), math.MaxInt64 >> (64 - t.Bits())}[m])
	case reflect.Float32, reflect.Float64:
		v.SetFloat([]float64{0, .5, math.NaN(), math.Inf(1)}[m])
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex([]complex128{0, 1, complex(math.NaN(), 0), complex(math.Inf(1), 0)}[m])
	case reflect.String:
		v.SetString([]string{"", "x", "\xff\x00%s", strings.Repeat("(", 5000)}[m])
	case reflect.Slice:
		n := []int{0, 2, 1, 300}[m]
		if depth > 1 { // else a slice of slices of slices has millions of elements
			n = min(n, 2)
		}
		v.Set(reflect.MakeSlice(t, n, n))
		for i := range n {
			if m == small || i%2 == 0 {
				v.Index(i).Set(p.value(t.Elem(), m, depth+1))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			v.Index(i).Set(p.value(t.Elem(), m, depth+1))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(p.value(t.Key(), m, depth+1), p.value(t.Elem(), m, depth+1))
	case reflect.Pointer:
		if m == huge {
			return
		}
		v.Set(reflect.New(t.Elem()))
		if m == small {
			v.Elem().Set(p.value(t.Elem(), m, depth+1))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				f.Set(p.value(f.Type(), m, depth+1))
			}
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(t, func([]reflect.Value) (out []reflect.Value) {
			for i := range t.NumOut() {
				r := m
				if t.Out(i) == reflect.TypeFor[error]() || m == wild {
					r = zero
				}
				out = append(out, p.value(t.Out(i), r, depth+1))
			}
			return out
		}))
	}
}
