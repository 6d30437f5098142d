package tree

import (
	"cmp"
	"fmt"
	"iter"
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
		p.WriteString(cmp.Or(n.Leaf.Name, "array"))
	case Constant:
		p.WriteString(FormatBits(n.dtype, n.Bits))
	case Parameter:
		p.WriteString(cmp.Or(n.Param.Name, "param("+FormatBits(n.dtype, n.Param.Load())+")"))
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
	text := n.attributes()
	if len(n.Args) == 0 {
		text = strings.TrimPrefix(text, ", ")
	}
	p.WriteString(text + ")")
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
	for line := range n.Lines() {
		b.WriteString(line)
	}
	return b.String()
}

// Lines yields the lines of [Node.Tree], each with its node.
func (n *Node) Lines() iter.Seq2[string, *Node] {
	return func(yield func(string, *Node) bool) { n.lines(yield) }
}

func (n *Node) lines(yield func(string, *Node) bool) {
	seen := map[*Node]int{}
	var walk func(n *Node, indent string) bool
	walk = func(n *Node, indent string) bool {
		if n == nil || n.Op == nil || n.Attributes == nil || len(n.Args) == 0 && n.err != nil {
			return yield(indent+n.String()+"\n", n)
		}
		if id, ok := seen[n]; ok && len(n.Args) > 0 {
			return yield(fmt.Sprintf("%s#%d %s (shared, see above)\n", indent, id, n.Op.Name()), n)
		}
		seen[n] = len(seen) + 1
		name := n.Op.Name()
		if len(n.Args) == 0 {
			name = n.String()
		}
		line := fmt.Sprintf("%s#%d %s%s  %v %v%v\n", indent, seen[n], name, strings.TrimPrefix(n.attributes(), ","), n.kind, n.dtype, []int(n.shape))
		if !yield(line, n) {
			return false
		}
		if len(indent) > 400 {
			return yield(indent+"  ...\n", n)
		}
		for _, a := range n.Args {
			if !walk(a, indent+"  ") {
				return false
			}
		}
		return true
	}
	walk(n, "")
}
