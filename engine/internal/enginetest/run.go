package enginetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// An area is a part of the suite.
type area struct {
	name string
	test func(*testing.T, Options)
}

// areas are the parts of the suite, in the order in which Run runs them.
var areas = []area{
	{"operators", Operators},
	{"divisors", Divisors},
	{"reductions", Reductions},
	{"views", Views},
	{"scans", Scans},
	{"calls", Calls},
	{"lengths", Lengths},
	{"fusion", Fusion},
	{"aliasing", Aliasing},
	{"order", Order},
	{"threads", Threads},
	{"faults", Faults},
	{"errors", Errors},
	{"allocations", Allocations},
	{"guards", Guards},
	{"extensions", Extensions},
	{"size", Size},
	{"borders", Borders},
	{"random", Random},
}

// Run tests all areas with the options of a back end.
func Run(t *testing.T, o Options) {
	for _, a := range areas {
		t.Run(a.name, func(t *testing.T) { a.test(t, o) })
	}
}

// Areas returns the names of all areas, in the order in which Run tests them.
func Areas() []string { return lists.Map(areas, func(a area) string { return a.name }) }

// Area returns the test of an area by its name. It panics if there is none.
func Area(name string) func(*testing.T, Options) {
	i := slices.IndexFunc(areas, func(a area) bool { return a.name == name })
	if i < 0 {
		panic("enginetest: no area " + name)
	}
	return areas[i].test
}

// A tb has the methods that tests and the checks of rapid share.
type tb interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A suite runs programs on each of the back ends. It computes what they should give once for
// all of them.
type suite struct {
	tb
	o Options
}

// A backend runs programs with the options of one back end.
type backend struct {
	tb
	o Options
}

// backends returns the back ends of a suite.
func (s suite) backends() (list []backend) {
	for _, name := range s.o.Backends {
		o := s.o
		o.Backend, o.Backends = name, nil
		list = append(list, backend{named{s.tb, name}, o})
	}
	if list == nil {
		list = []backend{{s.tb, s.o}}
	}
	return list
}

// each calls f for each back end.
func (s suite) each(f func(backend)) {
	for _, b := range s.backends() {
		f(b)
	}
}

// A named reports errors with the name of a back end.
type named struct {
	tb
	name string
}

func (n named) Errorf(format string, args ...any) {
	n.Helper()
	n.tb.Errorf("%s: %s", n.name, fmt.Sprintf(format, args...))
}

func (n named) Fatalf(format string, args ...any) {
	n.Helper()
	n.tb.Fatalf("%s: %s", n.name, fmt.Sprintf(format, args...))
}

var ctx = context.Background()

// run compiles and runs statements. It returns an error if a stage is left to the
// interpreter, and for a panic.
func (b backend) run(stmts ...expr.Statement) error {
	return caught(func() error {
		p, err := compile(ctx, b.o, stmts...)
		if err != nil {
			return err
		}
		if why := p.Interpreted(); len(why) > 0 {
			return fmt.Errorf("left to the interpreter: %v", why)
		}
		return p.Run(ctx)
	})
}

// caught returns the error of f, or one for a panic. An access of Go code to an inaccessible
// page is a panic too.
func caught(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f()
}

// compile compiles statements, and ends the test if it cannot.
func (b backend) compile(stmts ...expr.Statement) runner {
	b.Helper()
	p, err := compile(ctx, b.o, stmts...)
	if err != nil {
		b.Fatalf("%v", err)
	}
	return p
}

// check runs statements with the reference and with each back end, and compares all
// memory that they can reach. It reports whether all agree. The memory then has what the
// reference stores.
func (s suite) check(stmts ...expr.Statement) bool {
	s.Helper()
	for _, st := range stmts {
		if err := st.Err(); err != nil {
			s.Errorf("the statement is wrong: %v", err)
			return false
		}
	}
	r := newTrial(stmts)
	defer r.mems.restore(r.want)
	pick := func(n int) int { return int(crc32.ChecksumIEEE(slices.Concat(r.want...)) % uint32(n)) } // the same in each run
	for _, b := range testlevel.One(s.backends(), pick) {
		r.mems.restore(r.before)
		if !b.recall(stmts) || !b.try(r) {
			return false
		}
	}
	return true
}

