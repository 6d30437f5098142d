package formula

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Formula is a text that can be run with different variables. It is compiled
// once for every combination of types, shapes and strides of its variables, and
// of which of them share memory; later runs with such a combination allocate
// nothing. Goroutines may share a Formula; runs with one combination follow each
// other. A Formula keeps the memory of the last run of each combination reachable.
type Formula struct {
	src   *Source
	float dtype.Type // of scalars that are Go floats
	opts  engine.Options

	scratch sync.Pool // of *binding
	structs sync.Map  // reflect.Type to []int, see fieldsOf

	mu      sync.Mutex
	entries []*entry // the last used first
}

// maxEntries bounds how many compiled programs a Formula keeps.
const maxEntries = 64

// An Option changes how a Formula is compiled.
type Option func(*Formula)

// With sets the options of the engine.
func With(o engine.Options) Option { return func(f *Formula) { f.opts = o } }

// Compile parses a formula and checks what can be known without its variables:
// the functions that it calls and their arguments. T is the element type in which scalars that are
// bound to Go floats are held; like Python floats they take the type of the
// arrays that they meet.
func Compile[T expr.Float](text string, opts ...Option) (*Formula, error) {
	src, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if err := src.check(); err != nil {
		return nil, err
	}
	f := &Formula{src: src, float: dtype.Of[T]()}
	for _, o := range opts {
		if o != nil {
			o(f)
		}
	}
	f.scratch.New = func() any { return &binding{vars: make([]bound, len(src.all)), groups: make([]group, 0, len(src.all))} }
	return f, nil
}

// MustCompile is Compile for a formula that is known to be right: it panics on
// an error.
func MustCompile[T expr.Float](text string, opts ...Option) *Formula {
	f, err := Compile[T](text, opts...)
	if err != nil {
		panic(err)
	}
	return f
}

// Source is the parsed text.
func (f *Formula) Source() *Source { return zero.IfNil(f).src }

// String returns the formula as it was given.
func (f *Formula) String() string {
	if f == nil {
		return "<nil>"
	}
	return f.src.Text()
}

// MarshalText returns the formula as it was given. [Compile] makes a formula of it; a formula that exists cannot be changed.
func (f *Formula) MarshalText() ([]byte, error) { return f.Source().MarshalText() }

// Run carries out the formula. vars is a map[string]any, or a struct or a
// pointer to one, whose exported fields are found by their tag `oneloop:"name"`,
// by their name, or by their name in another case. The values are tensors and
// arrays of package engine, parameters, slices of an element type (vectors that
// share their memory), and Go scalars. Results go to the assigned names that
// are bound to arrays. Run fails if there are none.
func (f *Formula) Run(ctx context.Context, vars any) error {
	return f.run(ctx, vars, nil)
}

// run carries out the formula. If give is not nil, the formula makes the arrays that are assigned and not bound, and run
// calls give before the run for each of them.
func (f *Formula) run(ctx context.Context, vars any, give func(*engine.Array) error) error {
	if f == nil || f.src == nil {
		return tree.NewError(tree.ErrType, "", "the formula is nil or not made by Compile")
	}
	b := f.scratch.Get().(*binding)
	defer f.release(b)
	if err := f.bind(b, vars); err != nil {
		return err
	}
	e := f.find(b, give != nil)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := f.prepare(ctx, e, b, vars); err != nil {
		return err
	}
	for _, o := range e.outs {
		if err := give(o); err != nil {
			return err
		}
	}
	return f.src.Locate(e.unit, e.program.Run(ctx))
}

