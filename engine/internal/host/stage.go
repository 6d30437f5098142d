package host

import (
	"cmp"
	"errors"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// Binding returns the binding of a stage that is a loop, without addresses and
// without the values of parameters.
func Binding(s *plan.Stage) ir.Binding { return bindingIn(s, nil) }

// bindingIn is Binding with room for the buffers.
func bindingIn(s *plan.Stage, room []ir.BufBind) ir.Binding {
	b := ir.Binding{Extents: s.Extents, Params: s.Params, Scalars: make([]uint64, len(s.Scalars)), Bufs: slices.Grow(room, len(s.Bufs))[:len(s.Bufs)]}
	for i, o := range s.Bufs {
		b.Bufs[i] = ir.BufBind{Strides: o.Strides, Extents: o.Extents}
		if o.Array != nil {
			same := func(x plan.Operand) bool {
				return x.Array != nil && x.Array.Mem == o.Array.Mem && (x.Array.Mem != nil || x.Array.Temp == o.Array.Temp)
			}
			b.Bufs[i].Memory, b.Bufs[i].Offset = 1+slices.IndexFunc(s.Bufs, same), o.Array.Offset*o.Array.Type.Size()
		}
	}
	for i, o := range s.Scalars {
		b.Scalars[i] = o.Bits
	}
	return b
}

// Compile compiles the kernel of a stage and binds it. The error is an
// [tree.Error].
func Compile(be backend.Backend, s *plan.Stage, b *ir.Binding) (backend.Code, backend.Instance, error) {
	code, err := be.Compile(s.Kernel)
	if err != nil {
		return nil, nil, compileError(be, err)
	}
	inst, err := Bind(be, code, b)
	return code, inst, err
}

// Bind binds compiled code. The error is an [tree.Error].
func Bind(be backend.Backend, code backend.Code, b *ir.Binding) (backend.Instance, error) {
	inst, err := code.Bind(b)
	if err != nil {
		return nil, compileError(be, err)
	}
	return inst, nil
}

func compileError(be backend.Backend, err error) error {
	if e := new(hostmem.Error); errors.As(err, &e) {
		return tree.NewError(tree.ErrOutOfMemory, "", "%s", e)
	}
	return tree.NewError(tree.ErrUnsupported, "", "backend %s: %s", be.Name(), err)
}

// A Fault is the error of a stage whose data contain an operand for which an
// operator is not defined, or whose Go function returned an error.
type Fault struct {
	Kind  error // expr.ErrDivide or expr.ErrIndex
	Sites []plan.Fault
	// Call, if not nil, is the error of a Go function, and Node the operator's node.
	Call error
	Node *tree.Node
}

func (f *Fault) Error() string { return f.Unwrap().Error() }

func (f *Fault) Unwrap() error { return cmp.Or(f.Call, f.Kind) }

// faultOf returns the error of a fault of a stage, or nil for ir.NoFault.
func faultOf(k ir.FaultKind, s *plan.Stage) error {
	switch k {
	case ir.DivideFault:
		return &Fault{Kind: tree.ErrDivide, Sites: s.Faults}
	case ir.IndexFault:
		return &Fault{Kind: tree.ErrIndex, Sites: s.Faults}
	}
	return nil
}
