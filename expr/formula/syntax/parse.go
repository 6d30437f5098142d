package syntax

import (
	"slices"
	"strings"
)

// The bounds of a formula.
const (
	maxText   = 1 << 20 // bytes
	maxNodes  = 100_000 // of the syntax tree
	maxNested = 1_000   // open parentheses, signs and powers
	maxLevels = 10_000  // of a chain such as a + b + c + ...
	maxArgs   = 100     // of a call
)

type parser struct {
	lex    lexer
	tok    token
	nested int
	nodes  int
	err    *Error
}

// Parse reads a whole text.
func Parse(text string) ([]*Statement, error) {
	p := &parser{lex: lexer{text: text}}
	out := p.statements()
	if p.err != nil {
		return nil, p.err.In(text)
	}
	return out, nil
}

func (p *parser) statements() (out []*Statement) {
	if n := len(p.lex.text); n > maxText {
		p.fail(0, "the formula has %d bytes, more than %d", n, maxText)
		return nil
	}
	p.advance()
	for p.err == nil {
		for p.tok.kind == tLine && p.err == nil {
			p.advance()
		}
		if p.err != nil || p.tok.kind == tEnd {
			break
		}
		if n := len(out); n > 0 && out[n-1].Bare {
			p.fail(out[n-1].Value.Pos, "the value of this expression is not used; only the last statement may be an expression")
			break
		}
		s := p.statement()
		if p.err != nil {
			break
		}
		out = append(out, s)
		if p.tok.kind != tLine && p.tok.kind != tEnd {
			p.unexpected("an operator or the end of the statement")
		}
	}
	if p.err == nil && len(out) == 0 {
		p.fail(0, "the formula is empty")
	}
	return out
}

func (p *parser) fail(pos int, format string, args ...any) *Node {
	if p.err == nil {
		p.err = Errorf(pos, nil, format, args...)
		p.tok = token{kind: tEnd, pos: pos}
	}
	return &Node{Kind: None, Pos: pos}
}

// hints answer tokens that Python or C has and formulas do not.
var hints = map[string]string{
	"and": "use & between comparisons in parentheses", "&&": "use &",
	"or": "use | between comparisons in parentheses", "||": "use |",
	"not": "use ~", "!": "use ~",
	"if": "use where(condition, a, b)", "else": "use where(condition, a, b)", "?": "use where(condition, a, b)",
	"is": "use ==", "in": "use == with broadcasting", "<>": "use !=", ":=": "use a statement of its own", "->": "use > or -",
	"lambda": "define a function by f(x) = ...", "for": "write array operations instead of loops", "while": "write array operations instead of loops",
	"def": "define a function by f(x) = ...", "import": "", "from": "", "return": "end with the expression", "class": "", "del": "", "assert": "", "with": "",
	"yield": "", "await": "", "async": "", "global": "", "try": "", "raise": "", "pass": "", "{": "", "}": "",
}

func (p *parser) unexpected(want string) *Node {
	if p.err != nil {
		return p.fail(p.tok.pos, "")
	}
	if hint, ok := hints[p.tok.text]; ok && (p.tok.kind == tName || p.tok.kind == tOp) {
		if hint != "" {
			hint = "; " + hint
		}
		return p.fail(p.tok.pos, "%q is not supported in formulas%s", p.tok.text, hint)
	}
	return p.fail(p.tok.pos, "%s was expected, not %s", want, p.tok.describe())
}

func (p *parser) advance() {
	if p.err != nil {
		return
	}
	t, err := p.lex.next()
	if err != nil {
		p.err = err
		t = token{kind: tEnd, pos: err.Pos}
	}
	p.tok = t
}

