package engine

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/text"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// located returns err. If err is a fault, the result names the operator, the
// first element for which the operator is not defined, and the call that built
// the node. To find the element, located evaluates operands, which takes the time
// of a run. The memory must be as the stage has found it. The function current
// returns the node of the caller's statements for a node of the plan.
func located(err error, current func(*tree.Node) *tree.Node, evaluate func(*tree.Node) (*Array, error)) error {
	f, ok := err.(*host.Fault)
	if !ok {
		return err
	}
	if f.Call != nil {
		if e := new(tree.Error); errors.As(f.Call, &e) {
			return e.At(current(f.Node))
		}
		return f.Call
	}
	var n *tree.Node
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
		what = map[error]string{tree.ErrDivide: "integer division by zero", tree.ErrIndex: "an index is out of range"}[f.Kind]
	}
	if n == nil {
		return tree.NewError(f.Kind, "", "%s", what)
	}
	return tree.NewError(f.Kind, n.Op.Constructor(), "%s", what).At(current(n))
}

// offender evaluates the operand on which the faults of a node depend. It returns
// a description of the first element that raises a fault, or "" if it finds none.
func offender(n *tree.Node, evaluate func(*tree.Node) (*Array, error)) string {
	if n.Op.Class() == tree.Elementwise && n.Op.FaultKind() != tree.ErrDivide {
		return refused(n, evaluate)
	}
	if len(n.Args) != 2 {
		return ""
	}
	from, axis := 0, -1
	if n.Op.Class() == tree.View {
		if known, _ := untyped.Lookup(n.Op.Name()); n.Op != known || len(n.Axes) != 1 {
			return ""
		}
		axis = n.Axes[0]
		if axis < 0 {
			axis += len(n.Args[0].Shape())
		}
		from = n.Args[0].Shape()[axis]
	}
	a, b := bytesOf(n.Args[1], evaluate)
	size := a.DType().Size()
	for i := 0; i < len(b); i += size {
		v := text.Element(a.DType(), b[i:])
		if axis < 0 {
			if slices.Max(b[i:i+size]) == 0 {
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

// bytesOf returns the value of a tree with its elements, row-major, or nil if it cannot be computed.
func bytesOf(n *tree.Node, evaluate func(*tree.Node) (*Array, error)) (*Array, []byte) {
	a, err := evaluate(n)
	if err != nil {
		return nil, nil
	}
	b, err := a.Bytes()
	if err != nil {
		return nil, nil
	}
	return a, b
}

// refused is offender for an operator that states its own condition.
func refused(n *tree.Node, evaluate func(*tree.Node) (*Array, error)) string {
	condition := op.Define("fault", len(n.Args), n.Op.Fault(), func(r *tree.Row) { r.Types, r.Result = n.Op.Types(), tree.ResultBool })
	a, b := bytesOf(tree.Apply(condition, n.Args...), evaluate)
	i := bytes.IndexByte(b, 1)
	if i < 0 {
		return ""
	}
	element := func(operand int) any {
		x, b := bytesOf(untyped.BroadcastTo(n.Args[operand], n.Shape()), evaluate)
		if b == nil {
			return nil
		}
		return text.Element(x.DType(), b[i*x.DType().Size():])
	}
	v := element(0)
	if v == nil {
		return ""
	}
	at := positionText(i, a.Shape())
	if n.Op.FaultKind() != tree.ErrIndex {
		return fmt.Sprintf("%v%s is not allowed", v, at)
	}
	message := fmt.Sprintf("index %v%s is out of range", v, at)
	if len(n.Args) == 2 {
		if size := element(1); size != nil {
			message += fmt.Sprintf(" for size %v", size)
		}
	}
	return message
}

// outside reports whether the integer v is out of range for an axis of n
// positions. Negative integers count from the end.
func outside(v any, n int) bool {
	switch x := reflect.ValueOf(v); {
	case x.CanInt():
		return x.Int() >= int64(n) || x.Int() < -int64(n)
	case x.CanUint():
		return x.Uint() >= uint64(n)
	}
	return false
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
