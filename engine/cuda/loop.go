package cuda

import (
	"cmp"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// A loop is the step of a fused loop of the plan.
type loop struct {
	kernels
	binding        ir.Binding
	addresses      []uint64 // one for each buffer; the code was chosen for them
	layout         string
	module         *module
	bound          *cudagen.Bound
	argumentUpload *argumentUpload // nil if the arguments are passed
	faulty         bool
}

func (p *program) newLoop(i int, s *plan.Stage) (step, error) {
	name := cmp.Or(s.Kernel.Name, "loop")
	l := &loop{
		kernels: kernels{stageOf: stageOf{p, stageName(i, name), s}},
		binding: host.Binding(s),
	}
	_, err := l.prepare()
	return l, err
}

// prepare reads addresses and scalars. If an address has changed, it chooses the
// code again. It returns the scratch memory that the loop needs, in bytes.
func (l *loop) prepare() (int, error) {
	same := l.bound != nil
	if l.addresses == nil {
		l.addresses = make([]uint64, len(l.s.Bufs))
	}
	for i := range l.s.Bufs {
		if a := l.s.Bufs[i].Array; a != nil {
			at := uint64(l.p.address(a))
			same = same && at == l.addresses[i]
			l.addresses[i] = at
		}
	}
	for i := range l.s.Scalars {
		if s := &l.s.Scalars[i]; s.Cell != nil {
			l.binding.Scalars[i] = s.Cell.Load()
		}
	}
	if !same {
		if err := l.choose(); err != nil {
			return 0, err
		}
	}
	if l.argumentUpload != nil {
		return l.bound.Scratch + len(l.bound.Args), nil
	}
	return l.bound.Scratch, nil
}

// choose makes the module, the arguments and the launches for the current
// addresses. After an error the next run calls it again.
func (l *loop) choose() error {
	d := l.p.d
	l.bound = nil
	layout, err := cudagen.LayoutOf(l.s.Kernel, &l.binding, l.addresses, d.limit)
	if err != nil {
		return tree.NewError(tree.ErrUnsupported, "", "%s: %s: %s", d.name, l.name, err)
	}
	if key := layout.String(); l.module == nil || key != l.layout {
		m, err := d.kernel(&l.p.resources.code, l.s.Kernel, layout)
		if err != nil {
			return err
		}
		l.module, l.layout = m, key
	}
	src := l.module.source
	bound, err := src.Bind(&l.binding, d.limit)
	if err != nil {
		return tree.NewError(tree.ErrUnsupported, "", "%s: %s: %s", d.name, l.name, err)
	}
	l.faulty = src.Faults
	args := bound.Args
	l.argumentUpload, l.calls = nil, l.calls[:0]
	if src.Indirect {
		if l.argumentUpload, err = d.newArgumentUpload(&l.p.resources.code, args); err != nil {
			return err
		}
		args = l.argumentUpload.passed
		l.calls = append(l.calls, l.argumentUpload.queue...)
	}
	for _, x := range bound.Launches {
		f := l.module.entries[x.Entry]
		if err := d.do("choosing a grid", func() error { return d.fit(f, &x) }); err != nil {
			return err
		}
		l.calls = append(l.calls, cu.NewLaunch(f, dim(x.Grid), dim(x.Block), int(x.Shared), args))
	}
	l.bound = bound
	return nil
}

// fit lets a kernel that needs it have more dynamic shared memory than the 48 KB that
// it may have unasked: all that there is, because programs share kernels. A kernel of
// rows gets as many thread blocks as run at once: the rows of one more would wait.
func (d *device) fit(f cu.Function, x *cudagen.Launch) error {
	const unasked = 48 << 10
	if x.Shared > unasked {
		if err := f.SetAttribute(cu.FUNC_A_MAX_DYNAMIC_SHARED_SIZE_BYTES, d.limit.Shared); err != nil {
			return err
		}
	}
	if !x.Rows {
		return nil
	}
	n, err := f.MaxActiveBlocks(int(x.Block[0]), int(x.Shared))
	if err == nil && n > 0 {
		x.Grid[0] = min(x.Grid[0], uint32(n*d.limit.SMs))
	}
	return err
}

func dim(v [3]uint32) cu.Dim3 { return cu.Dim3{X: int(v[0]), Y: int(v[1]), Z: int(v[2])} }

func (l *loop) bind(scratch, faults cu.DevicePtr) {
	l.bound.SetArgs(l.addresses, l.binding.Scalars, uint64(scratch), uint64(faults))
	if l.argumentUpload != nil {
		l.argumentUpload.bind(scratch + cu.DevicePtr(l.bound.Scratch))
	}
}

func (l *loop) state(to []byte) []byte {
	to = append(to, l.bound.Args...)
	if l.argumentUpload != nil {
		to = append(to, l.argumentUpload.passed...)
	}
	return to
}

func (l *loop) raises() bool { return l.faulty }
