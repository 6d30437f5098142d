package syntax

import (
	"strings"

	"github.com/oneloop/oneloop/internal/zero"
)

// A Kind says what a Node is.
type Kind uint8

// The kinds of nodes, and the fields that they have.
const (
	Name     Kind = iota // Text
	Literal              // Number
	String               // Text
	None                 // None, newaxis
	Ellipsis             // ...
	Unary                // Text Args[0]
	Binary               // Args[0] Text Args[1]
	Call                 // Text(Args...); Keys name the arguments
	Method               // Args[0].Text(Args[1:]...); Keys are those of Args[1:]
	Attr                 // Args[0].Text
	Index                // Args[0][Args[1:]...]
	Slice                // Args: start, stop, step; each may be nil
	Tuple
	List
)

// A Node is a node of a syntax tree.
type Node struct {
	Kind   Kind
	Pos    int // of the token that an error points at, in bytes
	Text   string
	Number Number
	Args   []*Node
	Keys   []string // of calls: "" for a positional argument

	depth int // levels of this tree
}

// A Statement is Target Op Value. A bare expression has the target "_".
type Statement struct {
	Target *Node // Name, Index of one, Tuple of these, or Call for a definition
	Op     string
	Value  *Node
	Pos    int // of Op
	Bare   bool
	Parts  int // of the value that Expand took out of a statement with a Tuple, or 0
}

// Name returns the variable that the statement assigns to.
func (s *Statement) Name() string {
	target := zero.IfNil(zero.IfNil(s).Target)
	if target.Kind == Index && len(target.Args) > 0 {
		return zero.IfNil(target.Args[0]).Text
	}
	return target.Text
}

// Reads calls f for every name that the statement reads, in the order of the
// text.
func (s *Statement) Reads(f func(name string)) {
	s = zero.IfNil(s)
	if f == nil {
		return
	}
	if s.Op != "=" || zero.IfNil(s.Target).Kind != Name {
		s.Target.names(f)
	}
	s.Value.names(f)
}

func (n *Node) names(f func(string)) {
	if n == nil {
		return
	}
	for _, x := range n.Args {
		x.names(f)
	}
	if n.Kind == Name {
		f(n.Text)
	}
}

// String returns the statement with every operation in parentheses.
func (s *Statement) String() string {
	s = zero.IfNil(s)
	if s.Bare {
		return s.Value.String()
	}
	return s.Target.String() + " " + s.Op + " " + s.Value.String()
}

// String returns the tree with every operation in parentheses. It parses to the
// same tree.
func (n *Node) String() string {
	var b strings.Builder
	n.print(&b)
	return b.String()
}

func (n *Node) print(b *strings.Builder) {
	n = zero.IfNil(n)
	switch n.Kind {
	case Name:
		b.WriteString(n.Text)
	case Literal:
		b.WriteString(n.Number.String())
	case String:
		quote := "'"
		if strings.Contains(n.Text, quote) {
			quote = `"`
		}
		b.WriteString(quote + n.Text + quote)
	case None:
		b.WriteString("None")
	case Ellipsis:
		b.WriteString("...")
	case Unary:
		b.WriteString("(" + n.Text)
		n.Args[0].print(b)
		b.WriteByte(')')
	case Binary:
		b.WriteByte('(')
		n.Args[0].print(b)
		b.WriteString(" " + n.Text + " ")
		n.Args[1].print(b)
		b.WriteByte(')')
	case Call:
		b.WriteString(n.Text)
		printList(b, "(", n.Args, n.Keys, ")")
	case Method, Attr:
		if n.Args[0].Kind == Literal { // 1.T would be a number
			printList(b, "(", n.Args[:1], nil, ")")
		} else {
			n.Args[0].print(b)
		}
		b.WriteString("." + n.Text)
		if n.Kind == Method {
			printList(b, "(", n.Args[1:], n.Keys, ")")
		}
	case Index:
		n.Args[0].print(b)
		printList(b, "[", n.Args[1:], nil, "]")
	case Slice:
		for i, x := range n.Args {
			if i == 1 || i == 2 && x != nil {
				b.WriteByte(':')
			}
			if x != nil {
				x.print(b)
			}
		}
	case Tuple:
		end := ")"
		if len(n.Args) == 1 {
			end = ",)"
		}
		printList(b, "(", n.Args, nil, end)
	case List:
		printList(b, "[", n.Args, nil, "]")
	}
}

func printList(b *strings.Builder, open string, args []*Node, keys []string, end string) {
	b.WriteString(open)
	for i, x := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		if keys != nil && keys[i] != "" {
			b.WriteString(keys[i] + "=")
		}
		x.print(b)
	}
	b.WriteString(end)
}
