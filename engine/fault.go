package engine

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
	"github.com/oneloop/oneloop/shape"
)

// A faulted is the error of a stage with a fault: the data contain an operand for
// which an operator is not defined. The function located makes an [expr.Error]
// of it.
type faulted struct {
	kind  error // expr.ErrDivide or expr.ErrIndex
	sites []plan.Fault
}

func (f *faulted) Error() string { return f.kind.Error() }

func (f *faulted) Unwrap() error { return f.kind }

// raised returns the error of a fault of a stage, or nil for ir.NoFault.
func raised(k ir.FaultKind, s *plan.Stage) error {
	switch k {
	case ir.DivideFault:
		return &faulted{expr.ErrDivide, s.Faults}
	case ir.IndexFault:
		return &faulted{expr.ErrIndex, s.Faults}
	}
	return nil
}

// deviceFault returns err. If err is a fault, the result lists the nodes of all
// stages, because a device does not say which stage failed.
func (p *Program) deviceFault(err error) error {
	e, ok := err.(*expr.Error)
	if !ok || e.Kind != expr.ErrDivide && e.Kind != expr.ErrIndex {
		return err
	}
	f := &faulted{kind: e.Kind}
	for _, s := range p.plan.Stages {
		f.sites = append(f.sites, s.Faults...)
	}
	return f
}

// located returns err. If err is a fault, the result names the operator, the
// first element for which the operator is not defined, and the call that built
// the node. To find the element, located evaluates operands, which takes the time
// of a run. The memory must be as the stage has found it. The function current
// returns the node of the caller's statements for a node of the plan.
func located(ctx context.Context, err error, current func(*expr.Node) *expr.Node) error {
	f, ok := err.(*faulted)
	if !ok {
		return err
	}
	var n *expr.Node
	what := ""
	for _, site := range f.sites {
		if site.Kind != f.kind || site.Node == n {
			continue
		}
		w := offender(ctx, site.Node)
		if n == nil || w != "" {
			n, what = site.Node, w
		}
		if w != "" {
			break
		}
	}
	if what == "" {
		what = map[error]string{expr.ErrDivide: "integer division by zero", expr.ErrIndex: "an index is out of range"}[f.kind]
	}
	if n == nil {
		return expr.NewError(f.kind, "", "%s", what)
	}
	e := expr.NewError(f.kind, n.Op.Constructor(), "%s", what)
	if file, line := current(n).Place(); file != "" {
		e.File, e.Line = file, line
	}
	return e
}

// offender evaluates the operand on which the faults of a node depend. It returns
// a description of the first element that raises a fault, or "" if it finds none.
func offender(ctx context.Context, n *expr.Node) string {
	if len(n.Args) != 2 {
		return ""
	}
	from, axis := 0, -1
	if n.Op.Class == expr.View {
		if take, _ := op.Lookup("take"); n.Op != take || len(n.Axes) != 1 {
			return ""
		}
		axis = n.Axes[0]
		if axis < 0 {
			axis += len(n.Args[0].Shape())
		}
		from = n.Args[0].Shape()[axis]
	}
	a, err := evaluate(ctx, n.Args[1])
	if err != nil {
		return ""
	}
	b, err := a.Bytes()
	if err != nil {
		return ""
	}
	size := a.DType().Size()
	for i := 0; i < len(b); i += size {
		v := element(a.DType(), b[i:])
		if axis < 0 {
			if isZero(b[i : i+size]) {
				return "integer division by zero" + at(i/size, a.Shape())
			}
			continue
		}
		if outside(v, from) {
			return fmt.Sprintf("index %v%s is out of range for axis %d of size %d", v, at(i/size, a.Shape()), axis, from)
		}
	}
	return ""
}

// outside reports whether the integer v is out of range for an axis of n
// positions. Negative integers count from the end.
func outside(v any, n int) bool {
	switch v := v.(type) {
	case int8:
		return int(v) >= n || int(v) < -n
	case int32:
		return int(v) >= n || int(v) < -n
	case int64:
		return v >= int64(n) || v < -int64(n)
	case uint8:
		return int(v) >= n
	case uint32:
		return uint64(v) >= uint64(n)
	case uint64:
		return v >= uint64(n)
	}
	return false
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

// at returns the index of row-major element i of a shape as text, such as
// " at [1 2]". It returns "" for a scalar.
func at(i int, s shape.Shape) string {
	if len(s) == 0 {
		return ""
	}
	index := make([]int, len(s))
	for k := len(s) - 1; k >= 0; k-- {
		index[k] = i % s[k]
		i /= s[k]
	}
	return fmt.Sprintf(" at %v", index)
}

// evaluate returns the value of a tree as a new array on the device of its leaves.
func evaluate(ctx context.Context, n *expr.Node) (*Array, error) {
	var d Device
	expr.Walk(n, func(x *expr.Node) {
		if x.Leaf != nil {
			if m, ok := x.Leaf.Mem.(*Memory); ok && m.dev != nil {
				d = m.dev
			}
		}
	})
	m, err := NewSyncedMemory(d, n.Shape().Size()*n.DType().Size())
	if err != nil {
		return nil, err
	}
	a, err := ArrayOf(m, n.DType(), n.Shape(), nil, 0)
	if err != nil {
		return nil, err
	}
	p, err := Compile(ctx, expr.Statement{Target: a.Node(), Value: n})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	return a, p.run(ctx)
}
