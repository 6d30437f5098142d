package host

import (
	"cmp"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

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
