package formula

import (
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

// A Unit is a formula as trees.
type Unit struct {
	// Statements are the assignments to arrays, in program order.
	Statements []expr.Statement
	// Values is what every assigned name stands for after the statements have
	// run: an array that they wrote to, or a tree that reads arrays.
	Values map[string]*expr.Node
}

// Build makes the trees of a formula with arrays, parameters and constants for
// its names. Parameters and constants are weak as Python scalars are.
//
// An assignment to a name that env binds to an array writes into that array.
// Any other name is a temporary: its tree stands wherever the name is used,
// unless a later statement writes to an array that the tree reads; then a new
// array keeps the value.
func (s *Source) Build(env map[string]*expr.Node) (*Unit, error) {
	return s.BuildFor(env, s.assigned)
}

// BuildFor is Build for a caller that needs the Values of some names only.
func (s *Source) BuildFor(env map[string]*expr.Node, want []string) (*Unit, error) {
	return s.build(env, want, nil)
}

// build is BuildFor; known are the names that an error lists, or nil for those
// of env.
func (s *Source) build(env map[string]*expr.Node, want, known []string) (*Unit, error) {
	b := &builder{src: s, vars: map[string]*variable{}, known: known, reads: readSet{sets: map[*expr.Node]uint64{}}}
	b.limit = limitFor(env)
	for name, n := range env {
		if n.Err() != nil {
			return nil, n.Err()
		}
		b.vars[name] = &variable{value: leafValue(n), bound: n.Op.Class == expr.Storage}
	}
	b.lastReads(want)
	for i, st := range s.statements {
		b.at = i
		if err := b.run(st); err != nil {
			return nil, err
		}
	}
	u := &Unit{Statements: b.out, Values: map[string]*expr.Node{}}
	for _, name := range want {
		v := b.vars[name]
		if v == nil {
			continue
		}
		n, err := asTree(v.value)
		if err == nil {
			err = n.Err()
		}
		if err != nil {
			return nil, fromTree(s.text, s.definition(name).pos, err)
		}
		u.Values[name] = n
	}
	return u, nil
}

// definition is the last statement that assigns to name.
func (s *Source) definition(name string) *statement {
	for i := len(s.statements) - 1; i > 0; i-- {
		if s.statements[i].name() == name {
			return s.statements[i]
		}
	}
	return s.statements[0]
}

// A variable is a name with its present value.
type variable struct {
	value value
	bound bool // an array of the environment: assignments write into it
	owned bool // an array made here, which subscripted assignments may write to
}

type builder struct {
	src  *Source
	vars map[string]*variable
	out  []expr.Statement
	last map[string]int // the last statement that needs a name; their number if the caller does
	at   int            // the present statement

	limit limit

	reads   readSet
	pending uint64 // the arrays that temporaries may read which are needed later

	known    []string
	checking bool // names have no values
}

// lastReads finds for every name the last statement that needs its value.
func (b *builder) lastReads(want []string) {
	b.last = map[string]int{}
	for i, st := range b.src.statements {
		reads(st, func(a *ast) { b.last[a.text] = i })
	}
	for _, name := range want {
		b.last[name] = len(b.src.statements)
	}
}

func (b *builder) fail(a *ast, kind error, format string, args ...any) error {
	return kindError(b.src.text, a.pos, kind, format, args...)
}

// check places the error of a tree or of a conversion.
func (b *builder) check(a *ast, n *expr.Node, err error) (value, error) {
	if err == nil {
		err = n.Err()
	}
	if err != nil {
		return value{}, fromTree(b.src.text, a.pos, err)
	}
	return tree(n), nil
}

// run carries out one statement.
func (b *builder) run(st *statement) error {
	name := st.name()
	v := b.vars[name]
	if st.target.kind == aIndex {
		return b.assignPart(st, v)
	}
	if st.op != "=" {
		if v == nil {
			return b.unbound(st.target)
		}
		return b.augment(st, v)
	}
	e, err := b.eval(st.value)
	if err != nil {
		return err
	}
	if v != nil && v.bound {
		return b.store(st, v.value.n, e, true)
	}
	return b.define(name, st, e)
}

// define gives a temporary a value.
func (b *builder) define(name string, st *statement, e value) error {
	if !e.isOperand() {
		return b.fail(st.value, expr.ErrType, "%s cannot be assigned", e.describe())
	}
	b.vars[name] = &variable{value: e}
	b.pending |= b.reads.value(e)
	return nil
}

// store writes a value into an array or a view of one. A whole array needs a
// type that NumPy's rule same_kind admits; a part converts, as in NumPy.
func (b *builder) store(st *statement, target *expr.Node, e value, whole bool) error {
	n, err := b.stored(st, target, e, whole)
	if err != nil {
		return err
	}
	return b.emit(st, expr.Statement{Saver: expr.Set, Target: target, Value: n})
}

func (b *builder) stored(st *statement, target *expr.Node, e value, whole bool) (*expr.Node, error) {
	t := target.DType()
	if !e.isOperand() {
		return nil, b.fail(st.value, expr.ErrType, "%s cannot be assigned", e.describe())
	}
	from := e.naturalType()
	if e.weakKind() != kNone {
		from = promoteValues(e, tree(expr.ConstInt(t, 0))) // 0 in the type of the target
	}
	if whole && !sameKind(from, t) {
		return nil, b.fail(st.value, expr.ErrType, "a value of type %v cannot be stored in %s, which is %v; convert it with astype", from, st.name(), t)
	}
	n, err := e.as(t)
	if err == nil && !whole {
		n = dropLeading(n, target)
	}
	if err == nil {
		err = n.Err()
	}
	if err != nil {
		return nil, fromTree(b.src.text, st.value.pos, err)
	}
	return n, nil
}

// emit appends a statement, after saving what it would overwrite.
func (b *builder) emit(st *statement, s expr.Statement) error {
	if err := s.Err(); err != nil {
		return fromTree(b.src.text, st.pos, err)
	}
	if err := b.preserve(st, s.Target); err != nil {
		return err
	}
	b.out = append(b.out, s)
	return nil
}

// preserve gives arrays to the temporaries that are read later and whose trees
// read what a statement is about to overwrite.
func (b *builder) preserve(st *statement, target *expr.Node) error {
	over := b.reads.overlapping(target)
	if over&b.pending == 0 {
		return nil
	}
	b.pending = 0
	var names []string
	for name, v := range b.vars {
		if v.bound || b.last[name] <= b.at {
			continue
		}
		mask := b.reads.value(v.value)
		if mask&over != 0 && name != st.name() {
			names = append(names, name)
		} else {
			b.pending |= mask
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if err := b.materialize(name, st); err != nil {
			return err
		}
	}
	return nil
}

// A readSet tells which arrays trees read, as a set of 64 bits: arrays beyond the
// 64th share bits. A set that is too large costs a copy, never a wrong result.
type readSet struct {
	arrays []*expr.Node
	sets   map[*expr.Node]uint64
}

// value is the set of a value. Each node is looked at once in all.
func (r *readSet) value(v value) (set uint64) {
	for _, x := range v.seq {
		set |= r.value(x)
	}
	if v.kind != vTree {
		return set
	}
	for stack := []*expr.Node{v.n}; len(stack) > 0; {
		n := stack[len(stack)-1]
		depth, set := len(stack), uint64(0)
		for _, a := range n.Args {
			if s, ok := r.sets[a]; ok {
				set |= s
			} else if a != nil {
				stack = append(stack, a)
			}
		}
		if len(stack) > depth {
			continue
		}
		if _, ok := r.sets[n]; n.Op.Class == expr.Storage && !ok {
			set = 1 << (len(r.arrays) % 64)
			r.arrays = append(r.arrays, n)
		}
		if _, ok := r.sets[n]; !ok {
			r.sets[n] = set
		}
		stack = stack[:depth-1]
	}
	return set | r.sets[v.n]
}

// overlapping is the set of the arrays that may share elements with target.
func (r *readSet) overlapping(target *expr.Node) (set uint64) {
	for i, a := range r.arrays {
		if overlap(a, target) {
			set |= 1 << (i % 64)
		}
	}
	return set
}

// overlap reports whether two arrays may share elements.
func overlap(a, b *expr.Node) bool {
	shift, same := distance(a.Leaf.Mem, b.Leaf.Mem)
	if !same {
		return false
	}
	alo, ahi := extent(a)
	blo, bhi := extent(b)
	return alo < bhi+shift && blo+shift < ahi
}

// distance is the position in bytes of b relative to a, for memories that may
// overlap: the same one, or two that tell their addresses.
func distance(a, b expr.Memory) (int, bool) {
	if a == b {
		return 0, true
	}
	x, ok := a.(plan.Locator)
	y, ok2 := b.(plan.Locator)
	if !ok || !ok2 || a.Size() == 0 || b.Size() == 0 || x.Locate() == 0 || y.Locate() == 0 {
		return 0, false
	}
	return int(y.Locate() - x.Locate()), true
}

// extent is the range of bytes that an array lies in.
func extent(n *expr.Node) (lo, hi int) {
	lo, hi = shape.Range(n.Shape(), n.Leaf.Strides, n.Leaf.Offset)
	size := n.DType().Size()
	return lo * size, (hi + 1) * size
}

// materialize stores the value of a temporary in a new array.
func (b *builder) materialize(name string, st *statement) error {
	v := b.vars[name]
	n, err := asTree(v.value)
	if err == nil {
		err = n.Err()
	}
	var array *engine.Array
	if err == nil {
		array, err = b.limit.newArray(n)
	}
	if err != nil {
		return fromTree(b.src.text, st.pos, err)
	}
	leaf := array.Named(name).Node()
	b.out = append(b.out, expr.Statement{Saver: expr.Set, Target: leaf, Value: n})
	b.vars[name] = &variable{value: tree(leaf), owned: true}
	b.pending |= b.reads.value(tree(leaf))
	return nil
}

// A limit bounds the bytes of each array that a formula creates. A text such as
// zeros(10**12) is an error, not a crash.
type limit int

// limitFor is 1 GiB, and more where the variables are large themselves.
func limitFor(env map[string]*expr.Node) limit {
	const least, times = 1 << 30, 16
	most := 0
	for _, n := range env {
		most = max(most, n.Shape().Size()*n.DType().Size())
	}
	if most > math.MaxInt/times {
		return math.MaxInt
	}
	return limit(max(least, times*most))
}

// newArray allocates an array for the value of a tree.
func (l limit) newArray(n *expr.Node) (*engine.Array, error) {
	if size := n.DType().Size(); n.Shape().Size() > int(l)/size {
		return nil, expr.NewError(expr.ErrOutOfMemory, "", "an array of type %v and shape %v is larger than %d bytes, 16 times the largest variable or 1 GiB", n.DType(), n.Shape(), int(l))
	}
	return engine.NewArray(n.DType(), n.Shape()...)
}

// unbound is the error of a name that means nothing.
func (b *builder) unbound(a *ast) error {
	known := slices.Clone(b.known)
	for name := range b.vars {
		if !slices.Contains(known, name) {
			known = append(known, name)
		}
	}
	slices.Sort(known)
	list := "no name is bound"
	if len(known) > 0 {
		const most = 20
		if len(known) > most {
			known = append(known[:most], "...")
		}
		list = "known names: " + strings.Join(known, ", ")
	}
	return b.fail(a, expr.ErrValue, "name %s is not bound; %s", quote(a.text), list)
}
