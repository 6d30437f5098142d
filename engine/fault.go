package engine

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/text"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// located returns err. If err is a fault, the result names the operator, the
// first element for which the operator is not defined, and the call that built
// the node. To find the element, located evaluates operands, which takes the time
// of a run. The memory must be as the stage has found it. The function current
// returns the node of the caller's statements for a node of the plan.
func located(err error, current func(*expr.Node) *expr.Node, evaluate func(*expr.Node) (*Array, error)) error {
	f, ok := err.(*host.Fault)
	if !ok {
		return err
	}
	if f.Call != nil {
		return placed(f.Call, current(f.Node))
	}
	var n *expr.Node
	what := ""
	for _, site := range f.Sites {
		if site.Kind != f.Kind || site.Node == n {
			continue
		}
		w := offender(site.Node, evaluate)
		if n == nil || w != "" {
			n, what = site.Node, w
		}
		if w != "" {
			break
		}
	}
	if what == "" {
		what = map[error]string{expr.ErrDivide: "integer division by zero", expr.ErrIndex: "an index is out of range"}[f.Kind]
	}
	if n == nil {
		return expr.NewError(f.Kind, "", "%s", what)
	}
	return placed(expr.NewError(f.Kind, n.Op.Constructor(), "%s", what), current(n))
}

// placed returns err with the call that built n, if it is an [expr.Error]. The error
// names the function that the caller called, which may build several nodes.
func placed(err error, n *expr.Node) error {
	e := new(expr.Error)
	if !errors.As(err, &e) {
		return err
	}
	at := *e
	if op, file, line := n.Place(); file != "" {
		at.Op, at.File, at.Line = cmp.Or(op, at.Op), file, line
	}
	return &at
}

// offender evaluates the operand on which the faults of a node depend. It returns
// a description of the first element that raises a fault, or "" if it finds none.
func offender(n *expr.Node, evaluate func(*expr.Node) (*Array, error)) string {
	if len(n.Args) != 2 {
		return ""
	}
	from, axis := 0, -1
	if n.Op.Class() == expr.View {
		if take, _ := op.Lookup("take"); n.Op != take || len(n.Axes) != 1 {
			return ""
		}
		axis = n.Axes[0]
		if axis < 0 {
			axis += len(n.Args[0].Shape())
		}
		from = n.Args[0].Shape()[axis]
	}
	a, err := evaluate(n.Args[1])
	if err != nil {
		return ""
	}
	b, err := a.Bytes()
	if err != nil {
		return ""
	}
	size := a.DType().Size()
	for i := 0; i < len(b); i += size {
		v := text.Element(a.DType(), b[i:])
		if axis < 0 {
			if isZero(b[i : i+size]) {
				return "integer division by zero" + positionText(i/size, a.Shape())
			}
			continue
		}
		if outside(v, from) {
			return fmt.Sprintf("index %v%s is out of range for axis %d of size %d", v, positionText(i/size, a.Shape()), axis, from)
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

// positionText returns the index of row-major element i of a shape as text, such as
// " at [1 2]". It returns "" for a scalar.
func positionText(i int, s shape.Shape) string {
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
