package formula

import (
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
)

// A Source is a parsed formula. It is never changed, so goroutines may share it.
type Source struct {
	text       string
	statements []*statement
	inputs     []string
	assigned   []string
	all        []string // every name, the predefined ones too
}

// Parse reads a formula. A mistake is returned as an [*Error].
func Parse(text string) (*Source, error) {
	st, err := parse(text)
	if err != nil {
		return nil, err
	}
	s := &Source{text: text, statements: st}
	s.names()
	return s, nil
}

// Text is the formula as it was given.
func (s *Source) Text() string { return s.text }

// String is the formula with every operation in parentheses, one statement a
// line. It parses to the same tree.
func (s *Source) String() string {
	lines := make([]string, len(s.statements))
	for i, st := range s.statements {
		lines[i] = st.String()
	}
	return strings.Join(lines, "\n")
}

// Inputs are the names that the formula reads before it assigns to them, in the
// order of the text. The constants (pi, e, inf, nan) and the names of element
// types are not among them, though they may be bound.
func (s *Source) Inputs() []string { return slices.Clone(s.inputs) }

// Assigned are the names that the formula assigns to, in the order of the text;
// the value of a last bare expression is called "_".
func (s *Source) Assigned() []string { return slices.Clone(s.assigned) }

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
	for _, st := range s.statements {
		reads(st, func(a *ast) {
			if r := use(a.text); !r.assigned && !r.input && !predefined(a.text) {
				r.input = true
				s.inputs = append(s.inputs, a.text)
			}
		})
		if r := use(st.name()); !r.assigned {
			r.assigned = true
			s.assigned = append(s.assigned, st.name())
		}
	}
}

// reads calls f for every name that a statement reads.
func reads(st *statement, f func(*ast)) {
	name := func(a *ast) {
		if a.kind == aName {
			f(a)
		}
	}
	if st.op != "=" || st.target.kind != aName {
		st.target.walk(name)
	}
	st.value.walk(name)
}

// predefined reports whether a name means something where it is not bound.
func predefined(name string) bool {
	_, constant := constants[name]
	_, err := typeNamed(name)
	return constant || err == nil
}

// typeNamed finds an element type by the name that NumPy has for it.
func typeNamed(name string) (dtype.Type, error) {
	switch name {
	case "bool", "bool_":
		return dtype.Bool, nil
	case "int", "int_", "intp", "longlong":
		return dtype.I64, nil
	case "float", "double":
		return dtype.F64, nil
	case "single":
		return dtype.F32, nil
	case "half":
		return dtype.F16, nil
	}
	t, err := dtype.Parse(name)
	if err == nil && t.String() != name {
		return dtype.Invalid, errNoType
	}
	return t, err
}
