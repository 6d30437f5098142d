package expr

import (
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
)

// maxPrint bounds the text that String writes, in bytes. A shared node prints
// at each use, so a small graph can have a huge text.
const maxPrint = 4096

// String returns the tree in the notation of formulas, cut off after maxPrint
// bytes.
func (n *Node) String() string {
	p := printer{}
	p.node(n, 0)
	if p.Len() > maxPrint {
		return p.String()[:maxPrint] + "..."
	}
	return p.String()
}

type printer struct{ strings.Builder }

func (p *printer) node(n *Node, depth int) {
	switch {
	case p.Len() > maxPrint:
		return
	case depth > 200:
		p.WriteString("...")
		return
	case n == nil:
		p.WriteString("nil")
		return
	case n.err != nil:
		fmt.Fprintf(p, "error(%s)", n.err.Msg)
		return
	case n.Op == nil || n.Attributes == nil:
		p.WriteString("invalid")
		return
	}
	switch n.Op.Class() {
	case Storage:
		p.WriteString(n.Leaf.label())
	case Constant:
		p.WriteString(FormatBits(n.dtype, n.Bits))
	case Parameter:
		if n.Param.Name != "" {
			p.WriteString(n.Param.Name)
			return
		}
		p.WriteString("param(" + FormatBits(n.dtype, n.Param.Load()) + ")")
	default:
		p.call(n, depth)
	}
}

func (p *printer) call(n *Node, depth int) {
	if n.Op.Symbol() != "" && len(n.Args) == 2 {
		p.WriteByte('(')
		p.node(n.Args[0], depth+1)
		p.WriteString(" " + n.Op.Symbol() + " ")
		p.node(n.Args[1], depth+1)
		p.WriteByte(')')
		return
	}
	p.WriteString(n.Op.Name())
	p.WriteByte('(')
	for i, a := range n.Args {
		if i > 0 {
			p.WriteString(", ")
		}
		p.node(a, depth+1)
	}
	p.WriteString(n.attributes())
	p.WriteByte(')')
}

// attributes returns the text of a node's attributes.
func (n *Node) attributes() string {
	var b strings.Builder
	if n.Op.Class() == Reduction {
		fmt.Fprintf(&b, ", axis=%v, keepdims=True", n.Axes)
	} else if n.Axes != nil {
		fmt.Fprintf(&b, ", %v", n.Axes)
	}
	if len(n.Ints) > 0 {
		fmt.Fprintf(&b, ", %v", n.Ints)
	}
	if n.Op.Result() == ResultTo {
		fmt.Fprintf(&b, ", %v", n.To)
	}
	return b.String()
}

func (l *Leaf) label() string {
	if l.Name != "" {
		return l.Name
	}
	return "array"
}

// FormatBits returns the decimal text of the bits of a scalar of type t.
func FormatBits(t dtype.Type, bits uint64) string {
	if t == dtype.Bool {
		return map[bool]string{false: "False", true: "True"}[bits != 0]
	}
	return prim.Text(t, bits)
}

// Tree returns the tree as text: one indented line for each node, with kind,
// type and shape.
func (n *Node) Tree() string {
	var b strings.Builder
	seen := map[*Node]int{}
	var walk func(n *Node, indent string)
	walk = func(n *Node, indent string) {
		b.WriteString(indent)
		if n == nil || n.Op == nil || n.Attributes == nil || len(n.Args) == 0 && n.err != nil {
			b.WriteString(n.String() + "\n")
			return
		}
		if id, ok := seen[n]; ok && len(n.Args) > 0 {
			fmt.Fprintf(&b, "#%d %s (shared, see above)\n", id, n.Op.Name())
			return
		}
		seen[n] = len(seen) + 1
		name := n.Op.Name()
		if len(n.Args) == 0 {
			name = n.String()
		}
		fmt.Fprintf(&b, "#%d %s%s  %v %v%v\n", seen[n], name, strings.TrimPrefix(n.attributes(), ","), n.kind, n.dtype, []int(n.shape))
		if len(indent) > 400 {
			b.WriteString(indent + "  ...\n")
			return
		}
		for _, a := range n.Args {
			walk(a, indent+"  ")
		}
	}
	walk(n, "")
	return b.String()
}
