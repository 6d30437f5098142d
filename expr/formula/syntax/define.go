package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/internal/zero"
)

// The bounds of the functions that a formula defines.
const (
	maxExpanded = maxNodes // of the statements without functions
	maxActive   = 100      // calls inside each other
)

// IsDefinition reports whether the statement defines a function: f(x, y) = e.
func (s *Statement) IsDefinition() bool { return zero.IfNil(zero.IfNil(s).Target).Kind == Call }

// Made reports whether [Expand] made a name. The text of a formula cannot have
// such a name.
func Made(name string) bool { return strings.Contains(name, ".") }

// define checks the head of a definition.
func (p *parser) define(s *Statement) {
	if s.Op != "=" {
		p.fail(s.Pos, "a function is defined by =, not by %s", s.Op)
	}
	for i, x := range s.Target.Args {
		switch {
		case x.Kind != Name || s.Target.Keys[i] != "":
			p.fail(x.Pos, "a parameter of a function is a name alone")
		case slices.ContainsFunc(s.Target.Args[:i], func(y *Node) bool { return y.Text == x.Text }):
			p.fail(x.Pos, "parameter %s is given twice", Quote(x.Text))
		}
	}
}

// Expand returns the statements without definitions, each with one target. A call of a function that
// the formula defines above becomes its right side. A parameter becomes the
// argument, if that is a name or a constant; else a new name, to which a
// statement before assigns the argument. An error has no text.
func Expand(formula []*Statement) ([]*Statement, error) {
	e := &expander{functions: map[string]*Statement{}}
	for _, s := range formula {
		if s == nil || s.Target == nil || s.Value == nil {
			return nil, Errorf(0, nil, "a statement has no target or no value")
		}
		if s.IsDefinition() {
			e.functions[s.Target.Text] = s
			continue
		}
		if len(e.functions) > 0 {
			copied := *s
			copied.Target, copied.Value = e.node(s.Target, nil), e.node(s.Value, nil)
			s = &copied
		}
		if e.err != nil {
			return nil, e.err
		}
		if s.Target.Kind == Tuple {
			e.unpack(s)
		} else {
			e.out = append(e.out, s)
		}
	}
	if len(e.out) == 0 && len(formula) > 0 {
		return nil, Errorf(formula[0].Pos, nil, "the formula defines functions and calls none")
	}
	return e.out, nil
}

// unpack adds the statements that assign a value to a new name, and its parts to the targets of s.
func (e *expander) unpack(s *Statement) {
	whole := &Node{Kind: Name, Pos: s.Value.Pos, Text: fmt.Sprintf("part.%d", len(e.out)), depth: 1}
	e.out = append(e.out, &Statement{Target: whole, Op: "=", Value: s.Value, Pos: s.Pos, Parts: len(s.Target.Args)})
	for i, x := range s.Target.Args {
		at := &Node{Kind: Literal, Pos: x.Pos, Number: IntNumber(i), depth: 1}
		e.out = append(e.out, &Statement{Target: x, Op: "=", Value: &Node{Kind: Index, Pos: x.Pos, Args: []*Node{whole, at}, depth: 2}, Pos: s.Pos})
	}
}

type expander struct {
	functions map[string]*Statement
	out       []*Statement
	active    []string // the functions whose right sides are being copied
	nodes     int
	calls     int
	err       error
}

func (e *expander) fail(at *Node, format string, args ...any) *Node {
	e.err = cmp.Or[error](e.err, Errorf(at.Pos, nil, format, args...))
	return at
}

// node returns a copy of n with arguments for parameters.
func (e *expander) node(n *Node, arguments map[string]*Node) *Node {
	if n == nil || e.err != nil {
		return n
	}
	if x := arguments[n.Text]; x != nil && n.Kind == Name {
		at := *x
		at.Pos = n.Pos
		return &at
	}
	if e.nodes++; e.nodes > maxExpanded {
		return e.fail(n, "the functions of the formula expand to more than %d operations", maxExpanded)
	}
	out := *n
	out.Args, out.depth = make([]*Node, len(n.Args)), 1
	for i, x := range n.Args {
		if out.Args[i] = e.node(x, arguments); x != nil {
			out.depth = max(out.depth, out.Args[i].depth+1)
		}
	}
	if f := e.functions[n.Text]; f != nil && n.Kind == Call && e.err == nil {
		return e.call(f, &out)
	}
	if out.depth > maxLevels {
		return e.fail(n, "the functions of the formula expand to more than %d levels", maxLevels)
	}
	return &out
}

// call returns the right side of f for the arguments of n.
func (e *expander) call(f *Statement, n *Node) *Node {
	parameters := f.Target.Args
	switch {
	case slices.Contains(e.active, n.Text):
		return e.fail(n, "%s calls itself; formulas have no recursion", n.Text)
	case len(e.active) == maxActive:
		return e.fail(n, "functions call each other more than %d levels deep", maxActive)
	case len(n.Args) != len(parameters):
		word := "arguments"
		if len(parameters) == 1 {
			word = "argument"
		}
		return e.fail(n, "%s takes %d %s, not %d", n.Text, len(parameters), word, len(n.Args))
	}
	e.calls++
	arguments := map[string]*Node{}
	for i, x := range n.Args {
		p := parameters[i]
		if key := n.Keys[i]; key != "" {
			k := slices.IndexFunc(parameters, func(p *Node) bool { return p.Text == key })
			if k < 0 {
				return e.fail(x, "%s has no argument %s", n.Text, Quote(key))
			}
			p = parameters[k]
		}
		if arguments[p.Text] != nil {
			return e.fail(x, "argument %q of %s is given twice", p.Text, n.Text)
		}
		switch x.Kind {
		case Name, Literal, String, None:
		default:
			name := &Node{Kind: Name, Pos: x.Pos, Text: fmt.Sprintf("%s.%s.%d", n.Text, p.Text, e.calls), depth: 1}
			e.out = append(e.out, &Statement{Target: name, Op: "=", Value: x, Pos: x.Pos})
			x = name
		}
		arguments[p.Text] = x
	}
	e.active = append(e.active, n.Text)
	defer func() { e.active = e.active[:len(e.active)-1] }()
	return e.node(f.Value, arguments)
}
