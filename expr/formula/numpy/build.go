package numpy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
)

// A Unit is a formula as trees.
type Unit struct {
	// Statements are the assignments to arrays, in program order.
	Statements []expr.Statement
	// Values is what every assigned name stands for after the statements have
	// run: an array that they wrote to, or a tree that reads arrays. A tuple h of arrays of
	// several shapes has no value, but its parts have, h[0] and so on; see Names.
	Values map[string]*tree.Node

	parts []part
}

// A part is a tree of a formula, and the node of the text that it was made of.
type part struct {
	n  *tree.Node
	at *syntax.Node
}

// Locate returns an error of a run with the place of the part of the formula that failed, and
// the line of the program that built the trees: a [*syntax.Error] without a text. Other errors
// remain as they are. It visits each node once.
func (u *Unit) Locate(err error) error {
	var e *tree.Error
	if !errors.As(err, &e) {
		return err
	}
	failed := func(n *tree.Node) error {
		if e.Of(n) {
			return e
		}
		return nil
	}
	seen := tree.Seen{}
	for _, p := range u.parts {
		if seen.Verify(p.n, failed) == error(e) {
			msg := e.Msg
			if e.File != "" {
				msg += fmt.Sprintf(" (%s:%d)", e.File, e.Line)
			}
			return syntax.Errorf(p.at.Pos, e.Kind, "%s", msg)
		}
	}
	return err
}

// Options are what Build depends on besides the formula.
type Options struct {
	Env   map[string]*tree.Node // arrays, parameters and constants by name
	Want  []string              // the names whose values the caller needs
	Known []string              // the names that an error lists; nil: the names in Env
	// Array returns a new array, as a leaf, for the value of a tree that has to
	// be stored.
	Array func(name string, value *tree.Node) (*tree.Node, error)
}

// Build returns the trees of a formula. An error is a [*syntax.Error] without a
// text, or an error of a tree in Env.
//
// An assignment to a name that Env binds to an array writes into that array.
// Any other name is a temporary: its tree stands wherever the name is used,
// unless a later statement writes to an array that the tree reads; then a new
// array keeps the value.
func Build(formula []*syntax.Statement, o Options) (_ *Unit, err error) {
	defer failure.Catch(&err)
	complete(formula)
	b := &builder{
		Options: o, formula: formula, last: map[string]int{},
		scope: scope{vars: map[string]*variable{}, known: o.Known},
		reads: readSet{sets: map[*tree.Node]uint64{}},
	}
	for name, n := range o.Env {
		if n.Err() != nil {
			return nil, n.Err()
		}
		if syntax.Made(name) {
			continue // such a name is of a call
		}
		b.vars[name] = &variable{value: leaf(n), bound: n.Op.Class() == tree.Storage}
	}
	for i, st := range formula {
		st.Reads(func(name string) { b.last[name] = i })
	}
	for _, name := range o.Want {
		b.last[name] = len(formula)
	}
	for i, st := range formula {
		b.now = i
		b.run(st)
	}
	u := &Unit{Statements: b.out, Values: map[string]*tree.Node{}, parts: b.parts}
	for _, name := range o.Want {
		if v := b.vars[name]; v != nil {
			if err := u.give(name, v.value); err != nil {
				return nil, placed(b.definition(name), err)
			}
		}
	}
	return u, nil
}

// give sets the value of a name, or for a tuple of several shapes the values of its parts.
func (u *Unit) give(name string, v value) error {
	n := v.node()
	if v.kind == vSeq && !v.list && errors.Is(n.Err(), tree.ErrShape) {
		for i, x := range v.seq {
			if err := u.give(fmt.Sprintf("%s[%d]", name, i), x); err != nil {
				return err
			}
		}
		return nil
	}
	u.Values[name] = n
	return n.Err()
}