// A trial is a run of statements: what they reach, its content before the run and after
// the reference, and what execute returns.
type trial struct {
	stmts        []expr.Statement
	mems         memoryList
	before, want [][]byte
	faults, may  fault
	done         int
}

// newTrial runs statements with the reference.
func newTrial(stmts []expr.Statement) trial {
	r := trial{stmts: stmts, mems: memories(stmts)}
	r.before = r.mems.save()
	r.faults, r.may, r.done = execute(stmts)
	r.want = r.mems.save()
	return r
}

// again runs a program of the statements on what their memory had before. It returns an error
// if the program fails, or stores something else than the reference.
func (r trial) again(p runner) error {
	r.mems.restore(r.before)
	if err := p.Run(ctx); err != nil {
		return err
	}
	if d := r.mems.differ(r.want); d != "" {
		return errors.New(d)
	}
	return nil
}

// try runs the statements of a trial, and compares.
func (b backend) try(r trial) bool {
	b.Helper()
	err := b.run(r.stmts...)
	if r.faults != 0 || err != nil && slices.ContainsFunc(r.may.errs(), func(k error) bool { return errors.Is(err, k) }) {
		return b.checkFault(r, err)
	}
	if err != nil {
		b.Errorf("%v\nin\n%s", err, listing(r.stmts))
		return false
	}
	if d := r.mems.differ(r.want); d != "" {
		b.Errorf("%s\nin\n%s", d, listing(r.stmts))
		return false
	}
	return true
}

// checkFault checks a run that must fail at statement number done. The error must
// be one of those of the trial. Elements that only this statement and later ones store must
// not change.
func (b backend) checkFault(r trial, err error) bool {
	b.Helper()
	stmts := r.stmts
	kinds := (r.faults | r.may).errs()
	if len(stmts) > 1 { // a loop that statements share may find the fault of a later one first
		kinds = []error{expr.ErrDivide, expr.ErrIndex}
	}
	if !slices.ContainsFunc(kinds, func(k error) bool { return errors.Is(err, k) }) {
		b.Errorf("error is %v, want one of %v\nin\n%s", err, kinds, listing(stmts))
		return false
	}
	for i, m := range r.mems {
		got := host(m.mem)
		for k := range len(got) / m.typ.Size() {
			now, old, next := fetch(m.typ, got, k), fetch(m.typ, r.before[i], k), fetch(m.typ, r.want[i], k)
			if (next == old || len(stmts) == 1) && !equal(m.typ, now, old) {
				b.Errorf("%s changes from %s to %s although statement %d fails: %v\nin\n%s", m.label(k),
					show(m.typ, old), show(m.typ, now), r.done, err, listing(stmts))
				return false
			}
		}
	}
	return true
}

// execute runs statements with the reference. It stops at the first statement
// with faults f, before that statement stores, and returns its number. The engine
// may also raise the faults in may.
func execute(stmts []expr.Statement) (f, may fault, done int) {
	for i, s := range stmts {
		v := evaluate(valueOf(s))
		full := newValue(v.typ, s.Target.Shape())
		may |= v.may
		for k, at := range broadcastIndex(v.shape, s.Target.Shape()) {
			full.bits[k] = v.bits[at]
			f |= v.faultAt(at)
		}
		if f != 0 {
			return f, may, i
		}
		assign(s.Target, full)
	}
	return 0, may, len(stmts)
}

var savers = map[expr.Saver]string{expr.Plus: "add", expr.Minus: "sub", expr.Times: "mul", expr.Over: "div"}

// valueOf returns the value that a statement stores: t + e for t += e.
func valueOf(s expr.Statement) *tree.Node {
	if s.Saver == expr.Set {
		return s.Value
	}
	return apply(savers[s.Saver], s.Target, s.Value)
}

// apply returns a node of an element-wise row.
func apply(name string, args ...*tree.Node) *tree.Node {
	return untyped.Apply(untyped.Row(name), args...)
}

