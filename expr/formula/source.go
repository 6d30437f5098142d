package formula

import (
	"errors"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/formula/numpy"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// An Error says what is wrong with a formula, and where.
type Error = syntax.Error

// A Unit is a formula as trees.
type Unit = numpy.Unit

// A Function is one that formulas can call.
type Function = numpy.Function

// Refusals returns arguments of NumPy's functions that formulas do not have.
func Refusals() []numpy.Refusal { return numpy.Refusals() }

// Functions returns what formulas can call, but for the element types, in the
// order of the documentation.
func Functions() []Function { return numpy.Functions() }

// A Source is a parsed formula. It is never changed, so goroutines may share it.
type Source struct {
	text       string
	statements []*syntax.Statement // as they are written
	expanded   []*syntax.Statement // without functions of the formula's own
	inputs     []string
	assigned   []string
	all        []string // every name, the predefined ones too
}

// Parse reads a formula. A mistake is returned as an [*Error].
func Parse(text string) (*Source, error) {
	st, err := syntax.Parse(text)
	if err != nil {
		return nil, err
	}
	s := &Source{text: text, statements: st}
	if s.expanded, err = syntax.Expand(st); err != nil {
		return nil, s.in(err)
	}
	s.names()
	return s, nil
}

// Text returns the formula as it was given.
func (s *Source) Text() string { return zero.IfNil(s).text }

// MarshalText returns the formula as it was given.
func (s *Source) MarshalText() ([]byte, error) { return []byte(s.Text()), nil }

// UnmarshalText parses a formula, as [Parse] does.
func (s *Source) UnmarshalText(text []byte) error {
	got, err := Parse(string(text))
	if err != nil {
		return err
	}
	if s == nil {
		return tree.NewError(tree.ErrType, "", "the formula is nil")
	}
	*s = *got
	return nil
}

// String returns the formula with every operation in parentheses, one statement
// a line. It parses to the same tree.
func (s *Source) String() string {
	s = zero.IfNil(s)
	return strings.Join(lists.Map(s.statements, (*syntax.Statement).String), "\n")
}

// Inputs returns the names that the formula reads before it assigns to them, in
// the order of the text. The constants (pi, e, inf, nan) and the names of
// element types are not among them, though they may be bound.
func (s *Source) Inputs() []string { return slices.Clone(zero.IfNil(s).inputs) }

// Assigned returns the names that the formula assigns to, in the order of the
// text. The value of a last bare expression is called "_".
func (s *Source) Assigned() []string { return slices.Clone(zero.IfNil(s).assigned) }

// names finds inputs and assigned names.
func (s *Source) names() {
	type roles struct{ input, assigned bool }
	seen := map[string]*roles{}
	use := func(name string) *roles {
		r := seen[name]
		if r == nil {
			r = &roles{}
			seen[name] = r
			s.all = append(s.all, name)
		}
		return r
	}
	for _, st := range s.expanded {
		st.Reads(func(name string) {
			if syntax.Made(name) {
				return
			}
			if r := use(name); !r.assigned && !r.input && !numpy.Predefined(name) {
				r.input = true
				s.inputs = append(s.inputs, name)
			}
		})
		if name := st.Name(); syntax.Made(name) {
			continue
		}
		if r := use(st.Name()); !r.assigned {
			r.assigned = true
			s.assigned = append(s.assigned, st.Name())
		}
	}
}

// Build returns the trees of a formula with arrays, parameters and constants for
// its names. Parameters and constants are weak as Python scalars are.
//
// An assignment to a name that env binds to an array writes into that array.
// Any other name is a temporary: its tree stands wherever the name is used,
// unless a later statement writes to an array that the tree reads; then a new
// array keeps the value.
func (s *Source) Build(env map[string]*tree.Node) (*Unit, error) {
	s = zero.IfNil(s)
	return s.BuildFor(env, s.assigned)
}

// BuildFor is Build for a caller that needs the Values of some names only.
func (s *Source) BuildFor(env map[string]*tree.Node, want []string) (*Unit, error) {
	s = zero.IfNil(s)
	return s.build(env, want, nil)
}

// build is BuildFor; known are the names that an error lists, or nil for those
// of env.
func (s *Source) build(env map[string]*tree.Node, want, known []string) (*Unit, error) {
	l := limitFor(env)
	u, err := numpy.Build(s.expanded, numpy.Options{Env: env, Want: want, Known: known, Array: l.newLeaf})
	return u, s.in(err)
}

// Locate returns an error of a run of a unit of the formula with its place in the text, as an
// [*Error], if data that an operator does not take caused it: a division of integers by
// zero, or an index out of range. Other errors remain as they are.
func (s *Source) Locate(u *Unit, err error) error {
	if err == nil {
		return nil
	}
	return s.in(u.Locate(err))
}

// check reports what is wrong with a formula whatever its variables are.
func (s *Source) check() error { return s.in(numpy.Check(s.expanded)) }

// in returns err with its line and its column.
func (s *Source) in(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return e.In(s.text)
	}
	return err
}