// Names returns the names of all values of some names. A tuple without a value stands for its
// parts.
func (u *Unit) Names(of []string) (out []string) {
	if u == nil {
		return nil
	}
	for _, name := range of {
		if u.Values[name] != nil {
			out = append(out, name)
			continue
		}
		part := func(i int) string { return fmt.Sprintf("%s[%d]", name, i) }
		for i := 0; ; i++ {
			parts := []string{part(i)}
			if u.Values[parts[0]] == nil && u.Values[parts[0]+"[0]"] == nil {
				break
			}
			out = append(out, u.Names(parts)...)
		}
	}
	return out
}

// complete stops at a statement without a target or a value.
func complete(formula []*syntax.Statement) {
	for _, s := range formula {
		if s == nil || s.Target == nil || s.Value == nil {
			failure.Check(syntax.Errorf(0, tree.ErrType, "a statement has no target or no value"))
		}
	}
}

// Check reports what is wrong with a formula whatever its variables are: unknown
// functions and attributes, wrong arguments, and errors in parts that have no
// names, such as 1/0.
func Check(formula []*syntax.Statement) (err error) {
	defer failure.Catch(&err)
	complete(formula)
	s := &scope{checking: true}
	for _, st := range formula {
		v := s.eval(st.Value)
		stopIf(v.kind == vNone || v.kind == vString, st.Value, expr.ErrType, "%s cannot be assigned", v.describe())
		unpacks(st, v)
		if st.Target.Kind == syntax.Index {
			s.eval(st.Target)
		}
		if st.Op != "=" {
			item{v, st.Value}.operand()
		}
	}
	return nil
}

type builder struct {
	Options
	scope
	formula []*syntax.Statement
	out     []expr.Statement
	last    map[string]int // the last statement that needs a name; their number if the caller does
	now     int            // the present statement

	reads   readSet
	pending uint64 // the arrays that temporaries may read which are needed later
}

// definition returns the place of the last statement that assigns to name.
func (b *builder) definition(name string) *syntax.Node {
	for _, st := range slices.Backward(b.formula) {
		if st.Name() == name {
			return operatorOf(st)
		}
	}
	return operatorOf(b.formula[0])
}

// operatorOf returns the operator of a statement as a node: where errors of the
// statement point.
func operatorOf(st *syntax.Statement) *syntax.Node {
	return &syntax.Node{Kind: syntax.Binary, Pos: st.Pos, Text: strings.TrimSuffix(st.Op, "=")}
}

// run carries out one statement.
func (b *builder) run(st *syntax.Statement) {
	v := b.vars[st.Name()]
	if v == nil && (st.Op != "=" || st.Target.Kind == syntax.Index) {
		at := st.Target
		if at.Kind == syntax.Index {
			at = at.Args[0]
		}
		panic(b.unbound(at))
	}
	e := b.eval(st.Value)
	stopIf(!e.isOperand(), st.Value, expr.ErrType, "%s cannot be assigned", e.describe())
	unpacks(st, e)
	switch {
	case st.Target.Kind == syntax.Index:
		b.assignPart(st, v, e)
	case st.Op != "=":
		b.augment(st, v, e)
	case v != nil && v.bound:
		b.store(st, v.value.n, e, true)
	default:
		b.define(st, e)
	}
}

// unpacks stops if a value does not have the parts that the targets of a statement take.
func unpacks(st *syntax.Statement, e value) {
	n := len(e.seq)
	switch {
	case st.Parts == 0 || e.kind == vUnknown:
		return
	case e.kind == vTree && len(e.n.Shape()) > 0:
		n = e.n.Shape()[0]
	case e.kind != vSeq:
		panic(fail(st.Value, expr.ErrType, "%s has no parts for several names", e.describe()))
	}
	stopIf(n != st.Parts, st.Value, expr.ErrShape, "a value of %s cannot be assigned to %d targets", plural(n, "part"), st.Parts)
}

// define gives a temporary a value.
func (b *builder) define(st *syntax.Statement, e value) {
	b.vars[st.Name()] = &variable{value: e}
	b.pending |= b.reads.value(e)
	if e.kind == vTree {
		b.parts = append(b.parts, part{e.n, operatorOf(st)})
	}
}

