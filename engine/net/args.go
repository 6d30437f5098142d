package net

import (
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
	if a.err == nil {
		a.err = tree.NewError(tree.ErrValue, "", "argument %q is not %s", name, what)
	}
}

// Int returns an integer.
func (a *Args) Int(name string, or int) int {
	a = zero.IfNil(a)
	x := a.find(name)
	switch {
	case x == nil:
		return or
	case x.I == nil || int64(int(*x.I)) != *x.I:
		a.wrong(name, "an integer")
		return or
	}
	return int(*x.I)
}

// Bool returns an integer as a truth value.
func (a *Args) Bool(name string, or bool) bool {
	a = zero.IfNil(a)
	x := a.find(name)
	switch {
	case x == nil:
		return or
	case x.I == nil:
		a.wrong(name, "true or false, as an integer")
		return or
	}
	return *x.I != 0
}

// Float returns a float, or an integer as one. NaN and infinity are errors.
func (a *Args) Float(name string, or float64) float64 {
	a = zero.IfNil(a)
	x := a.find(name)
	if x == nil {
		return or
	}
	v := math.NaN()
	switch {
	case x.F != nil:
		v = float64(*x.F)
	case x.I != nil:
		v = float64(*x.I)
	}
	if math.IsNaN(v) || math.IsInf(v, 0) {
		a.wrong(name, "a finite number")
		return or
	}
	return v
}

// String returns a string.
func (a *Args) String(name, or string) string {
	a = zero.IfNil(a)
	x := a.find(name)
	switch {
	case x == nil:
		return or
	case x.S == nil:
		a.wrong(name, "a string")
		return or
	}
	return *x.S
}

// Ints returns a list of integers, which is empty if there is no argument.
func (a *Args) Ints(name string) []int {
	a = zero.IfNil(a)
	x := a.find(name)
	if x == nil {
		return nil
	}
	out := make([]int, len(x.Ints))
	for i, v := range x.Ints {
		if out[i] = int(v); int64(out[i]) != v {
			a.wrong(name, "a list of integers")
		}
	}
	if x.F != nil || x.I != nil || x.S != nil || x.Floats != nil || x.Strings != nil {
		a.wrong(name, "a list of integers")
	}
	return out
}

// Floats returns a list of floats, which is empty if there is no argument.
func (a *Args) Floats(name string) []float32 {
	a = zero.IfNil(a)
	x := a.find(name)
	if x == nil {
		return nil
	}
	if x.F != nil || x.I != nil || x.S != nil || x.Ints != nil || x.Strings != nil {
		a.wrong(name, "a list of floats")
	}
	return x.Floats
}

// Strings returns a list of strings, which is empty if there is no argument.
func (a *Args) Strings(name string) []string {
	a = zero.IfNil(a)
	x := a.find(name)
	if x == nil {
		return nil
	}
	if x.F != nil || x.I != nil || x.S != nil || x.Ints != nil || x.Floats != nil {
		a.wrong(name, "a list of strings")
	}
	return x.Strings
}
