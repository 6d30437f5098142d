package formula

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

// parse reads a whole text.
func parse(text string) ([]*statement, *Error) {
	if len(text) > maxText {
		return nil, errorAt(text, 0, "the formula has %d bytes, more than %d", len(text), maxText)
	}
	p := &parser{lex: lexer{text: text}}
	p.advance()
	var out []*statement
	for p.err == nil {
		for p.tok.kind == tLine && p.err == nil {
			p.advance()
		}
		if p.err != nil || p.tok.kind == tEnd {
			break
		}
		if n := len(out); n > 0 && out[n-1].bare {
			p.fail(out[n-1].value.pos, "the value of this expression is not used; only the last statement may be an expression")
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
	return out, p.err
}

func (p *parser) fail(pos int, format string, args ...any) *ast {
	if p.err == nil {
		p.err = errorAt(p.lex.text, pos, format, args...)
		p.tok = token{kind: tEnd, pos: pos}
	}
	return &ast{kind: aNone, pos: pos}
}

// hints answer tokens that Python or C has and formulas do not.
var hints = map[string]string{
	"and": "use & between comparisons in parentheses", "&&": "use &",
	"or": "use | between comparisons in parentheses", "||": "use |",
	"not": "use ~", "!": "use ~",
	"if": "use where(condition, a, b)", "else": "use where(condition, a, b)", "?": "use where(condition, a, b)",
	"is": "use ==", "in": "use == with broadcasting", "<>": "use !=", ":=": "use a statement of its own", "->": "use > or -",
	"lambda": "", "for": "write array operations instead of loops", "while": "write array operations instead of loops",
	"def": "", "import": "", "from": "", "return": "end with the expression", "class": "", "del": "", "assert": "", "with": "",
	"yield": "", "await": "", "async": "", "global": "", "try": "", "raise": "", "pass": "", "{": "", "}": "",
}

func (p *parser) unexpected(want string) *ast {
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
func (p *parser) node(kind astKind, pos int, text string, args ...*ast) *ast {
	a := &ast{kind: kind, pos: pos, text: text, args: args, depth: 1}
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

// enter counts a level of nesting; leave must follow.
func (p *parser) enter() bool {
	if p.nested++; p.nested > maxNested {
		p.fail(p.tok.pos, "the formula is nested more than %d levels deep", maxNested)
		return false
	}
	return true
}

func (p *parser) leave() { p.nested-- }

var assignments = map[string]bool{
	"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "//=": true, "%=": true, "**=": true,
	"@=": true, "&=": true, "|=": true, "^=": true, "<<=": true, ">>=": true,
}

func (p *parser) statement() *statement {
	target := p.expression()
	if p.err != nil {
		return nil
	}
	if p.tok.is(",") {
		p.fail(p.tok.pos, "several values in one statement are not supported; write one statement for each")
		return nil
	}
	if p.tok.kind != tOp || !assignments[p.tok.text] {
		name := &ast{kind: aName, pos: target.pos, text: "_"}
		return &statement{target: name, op: "=", value: target, pos: target.pos, bare: true}
	}
	s := &statement{target: target, op: p.tok.text, pos: p.tok.pos}
	if target.kind != aName && (target.kind != aIndex || target.args[0].kind != aName) {
		p.fail(target.pos, "only a name or a name with a subscript can be assigned to")
		return nil
	}
	p.advance()
	s.value = p.expression()
	if p.err == nil && p.tok.kind == tOp && assignments[p.tok.text] {
		p.fail(p.tok.pos, "one statement assigns once")
	}
	return s
}

var comparisonOps = map[string]bool{"<": true, "<=": true, ">": true, ">=": true, "==": true, "!=": true}

// expression is a comparison: the level that binds least.
func (p *parser) expression() *ast {
	if !p.enter() {
		return p.fail(p.tok.pos, "")
	}
	defer p.leave()
	a := p.binary(0)
	if p.tok.kind == tOp && comparisonOps[p.tok.text] {
		op := p.tok
		p.advance()
		a = p.node(aBinary, op.pos, op.text, a, p.binary(0))
		if p.tok.kind == tOp && comparisonOps[p.tok.text] {
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

func (p *parser) binary(level int) *ast {
	if level == len(levels) {
		return p.unary()
	}
	a := p.binary(level + 1)
	for p.tok.kind == tOp && levels[level][p.tok.text] && p.err == nil {
		op := p.tok
		p.advance()
		a = p.node(aBinary, op.pos, op.text, a, p.binary(level+1))
	}
	return a
}

func (p *parser) unary() *ast {
	if !p.tok.is("-") && !p.tok.is("+") && !p.tok.is("~") {
		return p.power()
	}
	if !p.enter() {
		return p.fail(p.tok.pos, "")
	}
	defer p.leave()
	op := p.tok
	p.advance()
	return p.node(aUnary, op.pos, op.text, p.unary())
}

// power binds tighter than a sign on its left and less than one on its right.
func (p *parser) power() *ast {
	a := p.postfix()
	if !p.tok.is("**") {
		return a
	}
	if !p.enter() {
		return p.fail(p.tok.pos, "")
	}
	defer p.leave()
	op := p.tok
	p.advance()
	return p.node(aBinary, op.pos, op.text, a, p.unary())
}