// assign stores v in a leaf, or in the parts of a concatenation.
func assign(target *tree.Node, v *value) {
	if target.Leaf != nil {
		write(target, v)
		return
	}
	begin, axis := 0, target.Axes[0]
	for _, part := range target.Args {
		ints := []int{}
		for i, d := range part.Shape() {
			start := 0
			if i == axis {
				start = begin
			}
			ints = append(ints, start, 1, d)
		}
		begin += part.Shape()[axis]
		assign(part, view(tree.NewView(untyped.Row("slice"), part.Shape(), v.typ, ints), []*value{v}))
	}
}

// A memoryList has the memories that statements can reach, each with the element
// type of its arrays.
type memoryList []memory

type memory struct {
	mem  *engine.Memory
	typ  dtype.Type
	name string
}

func (m memory) label(i int) string { return fmt.Sprintf("element %d of %s", i, m.name) }

func memories(stmts []expr.Statement) (list memoryList) {
	seen := map[*engine.Memory]bool{}
	for _, s := range stmts {
		eachLeaf(s, func(n *tree.Node) {
			if m, ok := n.Leaf.Mem.(*engine.Memory); ok && !seen[m] {
				seen[m] = true
				list = append(list, memory{m, n.DType(), cmp.Or(n.Leaf.Name, fmt.Sprintf("memory %d", len(list)))})
			}
		})
	}
	return list
}

// eachLeaf calls f for the leaves of a statement.
func eachLeaf(s expr.Statement, f func(*tree.Node)) {
	for _, root := range []*tree.Node{s.Target, s.Value} {
		tree.Walk(root, func(n *tree.Node) {
			if n.Leaf != nil {
				f(n)
			}
		})
	}
}

// groups returns the memories by address, those that overlap together.
func (l memoryList) groups() (out []memoryList) {
	l = slices.Clone(l)
	slices.SortStableFunc(l, func(a, b memory) int { return cmp.Compare(a.mem.Locate(), b.mem.Locate()) })
	for i := range l {
		if n := len(out) - 1; n >= 0 {
			if _, end := out[n].span(); l[i].mem.Locate() < end {
				out[n] = append(out[n], l[i])
				continue
			}
		}
		out = append(out, l[i:i+1:i+1])
	}
	return out
}

// span returns the addresses of a group.
func (l memoryList) span() (begin, end uintptr) {
	for _, m := range l {
		end = max(end, m.mem.Locate()+uintptr(m.mem.Size()))
	}
	return l[0].mem.Locate(), end
}

func (l memoryList) save() [][]byte {
	return lists.Map(l, func(m memory) []byte { return bytes.Clone(host(m.mem)) })
}

func (l memoryList) restore(saved [][]byte) {
	for i, m := range l {
		copy(mutable(m.mem), saved[i])
	}
}

// differ compares the memories with the expected bytes, and returns the first
// difference or "".
func (l memoryList) differ(want [][]byte) string {
	for i, m := range l {
		got := host(m.mem)
		if bytes.Equal(got, want[i]) {
			continue
		}
		for k := range len(got) / m.typ.Size() {
			if a, b := fetch(m.typ, got, k), fetch(m.typ, want[i], k); !equal(m.typ, a, b) {
				return fmt.Sprintf("%s is %s, want %s", m.label(k), show(m.typ, a), show(m.typ, b))
			}
		}
	}
	return ""
}

// listing returns the text of statements, with the layouts of their arrays.
func listing(stmts []expr.Statement) string {
	var b strings.Builder
	for _, s := range stmts {
		text := s.String()
		if len(text) > 2000 {
			text = text[:2000] + "..."
		}
		b.WriteString(text + "\n")
	}
	seen := map[*tree.Node]bool{}
	for _, s := range stmts {
		eachLeaf(s, func(n *tree.Node) {
			if seen[n] || len(seen) > 40 {
				return
			}
			seen[n] = true
			fmt.Fprintf(&b, "  %s: %v%v strides %v offset %d", n, n.DType(), []int(n.Shape()), []int(n.Leaf.Strides), n.Leaf.Offset)
			if n.Shape().Size() <= 12 {
				v := read(n)
				for _, x := range v.bits {
					b.WriteString(" " + tree.FormatBits(v.typ, x))
				}
			}
			b.WriteByte('\n')
		})
	}
	return b.String()
}
