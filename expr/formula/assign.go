package formula

import (
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// dropLeading leaves out leading axes of size 1 that a value has above the rank
// of its target, as NumPy's assignment does.
func dropLeading(n, target *expr.Node) *expr.Node {
	if n.Err() != nil {
		return n
	}
	extra := len(n.Shape()) - len(target.Shape())
	var axes []int
	for i := 0; i < extra; i++ {
		if n.Shape()[i] != 1 {
			return n
		}
		axes = append(axes, i)
	}
	if len(axes) == 0 {
		return n
	}
	return op.SqueezeNode(n, axes)
}

var saverOf = map[string]expr.Saver{"+": expr.Plus, "-": expr.Minus, "*": expr.Times, "/": expr.Over}

// augment is name op= value.
func (b *builder) augment(st *statement, v *variable) error {
	e, err := b.eval(st.value)
	if err != nil {
		return err
	}
	operator := strings.TrimSuffix(st.op, "=")
	at := &ast{kind: aBinary, pos: st.pos, text: operator}
	r, err := b.binary(at, operator, v.value, e)
	if err != nil {
		return err
	}
	if !v.bound {
		if t := v.value; t.kind == vTree && t.weak == kNone && len(t.n.Shape()) > 0 { // an array keeps its type
			n, err := b.stored(st, t.n, r, true)
			if err == nil {
				err = b.sameShape(st, t.n, n)
			}
			if err != nil {
				return err
			}
			r = tree(n)
		}
		return b.define(st.name(), st, r)
	}
	return b.combine(st, v.value.n, operator, r, true)
}

// combine stores target op value, as a saver where the operation is one of the
// target's own type.
func (b *builder) combine(st *statement, target *expr.Node, operator string, r value, whole bool) error {
	n := r.n
	if err := b.sameShape(st, target, n); err != nil {
		return err
	}
	if n.Op.Result == expr.ResultTo && n.DType().IsHalf() && n.DType() == target.DType() && len(n.Args) == 1 && n.Args[0].DType() == n.DType() {
		n = n.Args[0] // the assignment rounds too
	}
	if s, ok := saverOf[operator]; ok && n.Op.Symbol == operator && len(n.Args) == 2 && n.Args[0] == target && n.DType() == target.DType() {
		return b.emit(st, expr.Statement{Saver: s, Target: target, Value: n.Args[1]})
	}
	return b.store(st, target, r, whole)
}

// sameShape checks the result of an in-place operator, which NumPy does not
// broadcast.
func (b *builder) sameShape(st *statement, target, result *expr.Node) error {
	if !result.Shape().Equal(target.Shape()) {
		return kindError(b.src.text, st.pos, expr.ErrShape, "a result of shape %v does not fit a target of shape %v", result.Shape(), target.Shape())
	}
	return nil
}

// assignPart is name[subscripts] op value.
func (b *builder) assignPart(st *statement, v *variable) error {
	name := st.target.args[0]
	if v == nil {
		return b.unbound(name)
	}
	e, err := b.eval(st.value)
	if err != nil {
		return err
	}
	if !v.bound && !v.owned {
		if v.value.kind != vTree || v.value.weak != kNone {
			return b.fail(st.target, expr.ErrType, "%s is %s, which has no parts to assign to", name.text, v.value.describe())
		}
		if err := b.materialize(name.text, st); err != nil {
			return err
		}
		v = b.vars[name.text]
	}
	array := v.value.n
	if done, err := b.assignMask(st, array, e); done || err != nil {
		return err
	}
	part, err := b.index(st.target, v.value, true)
	if err != nil {
		return err
	}
	if st.op == "=" {
		return b.store(st, part.n, e, false)
	}
	operator := strings.TrimSuffix(st.op, "=")
	r, err := b.binary(&ast{kind: aBinary, pos: st.pos, text: operator}, operator, part, e)
	if err != nil {
		return err
	}
	return b.combine(st, part.n, operator, r, true)
}

// assignMask is x[mask] = scalar, as x = where(mask, scalar, x).
func (b *builder) assignMask(st *statement, array *expr.Node, e value) (bool, error) {
	if k := st.target.args[1].kind; len(st.target.args) != 2 || k == aSlice || k == aEllipsis || k == aNone {
		return false, nil
	}
	mask, err := b.eval(st.target.args[1])
	if err != nil || mask.kind != vTree || kindOf(mask.n.DType()) != kBool {
		return false, err
	}
	if !mask.n.Shape().Equal(array.Shape()) {
		return true, b.fail(st.target.args[1], expr.ErrShape, "a mask of shape %v does not fit an array of shape %v", mask.n.Shape(), array.Shape())
	}
	if st.op != "=" {
		if e, err = b.binary(&ast{kind: aBinary, pos: st.pos, text: strings.TrimSuffix(st.op, "=")}, strings.TrimSuffix(st.op, "="), tree(array), e); err != nil {
			return true, err
		}
	}
	n, err := b.stored(st, array, e, st.op != "=")
	if err != nil {
		return true, err
	}
	if st.op == "=" && len(n.Shape()) != 0 {
		return true, b.fail(st.value, expr.ErrUnsupported, "only a scalar can be assigned through a mask; write %s = where(mask, value, %s)", st.name(), st.name())
	}
	v, err := b.row(st.target, "where", mask.n, n, array)
	if err != nil {
		return true, err
	}
	return true, b.emit(st, expr.Statement{Saver: expr.Set, Target: array, Value: v.n})
}