// accept skips the operator s if it comes next.
func (p *parser) accept(s string) bool {
	if !p.tok.is(s) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(s string, open int) {
	if p.err == nil && !p.accept(s) {
		if p.tok.kind == tEnd || p.tok.kind == tLine {
			p.fail(open, "%q is missing for this bracket", s)
			return
		}
		p.unexpected("\"" + s + "\"")
	}
}

// node makes a syntax tree, counting it.
func (p *parser) node(kind Kind, pos int, text string, args ...*Node) *Node {
	a := &Node{Kind: kind, Pos: pos, Text: text, Args: args, depth: 1}
	for _, x := range args {
		if x != nil {
			a.depth = max(a.depth, x.depth+1)
		}
	}
	if p.nodes++; p.nodes > maxNodes {
		return p.fail(pos, "the formula has more than %d operations and names", maxNodes)
	}
	if a.depth > maxLevels {
		return p.fail(pos, "the formula is more than %d levels deep", maxLevels)
	}
	return a
}

// inside returns what read returns, one level of nesting below.
func (p *parser) inside(read func() *Node) *Node {
	if p.nested++; p.nested > maxNested {
		return p.fail(p.tok.pos, "the formula is nested more than %d levels deep", maxNested)
	}
	defer func() { p.nested-- }()
	return read()
}

var assignments = map[string]bool{
	"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "//=": true, "%=": true, "**=": true,
	"@=": true, "&=": true, "|=": true, "^=": true, "<<=": true, ">>=": true,
}

func (p *parser) statement() *Statement {
	target := p.expression()
	if p.err != nil {
		return nil
	}
	if comma := p.tok; comma.is(",") {
		if target = p.tuple(target); p.err == nil && !assignments[p.tok.text] {
			p.fail(comma.pos, "several values in one statement are not supported; write one statement for each")
		}
	}
	if p.tok.kind != tOp && target.Kind == Call && (target.Text == "put_along_axis" || strings.HasSuffix(target.Text, ".at")) { // x[...] = f(x, ...)
		if len(target.Args) == 0 || target.Args[0].Kind != Name || target.Keys[0] != "" {
			p.fail(target.Pos, "%s writes to its first argument, which must be a name", target.Text)
			return nil
		}
		whole := p.node(Index, target.Pos, "", target.Args[0], p.node(Ellipsis, target.Pos, ""))
		return &Statement{Target: whole, Op: "=", Value: target, Pos: target.Pos}
	}
	if p.tok.kind != tOp || !assignments[p.tok.text] {
		name := &Node{Kind: Name, Pos: target.Pos, Text: "_"}
		return &Statement{Target: name, Op: "=", Value: target, Pos: target.Pos, Bare: true}
	}
	s := &Statement{Target: target, Op: p.tok.text, Pos: p.tok.pos}
	switch several := target.Kind == Tuple && len(target.Args) > 0; {
	case s.IsDefinition():
		p.define(s)
	case several && s.Op != "=":
		p.fail(s.Pos, "several names are assigned by =, not by %s", s.Op)
	case several:
		for _, x := range target.Args {
			p.assigned(x)
		}
	default:
		p.assigned(target)
	}
	p.advance()
	s.Value = p.expression()
	if target.Kind == Tuple && p.tok.is(",") {
		s.Value = p.tuple(s.Value)
	}
	if p.err == nil && p.tok.kind == tOp && assignments[p.tok.text] {
		p.fail(p.tok.pos, "one statement assigns once")
	}
	return s
}

// tuple reads the rest of a tuple without parentheses.
func (p *parser) tuple(first *Node) *Node {
	args := []*Node{first}
	for p.accept(",") && p.tok.kind != tEnd && p.tok.kind != tLine && !assignments[p.tok.text] {
		args = append(args, p.expression())
	}
	return p.node(Tuple, first.Pos, "", args...)
}

// assigned checks what a statement assigns to.
func (p *parser) assigned(x *Node) {
	if x.Kind != Name && (x.Kind != Index || x.Args[0].Kind != Name) {
		p.fail(x.Pos, "only a name, or a name with a subscript, can be assigned to; f(x) = defines a function")
	}
}

var comparisons = map[string]bool{"<": true, "<=": true, ">": true, ">=": true, "==": true, "!=": true}

func (p *parser) expression() *Node { return p.inside(p.comparison) }

// comparison is the level that binds least.
func (p *parser) comparison() *Node {
	a := p.binary(0)
	if p.tok.kind == tOp && comparisons[p.tok.text] {
		op := p.tok
		p.advance()
		a = p.node(Binary, op.pos, op.text, a, p.binary(0))
		if p.tok.kind == tOp && comparisons[p.tok.text] {
			return p.fail(p.tok.pos, "comparisons cannot be chained; write (a < b) & (b < c)")
		}
	}
	return a
}

// levels lists the left-associative operators by precedence, lowest first.
var levels = []map[string]bool{
	{"|": true},
	{"^": true},
	{"&": true},
	{"<<": true, ">>": true},
	{"+": true, "-": true},
	{"*": true, "/": true, "//": true, "%": true, "@": true},
}

func (p *parser) binary(level int) *Node {
	if level == len(levels) {
		return p.unary()
	}
	a := p.binary(level + 1)
	for p.tok.kind == tOp && levels[level][p.tok.text] && p.err == nil {
		op := p.tok
		p.advance()
		a = p.node(Binary, op.pos, op.text, a, p.binary(level+1))
	}
	return a
}

func (p *parser) unary() *Node {
	op := p.tok
	if !op.is("-") && !op.is("+") && !op.is("~") {
		return p.power()
	}
	p.advance()
	return p.node(Unary, op.pos, op.text, p.inside(p.unary))
}

// power binds tighter than a sign on its left and less than one on its right.
func (p *parser) power() *Node {
	a := p.postfix()
	op := p.tok
	if !p.accept("**") {
		return a
	}
	return p.node(Binary, op.pos, op.text, a, p.inside(p.unary))
}

// postfix is an atom with calls, attributes and subscripts.
func (p *parser) postfix() *Node {
	a := p.atom()
	for p.err == nil {
		switch {
		case p.tok.is("."):
			p.advance()
			name := p.tok
			if name.kind != tName {
				return p.unexpected("a name")
			}
			p.advance()
			switch {
			case !p.tok.is("("):
				a = p.node(Attr, name.pos, name.text, a)
			case a.Kind == Name && ofFunctions[name.text]:
				a = p.call(p.node(Call, a.Pos, a.Text+"."+name.text))
			default:
				a = p.call(p.node(Method, name.pos, name.text, a))
			}
		case p.tok.is("["):
			a = p.subscript(a)
		case p.tok.is("("):
			return p.fail(p.tok.pos, "only functions can be called, by their names")
		default:
			return a
		}
	}
	return a
}

func (p *parser) atom() *Node {
	t := p.tok
	switch {
	case t.kind == tName:
		return p.name()
	case t.kind == tNumber:
		n, err := parseNumber(t.text)
		if err != nil {
			return p.fail(t.pos, "%s: %s", t.describe(), err)
		}
		p.advance()
		a := p.node(Literal, t.pos, "")
		a.Number = n
		return a
	case t.kind == tString:
		p.advance()
		return p.node(String, t.pos, t.text)
	case t.is("..."):
		p.advance()
		return p.node(Ellipsis, t.pos, "")
	case t.is("("):
		p.advance()
		return p.parenthesis(t.pos)
	case t.is("["):
		p.advance()
		items, _ := p.items("]", t.pos)
		return p.node(List, t.pos, "", items...)
	}
	return p.unexpected("an operand")
}

func (p *parser) name() *Node {
	t := p.tok
	if _, ok := hints[t.text]; ok {
		return p.unexpected("an operand")
	}
	p.advance()
	if (t.text == "np" || t.text == "numpy") && p.tok.is(".") {
		p.advance()
		if t = p.tok; t.kind != tName {
			return p.unexpected("a name")
		}
		p.advance()
		if p.tok.is(".") && submodules[t.text] {
			module := t
			if p.advance(); !(module.text == "fft" && strings.Contains(p.tok.text, "fft") || module.text == "linalg" && linear[p.tok.text]) {
				return p.fail(module.pos, "np.%s.%s is not supported; formulas have functions of NumPy itself, such as np.exp, of np.fft, and np.linalg.norm and matrix_power; random numbers are random_normal(key, shape) and its like", module.text, p.tok.text)
			}
			t = p.tok
			p.advance()
		}
	}
	switch t.text {
	case "True", "False":
		a := p.node(Literal, t.pos, "")
		a.Number = BoolNumber(t.text == "True")
		return a
	case "None", "newaxis":
		return p.node(None, t.pos, "")
	case "Ellipsis":
		return p.node(Ellipsis, t.pos, "")
	}
	if p.tok.is("(") {
		return p.call(p.node(Call, t.pos, t.text))
	}
	return p.node(Name, t.pos, t.text)
}

// ofFunctions are the methods of functions. Other methods are of arrays.
var ofFunctions = map[string]bool{"reduce": true, "accumulate": true, "outer": true, "at": true}

// linear are the functions of np.linalg that formulas have.
var linear = map[string]bool{"norm": true, "matrix_power": true, "matmul": true, "matrix_transpose": true, "outer": true, "tensordot": true, "vecdot": true, "cross": true}

// submodules are modules of NumPy.
var submodules = map[string]bool{"char": true, "emath": true, "fft": true, "lib": true, "linalg": true, "ma": true, "polynomial": true, "random": true, "rec": true, "strings": true, "testing": true}

// parenthesis is what follows "(": a tuple or an expression.
func (p *parser) parenthesis(open int) *Node {
	items, comma := p.items(")", open)
	if len(items) == 1 && !comma {
		return items[0]
	}
	return p.node(Tuple, open, "", items...)
}

// items are expressions up to the closing bracket.
func (p *parser) items(end string, open int) (items []*Node, comma bool) {
	comma = p.list(end, open, func() { items = append(items, p.expression()) })
	return items, comma
}

// list reads elements with commas between them up to the closing bracket. It reports whether a comma
// precedes the bracket.
func (p *parser) list(end string, open int, element func()) (comma bool) {
	for p.err == nil && !p.tok.is(end) {
		element()
		if comma = p.accept(","); !comma {
			break
		}
	}
	p.expect(end, open)
	return comma
}

// call adds the arguments in parentheses to a.
func (p *parser) call(a *Node) *Node {
	open := p.tok.pos
	p.advance()
	p.list(")", open, func() { p.argument(a) })
	return a
}

// argument adds an argument to the call a.
func (p *parser) argument(a *Node) {
	if p.tok.is("*") || p.tok.is("**") {
		p.fail(p.tok.pos, "arguments cannot be unpacked")
	}
	x := p.expression()
	key := ""
	if p.tok.is("=") {
		key = x.Text
		switch {
		case x.Kind != Name:
			p.fail(x.Pos, "a keyword argument begins with a name")
		case slices.Contains(a.Keys, key):
			p.fail(x.Pos, "argument %q is given twice", key)
		}
		p.advance()
		x = p.expression()
	} else if n := len(a.Keys); n > 0 && a.Keys[n-1] != "" {
		p.fail(x.Pos, "a positional argument follows a keyword argument")
	}
	if len(a.Args) == maxArgs {
		p.fail(x.Pos, "a call has more than %d arguments", maxArgs)
	}
	a.Args, a.Keys = append(a.Args, x), append(a.Keys, key)
	a.depth = max(a.depth, x.depth+1)
}

// subscript adds the subscripts in brackets to a.
func (p *parser) subscript(a *Node) *Node {
	open := p.tok.pos
	p.advance()
	out := p.node(Index, open, "", a)
	if p.tok.is("]") {
		return p.fail(p.tok.pos, "a subscript is empty")
	}
	p.list("]", open, func() {
		x := p.slice()
		out.Args = append(out.Args, x)
		out.depth = max(out.depth, x.depth+1)
	})
	return out
}

// slice is an expression or start:stop:step.
func (p *parser) slice() *Node {
	pos := p.tok.pos
	var parts [3]*Node
	if !p.tok.is(":") {
		parts[0] = p.expression()
		if !p.tok.is(":") {
			return parts[0]
		}
	}
	for i := 1; i < 3 && p.accept(":"); i++ {
		if !p.tok.is(":") && !p.tok.is("]") && !p.tok.is(",") && p.tok.kind != tEnd {
			parts[i] = p.expression()
		}
	}
	return p.node(Slice, pos, "", parts[:]...)
}