// augment carries out name op= value.
func (b *builder) augment(st *syntax.Statement, v *variable, e value) {
	r := b.combined(st, v.value, e)
	if v.bound {
		b.combine(st, v.value.n, r, true)
		return
	}
	if t := v.value; t.kind == vTree && t.weak == syntax.NoNumber && len(t.n.Shape()) > 0 { // an array keeps its type
		n := stored(st, t.n, r, true)
		sameShape(st, t.n, n)
		r = valueOf(n)
	}
	b.define(st, r)
}

// combined returns x op value for a statement op=.
func (b *builder) combined(st *syntax.Statement, x, e value) value {
	at := operatorOf(st)
	return operate(at, at, []item{{x, at}, {e, at}})
}

// assignPart carries out name[subscripts] op value.
func (b *builder) assignPart(st *syntax.Statement, v *variable, e value) {
	name := st.Name()
	if !v.bound && !v.owned {
		stopIf(v.value.kind != vTree || v.value.weak != syntax.NoNumber, st.Target, expr.ErrType, "%s is %s, which has no parts to assign to", name, v.value.describe())
		b.materialize(name, st)
		v = b.vars[name]
	}
	items := b.subscripts(st.Target.Args[1:])
	if at := maskAmong(items); at >= 0 {
		b.assignMask(st, v.value, items, at, e)
		return
	}
	chosen := slices.ContainsFunc(items, func(x item) bool { return x.kind == vTree || x.kind == vSeq })
	switch part := index(st.Target, v.value, items, !chosen); {
	case chosen:
		b.assignChosen(st, v.value.n, items, part, e)
	case st.Op == "=":
		b.store(st, part.n, e, false)
	default:
		r := b.combined(st, part, e)
		// integers choose a number, which is assigned as a part is, and no array
		number := len(items) == len(v.value.n.Shape()) && !slices.ContainsFunc(items, func(x item) bool { return x.kind != vScalar })
		b.combine(st, part.n, r, !number)
	}
}

// assignChosen carries out x[subscripts] op value for subscripts with arrays of indices. The last of several
// values for one element stays, as in NumPy.
func (b *builder) assignChosen(st *syntax.Statement, array *tree.Node, items []item, old, e value) {
	at := places(st.Target, array, items)
	n := b.updated(st, old, e)
	b.parts = append(b.parts, part{at, st.Target})
	b.replace(st, array, scattered("scatter", array, at, n))
}

// updated returns what a statement assigns to old, a part of an array, in the type of the part: e, or old op e.
func (b *builder) updated(st *syntax.Statement, old, e value) *tree.Node {
	if st.Op != "=" {
		e = b.combined(st, old, e)
		sameShape(st, old.n, e.n)
	}
	return stored(st, old.n, e, st.Op != "=")
}

// replace assigns r, which has parts of an array replaced, to the array.
func (b *builder) replace(st *syntax.Statement, array, r *tree.Node) {
	b.emit(st, expr.Statement{Saver: expr.Set, Target: array, Value: sound(st.Target, r)})
}

var savers = map[string]expr.Saver{"+": expr.Plus, "-": expr.Minus, "*": expr.Times, "/": expr.Over}

// combine stores target op value, as a saver where the operation is one of the
// target's own type.
func (b *builder) combine(st *syntax.Statement, target *tree.Node, r value, whole bool) {
	n := r.n
	sameShape(st, target, n)
	if n.Op.Result() == tree.ResultTo && n.DType().IsHalf() && n.DType() == target.DType() && len(n.Args) == 1 && n.Args[0].DType() == n.DType() {
		n = n.Args[0] // the assignment rounds too
	}
	sign := operatorOf(st).Text
	if s, ok := savers[sign]; ok && n.Op.Symbol() == sign && len(n.Args) == 2 && n.Args[0] == target && n.DType() == target.DType() {
		b.emit(st, expr.Statement{Saver: s, Target: target, Value: n.Args[1]})
		return
	}
	b.store(st, target, r, whole)
}

