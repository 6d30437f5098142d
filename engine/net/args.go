package net

import (
	"cmp"
	"math"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// Args are the arguments of an operator. Its methods return the value of an
// argument, or a default if there is none. An argument of another type is an error
// of the operator, which Err returns.
type Args struct {
	list []*Argument
	ws   *Workspace // may be nil
	err  error
}

// find returns the argument called name, or nil.
func (a *Args) find(name string) *Argument {
	for _, x := range a.list {
		if x != nil && x.Name == name {
			return x
		}
	}
	return nil
}

// Has reports whether there is an argument called name.
func (a *Args) Has(name string) bool { return zero.IfNil(a).find(name) != nil }

// Err returns the first error.
func (a *Args) Err() error { return zero.IfNil(a).err }

// wrong records that an argument is not what the operator needs.
func (a *Args) wrong(name, what string) {
	a.err = cmp.Or[error](a.err, tree.NewError(tree.ErrValue, "", "argument %q is not %s", name, what))
}

// value returns what get finds in the argument called name. Without one it returns or, and also
// where get finds nothing; then the argument is not what the operator needs.
func value[V any](a *Args, name string, or V, what string, get func(x *Argument) (V, bool)) V {
	a = zero.IfNil(a)
	x := a.find(name)
	if x == nil {
		return or
	}
	v, ok := get(x)
	if !ok {
		a.wrong(name, what)
		return or
	}
	return v
}

// Int returns an integer.
func (a *Args) Int(name string, or int) int {
	return value(a, name, or, "an integer", func(x *Argument) (int, bool) {
		v := int(*zero.IfNil(x.I))
		return v, x.I != nil && int64(v) == *x.I
	})
}

// Bool returns an integer as a truth value.
func (a *Args) Bool(name string, or bool) bool {
	return value(a, name, or, "true or false, as an integer", func(x *Argument) (bool, bool) { return *zero.IfNil(x.I) != 0, x.I != nil })
}

// Float returns a float, or an integer as one. NaN and infinity are errors.
func (a *Args) Float(name string, or float64) float64 {
	return value(a, name, or, "a finite number", func(x *Argument) (float64, bool) {
		v := float64(*zero.IfNil(x.I))
		if x.F != nil {
			v = float64(*x.F)
		}
		return v, (x.F != nil || x.I != nil) && !math.IsNaN(v) && !math.IsInf(v, 0)
	})
}

// String returns a string.
func (a *Args) String(name, or string) string {
	return value(a, name, or, "a string", func(x *Argument) (string, bool) { return *zero.IfNil(x.S), x.S != nil })
}

// isList reports whether x has no single value.
func (x *Argument) isList() bool { return x.F == nil && x.I == nil && x.S == nil }

// Ints returns a list of integers, which is empty if there is no argument.
func (a *Args) Ints(name string) []int {
	return value(a, name, nil, "a list of integers", func(x *Argument) ([]int, bool) {
		out, ok := make([]int, len(x.Ints)), x.isList() && x.Floats == nil && x.Strings == nil
		for i, v := range x.Ints {
			out[i] = int(v)
			ok = ok && int64(out[i]) == v
		}
		return out, ok
	})
}

// Floats returns a list of floats, which is empty if there is no argument.
func (a *Args) Floats(name string) []float32 {
	return value(a, name, nil, "a list of floats", func(x *Argument) ([]float32, bool) {
		return x.Floats, x.isList() && x.Ints == nil && x.Strings == nil
	})
}

// Strings returns a list of strings, which is empty if there is no argument.
func (a *Args) Strings(name string) []string {
	return value(a, name, nil, "a list of strings", func(x *Argument) ([]string, bool) {
		return x.Strings, x.isList() && x.Ints == nil && x.Floats == nil
	})
}
