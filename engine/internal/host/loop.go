package host

import (
	"context"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/sched"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A loopStep runs a kernel.
type loopStep struct {
	s       *plan.Stage
	binding ir.Binding
	code    backend.Code
	places  []bufPlace
	cells   []scalarCell
	inst    backend.Instance
	loop    sched.Loop
	same    bool        // the binding is as it was in the last run
	again   bool        // the calls do the last run again if the binding is the same
	calls   *exec.Bound // or nil
	next    *loopStep   // of a program of loops, or nil
	faults  *uint64     // where the calls note faults

	// Memory of the lists of a loop over few arrays.
	few struct {
		bufs   [3]ir.BufBind
		places [3]bufPlace
	}
}

// A bufPlace is the place of buffer number buf of a kernel.
type bufPlace struct {
	buf int
	place
}

// A scalarCell is the cell that holds the value of scalar number scalar of a
// kernel.
type scalarCell struct {
	scalar int
	cell   *tree.Scalar
}

func (p *Program) newLoop(s *plan.Stage) (step, error) {
	l, err := p.boundLoop(s, nil, p.place)
	if err != nil {
		return nil, err
	}
	l.plan(p)
	return l, nil
}

// plan plans the loop of an instance.
func (l *loopStep) plan(p *Program) {
	if p.Profile {
		l.profile()
	}
	if l.loop.Plan(p.job, l.inst, l.footprint()); l.loop.Whole() != nil {
		l.calls, l.faults, _ = l.loop.Whole().Again()
	}
}

// boundLoop returns the step of a loop, bound to the places of its arrays. code is what its kernel has been compiled
// to, or nil.
func (p *Program) boundLoop(s *plan.Stage, code backend.Code, at func(*plan.Array) place) (*loopStep, error) {
	l := &loopStep{s: s, code: code}
	l.binding = bindingIn(s, l.few.bufs[:0])
	l.find(at)
	l.bind(p)
	var err error
	if code == nil {
		l.code, l.inst, err = Compile(p.Backend, s, &l.binding)
	} else {
		l.inst, err = Bind(p.Backend, code, &l.binding)
	}
	return l, err
}

// find finds the places of the arrays and of the parameters.
func (l *loopStep) find(at func(*plan.Array) place) {
	l.places = slices.Grow(l.few.places[:0], len(l.s.Bufs))
	for i, o := range l.s.Bufs {
		if o.Array != nil {
			l.places = append(l.places, bufPlace{i, at(o.Array)})
		}
	}
	for i, o := range l.s.Scalars {
		if o.Cell != nil {
			l.cells = append(l.cells, scalarCell{i, o.Cell})
		}
	}
}

// footprint returns the number of bytes of the arrays that the loop goes over. A
// memory with several views counts at most once in full. footprint returns 0 for
// a product, whose direction is always up.
func (l *loopStep) footprint() (total int) {
	if l.s.Kernel == nil {
		return 0
	}
	for i, b := range l.places {
		before := 0 // bytes of earlier views of the same memory
		if b.mem != nil {
			for _, v := range l.places[:i] {
				if v.mem == b.mem {
					before += l.viewed(v)
				}
			}
			total += min(before+l.viewed(b), b.mem.Size()) - min(before, b.mem.Size())
		} else {
			total += l.viewed(b)
		}
	}
	return total
}

// memory returns the number of bytes of the row buffers of all workers.
func (l *loopStep) memory() int { return l.loop.Workers() * rowBytes(l.s) }

// rowBytes returns the number of bytes of the row buffers of one worker.
func rowBytes(s *plan.Stage) (n int) {
	if s.Kernel == nil {
		return 0
	}
	for _, b := range s.Kernel.Bufs {
		if b.Mode == ir.Row {
			n += b.Type.Size() * lists.Product(s.Extents, b.Axes)
		}
	}
	return n
}

// viewed returns the number of bytes of a buffer, or the most that the kernel can reach if that is less: an
// index may select a few rows.
func (l *loopStep) viewed(b bufPlace) int {
	elements, reached := shape.Shape(l.binding.Bufs[b.buf].Extents).Size(), 0
	for i := range l.s.Kernel.Access {
		if l.s.Kernel.Access[i].Buf != int32(b.buf) {
			continue
		}
		n := 1
		for _, e := range l.s.Extents {
			if n *= e; n >= elements {
				n = elements
				break
			}
		}
		reached = min(reached+n, elements)
	}
	return reached * l.s.Kernel.Bufs[b.buf].Type.Size()
}

func (l *loopStep) bind(p *Program) {
	for i := range l.places {
		at := &l.places[i]
		if ptr := at.in(p); l.binding.Bufs[at.buf].Ptr != ptr { // a store of the same value would cost a cache-line transfer
			l.binding.Bufs[at.buf].Ptr, l.same = ptr, false
		}
	}
	l.load()
}

// load writes the values of parameters to the binding.
func (l *loopStep) load() {
	for _, c := range l.cells {
		if bits := c.cell.Load(); l.binding.Scalars[c.scalar] != bits {
			l.binding.Scalars[c.scalar], l.same = bits, false
		}
	}
}

func (l *loopStep) forget() {
	for i := range l.binding.Bufs {
		l.binding.Bufs[i].Ptr = nil
	}
	l.same = false
}

// runAll does a run by the only worker.
func (l *loopStep) runAll() ir.FaultKind {
	w, same := l.loop.Whole(), l.same
	l.same = true
	k := w.RunAll(same)
	if l.calls != nil {
		_, _, l.again = w.Again()
	}
	return k
}

func (l *loopStep) run(ctx context.Context, p *Program) error {
	l.again = false
	l.load()
	k, err := l.loop.Run(ctx, p.job)
	if err == nil && k != ir.NoFault {
		err = faultOf(k, l.s)
	}
	return err
}

// profile names the kernel of a loop for profilers. The name has the form
// "kernel(y, s)", with the arrays that the loop stores to.
func (l *loopStep) profile() {
	stored := lists.Map(l.s.Writes, (*plan.Array).String)
	name := l.s.Name() + "(" + strings.Join(stored, ", ") + ")"
	l.loop.Label(name)
	if n, ok := l.inst.(backend.Native); ok {
		n.Profile("oneloop:" + name)
	}
}
