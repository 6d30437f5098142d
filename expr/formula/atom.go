package formula

// postfix is an atom with calls, attributes and subscripts.
func (p *parser) postfix() *ast {
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
			if p.tok.is("(") {
				a = p.call(p.node(aMethod, name.pos, name.text, a))
			} else {
				a = p.node(aAttr, name.pos, name.text, a)
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

func (p *parser) atom() *ast {
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
		a := p.node(aNumber, t.pos, "")
		a.num = n
		return a
	case t.kind == tString:
		p.advance()
		return p.node(aString, t.pos, t.text)
	case t.is("..."):
		p.advance()
		return p.node(aEllipsis, t.pos, "")
	case t.is("("):
		p.advance()
		return p.parenthesis(t.pos)
	case t.is("["):
		p.advance()
		items, _ := p.items("]", t.pos)
		return p.node(aList, t.pos, "", items...)
	}
	return p.unexpected("an operand")
}

func (p *parser) name() *ast {
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
			return p.fail(t.pos, "np.%s is not supported; formulas have functions of NumPy itself, such as np.exp", t.text)
		}
	}
	switch t.text {
	case "True", "False":
		a := p.node(aNumber, t.pos, "")
		a.num = pyBool(t.text == "True")
		return a
	case "None", "newaxis":
		return p.node(aNone, t.pos, "")
	case "Ellipsis":
		return p.node(aEllipsis, t.pos, "")
	}
	if p.tok.is("(") {
		return p.call(p.node(aCall, t.pos, t.text))
	}
	return p.node(aName, t.pos, t.text)
}

// submodules are modules of NumPy. None has functions that formulas know.
var submodules = map[string]bool{"char": true, "emath": true, "fft": true, "lib": true, "linalg": true, "ma": true, "polynomial": true, "random": true, "rec": true, "strings": true, "testing": true}

// parenthesis is what follows "(": a tuple or an expression.
func (p *parser) parenthesis(open int) *ast {
	items, comma := p.items(")", open)
	if len(items) == 1 && !comma {
		return items[0]
	}
	return p.node(aTuple, open, "", items...)
}

// items are expressions up to the closing bracket.
func (p *parser) items(end string, open int) (items []*ast, comma bool) {
	for p.err == nil && !p.tok.is(end) {
		items = append(items, p.expression())
		comma = p.accept(",")
		if !comma {
			break
		}
	}
	p.expect(end, open)
	return items, comma
}

// call adds the arguments in parentheses to a.
func (p *parser) call(a *ast) *ast {
	open := p.tok.pos
	p.advance()
	named := false
	for p.err == nil && !p.tok.is(")") {
		if p.tok.is("*") || p.tok.is("**") {
			return p.fail(p.tok.pos, "arguments cannot be unpacked")
		}
		x := p.expression()
		key := ""
		if p.tok.is("=") {
			if x.kind != aName {
				return p.fail(x.pos, "a keyword argument begins with a name")
			}
			key = x.text
			for _, k := range a.keys {
				if k == key {
					return p.fail(x.pos, "argument %q is given twice", key)
				}
			}
			named = true
			p.advance()
			x = p.expression()
		} else if named {
			return p.fail(x.pos, "a positional argument follows a keyword argument")
		}
		if len(a.args) == maxArgs {
			return p.fail(x.pos, "a call has more than %d arguments", maxArgs)
		}
		a.args = append(a.args, x)
		a.keys = append(a.keys, key)
		a.depth = max(a.depth, x.depth+1)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", open)
	return a
}

// subscript adds the subscripts in brackets to a.
func (p *parser) subscript(a *ast) *ast {
	open := p.tok.pos
	p.advance()
	out := p.node(aIndex, open, "", a)
	if p.tok.is("]") {
		return p.fail(p.tok.pos, "a subscript is empty")
	}
	for p.err == nil && !p.tok.is("]") {
		x := p.slice()
		out.args = append(out.args, x)
		out.depth = max(out.depth, x.depth+1)
		if !p.accept(",") {
			break
		}
	}
	p.expect("]", open)
	return out
}

// slice is an expression or start:stop:step.
func (p *parser) slice() *ast {
	pos := p.tok.pos
	var parts [3]*ast
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
	return p.node(aSlice, pos, "", parts[:]...)
}