// sameShape checks the result of an in-place operator, which NumPy does not
// broadcast.
func sameShape(st *syntax.Statement, target, result *tree.Node) {
	stopIf(!result.Shape().Equal(target.Shape()), operatorOf(st), expr.ErrShape, "a result of shape %v does not fit a target of shape %v", result.Shape(), target.Shape())
}

// store writes a value into an array or a view of one. A whole array needs a
// type that NumPy's rule same_kind admits; a part converts, as in NumPy.
func (b *builder) store(st *syntax.Statement, target *tree.Node, e value, whole bool) {
	b.emit(st, expr.Statement{Saver: expr.Set, Target: target, Value: stored(st, target, e, whole)})
}

// stored returns a value in the type of the target.
func stored(st *syntax.Statement, target *tree.Node, e value, whole bool) *tree.Node {
	t, from := target.DType(), e.dtype()
	if e.weakClass() != syntax.NoNumber {
		from = promoted(e, zero(t))
	}
	stopIf(whole && !sameKind(from, t), st.Value, expr.ErrType, "a value of type %v cannot be stored in %s, which is %v; convert it with astype", from, st.Name(), t)
	n := e.as(t)
	if !whole {
		n = dropLeading(n, target)
	}
	return sound(st.Value, n)
}

// dropLeading leaves out leading axes of size 1 that a value has above the rank
// of its target, as NumPy's assignment does.
func dropLeading(n, target *tree.Node) *tree.Node {
	s, lead := n.Shape(), len(n.Shape())-len(target.Shape())
	if lead <= 0 || s[:lead].Size() != 1 {
		return n
	}
	return untyped.Compose("squeeze", untyped.Options{Axes: lists.UpTo(lead)}, n)
}

// emit appends a statement, after saving what it would overwrite.
func (b *builder) emit(st *syntax.Statement, s expr.Statement) {
	check(operatorOf(st), s.Err())
	b.preserve(st, s.Target)
	b.out = append(b.out, s)
	b.parts = append(b.parts, part{s.Value, operatorOf(st)})
}

// preserve gives arrays to the temporaries that are read later and whose trees
// read what a statement is about to overwrite.
func (b *builder) preserve(st *syntax.Statement, target *tree.Node) {
	over := b.reads.overlapping(target)
	if over&b.pending == 0 {
		return
	}
	b.pending = 0
	var names []string
	for name, v := range b.vars {
		if v.bound || b.last[name] <= b.now {
			if syntax.Made(name) && b.last[name] < b.now { // no statement reads it again
				delete(b.vars, name)
			}
			continue
		}
		if mask := b.reads.value(v.value); mask&over != 0 && name != st.Name() {
			names = append(names, name)
		} else {
			b.pending |= mask
		}
	}
	slices.Sort(names)
	for _, name := range names {
		b.materialize(name, st)
	}
}

// materialize stores the value of a temporary in a new array, or the parts of a tuple in several.
func (b *builder) materialize(name string, st *syntax.Statement) {
	v := b.kept(name, st, b.vars[name].value)
	b.vars[name] = &variable{value: v, owned: v.kind == vTree}
	b.pending |= b.reads.value(v)
}

func (b *builder) kept(name string, st *syntax.Statement, v value) value {
	if v.kind == vSeq && !v.list {
		return sequence(lists.Make(len(v.seq), func(i int) value { return b.kept(fmt.Sprintf("%s[%d]", name, i), st, v.seq[i]) }))
	}
	n := sound(operatorOf(st), v.node())
	if b.Array == nil {
		check(operatorOf(st), errors.New("there is no memory for "+name))
	}
	array, err := b.Array(name, n)
	check(operatorOf(st), err)
	b.out = append(b.out, expr.Statement{Saver: expr.Set, Target: array, Value: n})
	return valueOf(array)
}
