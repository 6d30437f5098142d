package formula

import "strings"

type astKind uint8

const (
	aName     astKind = iota // text
	aNumber                  // num
	aString                  // text
	aNone                    // None, newaxis
	aEllipsis                // ...
	aUnary                   // text args[0]
	aBinary                  // args[0] text args[1]
	aCall                    // text(args...); keys name the arguments
	aMethod                  // args[0].text(args[1:]...); keys as for aCall
	aAttr                    // args[0].text
	aIndex                   // args[0][args[1:]...]
	aSlice                   // args: start, stop, step, each may be nil
	aTuple
	aList
)

// An ast is a node of the syntax tree.
type ast struct {
	kind  astKind
	pos   int // of the token that an error points at
	text  string
	num   scalar
	args  []*ast
	keys  []string // of calls: "" for a positional argument
	depth int      // levels of this tree
}

// A statement is target op value; a bare expression has the target "_" and no
// position of an operator.
type statement struct {
	target *ast // aName or aIndex of one
	op     string
	value  *ast
	pos    int
	bare   bool
}

// name is the variable that the statement assigns to.
func (s *statement) name() string {
	if s.target.kind == aIndex {
		return s.target.args[0].text
	}
	return s.target.text
}

func (s *statement) String() string {
	if s.bare {
		return s.value.String()
	}
	return s.target.String() + " " + s.op + " " + s.value.String()
}

// String is the tree with every operation in parentheses; it parses to the same
// tree.
func (a *ast) String() string {
	var b strings.Builder
	a.print(&b)
	return b.String()
}

func (a *ast) print(b *strings.Builder) {
	switch a.kind {
	case aName:
		b.WriteString(a.text)
	case aNumber:
		b.WriteString(formatNumber(a.num))
	case aString:
		quote := "'"
		if strings.Contains(a.text, quote) {
			quote = `"`
		}
		b.WriteString(quote + a.text + quote)
	case aNone:
		b.WriteString("None")
	case aEllipsis:
		b.WriteString("...")
	case aUnary:
		b.WriteString("(" + a.text)
		a.args[0].print(b)
		b.WriteByte(')')
	case aBinary:
		b.WriteByte('(')
		a.args[0].print(b)
		b.WriteString(" " + a.text + " ")
		a.args[1].print(b)
		b.WriteByte(')')
	case aCall:
		b.WriteString(a.text)
		a.list(b, "(", a.args, a.keys, ")")
	case aMethod:
		a.args[0].printOperand(b)
		b.WriteString("." + a.text)
		a.list(b, "(", a.args[1:], a.keys, ")")
	case aAttr:
		a.args[0].printOperand(b)
		b.WriteString("." + a.text)
	case aIndex:
		a.args[0].print(b)
		a.list(b, "[", a.args[1:], nil, "]")
	case aSlice:
		a.printSlice(b)
	case aTuple:
		end := ")"
		if len(a.args) == 1 {
			end = ",)"
		}
		a.list(b, "(", a.args, nil, end)
	case aList:
		a.list(b, "[", a.args, nil, "]")
	}
}

// printOperand puts a number in parentheses, for what follows is a point.
func (a *ast) printOperand(b *strings.Builder) {
	if a.kind != aNumber {
		a.print(b)
		return
	}
	b.WriteByte('(')
	a.print(b)
	b.WriteByte(')')
}

func (a *ast) list(b *strings.Builder, open string, args []*ast, keys []string, end string) {
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

func (a *ast) printSlice(b *strings.Builder) {
	for i, x := range a.args {
		if i == 1 || i == 2 && x != nil {
			b.WriteByte(':')
		}
		if x != nil {
			x.print(b)
		}
	}
}

// walk calls f for every node, operands first, in the order of the text.
func (a *ast) walk(f func(*ast)) {
	if a == nil {
		return
	}
	for _, x := range a.args {
		x.walk(f)
	}
	f(a)
}