// Eval carries out the formula and returns new arrays with the values of the
// assigned names that are not bound. The value of a last bare expression is
// called "_". Bound names are written to as by [Formula.Run].
func (f *Formula) Eval(ctx context.Context, vars any) (map[string]*engine.Array, error) {
	out := map[string]*engine.Array{}
	err := f.run(ctx, vars, func(o *engine.Array) error {
		fresh, err := engine.NewArray(o.DType(), o.Shape()...)
		if err != nil {
			return err
		}
		out[o.Name()] = fresh
		return o.Memory().Rebind(fresh.Memory().Bytes())
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (f *Formula) release(b *binding) {
	clear(b.vars) // the memory of the caller
	clear(b.groups[:cap(b.groups)])
	b.groups = b.groups[:0]
	f.scratch.Put(b)
}

// An entry is the program for one signature.
type entry struct {
	sig  []signature
	eval bool // made for Eval

	mu      sync.Mutex // held while it is compiled and while it runs
	program *engine.Program
	unit    *Unit
	mems    []*engine.Memory  // of the groups of the binding
	cells   [][2]*tree.Scalar // of the names that are Go scalars
	outs    []*engine.Array
}

// find returns the entry for a binding. It adds an empty entry if needed.
func (f *Formula) find(b *binding, eval bool) *entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i, e := range f.entries {
		if e.eval == eval && b.matches(e.sig) {
			copy(f.entries[1:i+1], f.entries[:i])
			f.entries[0] = e
			return e
		}
	}
	e := &entry{sig: b.signature(), eval: eval}
	if len(f.entries) == maxEntries {
		f.entries = f.entries[:maxEntries-1]
	}
	f.entries = slices.Insert(f.entries, 0, e)
	return e
}

func (f *Formula) drop(e *entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i := slices.Index(f.entries, e); i >= 0 {
		f.entries = slices.Delete(f.entries, i, i+1)
	}
}

// prepare compiles an entry at its first use, and gives it the memory
// and the scalars of a binding. The entry is locked.
func (f *Formula) prepare(ctx context.Context, e *entry, b *binding, vars any) error {
	if e.program == nil {
		if err := f.compile(ctx, e, b, vars); err != nil {
			f.drop(e)
			return err
		}
		return nil
	}
	for i, m := range e.mems {
		if err := m.Rebind(b.groups[i].bytes()); err != nil {
			return err
		}
	}
	for i := range e.cells {
		for k, c := range e.cells[i] {
			if c != nil {
				c.Store(b.vars[i].bits[k])
			}
		}
	}
	return nil
}

func (f *Formula) compile(ctx context.Context, e *entry, b *binding, vars any) error {
	env, err := f.environment(e, b)
	if err != nil {
		return err
	}
	var want []string
	if e.eval {
		for _, name := range f.src.assigned {
			if n := env[name]; n == nil || n.Op.Class() != tree.Storage {
				want = append(want, name)
			}
		}
	}
	u, err := f.src.build(env, want, namesOf(vars))
	if err != nil {
		return err
	}
	e.unit = u
	for _, name := range u.Names(want) {
		n := u.Values[name]
		a, err := limitFor(env).newArray(n)
		if err != nil {
			return err
		}
		a = a.Named(name)
		e.outs = append(e.outs, a)
		u.Statements = append(u.Statements, expr.Statement{Saver: expr.Set, Target: a.Node(), Value: n})
	}
	if len(u.Statements) == 0 {
		return tree.NewError(tree.ErrValue, "", "formula: none of the assigned names (%s) is bound to an array", strings.Join(f.src.assigned, ", "))
	}
	e.program, err = engine.CompileWith(ctx, f.opts, u.Statements...)
	return err
}

// environment makes the leaves and parameters of an entry.
func (f *Formula) environment(e *entry, b *binding) (map[string]*tree.Node, error) {
	e.cells, e.outs = make([][2]*tree.Scalar, len(b.vars)), nil
	e.mems = lists.Map(b.groups, func(g group) *engine.Memory { return engine.MemoryOf(g.bytes()) })
	env := map[string]*tree.Node{}
	for i := range b.vars {
		name, v := f.src.all[i], &b.vars[i]
		switch v.kind {
		case boundArray:
			s := e.sig[i]
			size := s.t.Size()
			if s.offset%size != 0 {
				return nil, tree.NewError(tree.ErrValue, "", "formula: %s shares memory with another variable at an offset that is no multiple of its element size", name)
			}
			a, err := engine.ArrayOf(e.mems[s.group], s.t, s.shape, s.strides, s.offset/size)
			if err != nil {
				return nil, err
			}
			env[name] = a.Named(name).Node()
		case boundScalar:
			e.cells[i][0] = &tree.Scalar{Name: name}
			if v.t.IsComplex() {
				e.cells[i] = [2]*tree.Scalar{{Name: name + ".real"}, {Name: name + ".imag"}}
				e.cells[i][1].Store(v.bits[1])
			}
			e.cells[i][0].Store(v.bits[0])
			env[name] = paramNode(v.t, e.cells[i])
		case boundParam:
			env[name] = paramNode(v.t, v.cells)
		}
	}
	return env, nil
}
