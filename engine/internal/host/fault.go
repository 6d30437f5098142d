package host

import (
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// A Fault is the error of a stage whose data contain an operand for which an
// operator is not defined.
type Fault struct {
	Kind  error // expr.ErrDivide or expr.ErrIndex
	Sites []plan.Fault
}

func (f *Fault) Error() string { return f.Kind.Error() }

func (f *Fault) Unwrap() error { return f.Kind }

// faultOf returns the error of a fault of a stage, or nil for ir.NoFault.
func faultOf(k ir.FaultKind, s *plan.Stage) error {
	switch k {
	case ir.DivideFault:
		return &Fault{expr.ErrDivide, s.Faults}
	case ir.IndexFault:
		return &Fault{expr.ErrIndex, s.Faults}
	}
	return nil
}
