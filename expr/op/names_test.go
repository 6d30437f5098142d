package op_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestErrorsNameTheCall checks that an error names the function that the user
// called, with the line of the call. It must not name a part of a composition.
func TestErrorsNameTheCall(t *testing.T) {
	m, i := iota[float64](2, 2), iota[int32](2)
	for _, c := range []struct {
		n    *tree.Node
		want string
	}{
		{op.Softmax(m, 5).Node(), "op.Softmax: axis 5 is out of range for rank 2"},
		{op.LogSumExp(m, op.Axis(5)).Node(), "op.LogSumExp: axis 5 is out of range for rank 2"},
		{op.Squeeze(m, 0).Node(), "op.Squeeze: axis 0 of [2 2] must have size 1, has 2"},
		{op.OneHot[float64](i, -1).Node(), "op.OneHot: the depth -1 is negative"},
		{op.Unwindows(iota[float64](5), []int{5}, op.Window{Size: 2}).Node(), "op.Unwindows: [5] is no shape of windows: it has as many axes of positions as of elements"},
		{op.Std(m, op.Axis(7)).Node(), "op.Std: axis 7 is out of range for rank 2"},
		{op.SumInt(i, op.Axis(7)).Node(), "op.SumInt: axis 7 is out of range for rank 1"},
		{op.LayerNorm(m, iota[float64](3), nil, 0).Node(), "op.LayerNorm: shapes [2 2] and [3] do not broadcast"},
		{op.Conv(iota[float64](1, 2, 5, 5), iota[float64](3, 2, 3, 3), op.Sliding{Kernel: []int{5, 5}}).Node(), "op.Conv: the weights of shape [3 2 3 3] have no windows of size [5 5]; Kernel may be left out"},
		{op.Conv(iota[float64](1, 2, 5, 5), iota[float64](3, 2, 3, 3), op.Sliding{Groups: -2}).Node(), "op.Conv: the number of groups is -2"},
		{op.Conv(iota[float64](5, 5), iota[float64](3, 3), op.Sliding{}).Node(), "op.Conv: shapes [5 5] and [3 3] are not those of images [n channels ...] and of weights [outputs channels/groups ...]"},
		{op.Interpolate(op.Cast[uint8](m), []int{3, 3}, "bilinear").Node(), "op.Interpolate: elements of type uint8 cannot be interpolated; op.Cast converts to floats"},
		{op.MaxPool(iota[float64](2, 5, 5), op.Sliding{Kernel: []int{2, 2}, Groups: 2}).Node(), "op.MaxPool: 2 groups of channels are given, which only convolutions have"},
		{op.ArgMaxPool(iota[float64](2, 5, 5), op.Sliding{Kernel: []int{2, 2}, Groups: -1}).Node(), "op.ArgMaxPool: -1 groups of channels are given, which only convolutions have"},
		{op.LayerNorm(iota[float64](3, 1), iota[float64](4), nil, 1e-5).Node(), "op.LayerNorm: gamma or beta broadcasts the operand of shape [3 1] to [3 4]"},
		{op.NewAxis(m, 7).Node(), "op.NewAxis: axis 7 is out of range for rank 3"},
		{op.Softmax(op.Reshape(m, 3), 0).Node(), "op.Reshape: 4 elements do not reshape to [3]"},
		{op.Slice(m, op.By(op.Span{}, 0)).Node(), "op.Slice: the step of a slice is 0"},
		{op.Arange[int8](0, 300, 1).Node(), "op.Arange: the element 299 is no int8"},
		{op.Arange[uint8](-1, 2, 1).Node(), "op.Arange: the element -1 is no uint8"},
		{op.Arange[int32](0, 3, .5).Node(), "op.Arange: the step 0.5 is no int32"},
		{op.RepeatEach(m, 0).Node(), "op.RepeatEach: 0 numbers of repetitions do not fit an axis of size 2"},
		{op.RepeatEach(m, 0, 1, -1).Node(), "op.RepeatEach: an axis of 1 elements cannot be repeated -1 times"},
		{op.DeleteAll(m, 0, 5).Node(), "op.DeleteAll: index 5 is out of range for axis 0 of size 2"},
		{op.CovWeights(m, nil, iota[float64](3), 1).Node(), "op.CovWeights: weights of shape [3] do not fit 2 observations"},
		{op.GradientAt(m, m, 0).Node(), "op.GradientAt: coordinates of shape [2 2] do not fit an axis of size 2"},
		{op.InterpPeriodic(m, m, m, 1).Node(), "op.InterpPeriodic: positions of shape [2 2] and values of shape [2 2] are no table"},
		{op.PadMode(m, [][2]int{{1, 1}, {1, 1}}, "constant").Node(), `op.PadMode: there is no mode "constant"; there are edge, wrap, reflect and symmetric, and op.Pad for a constant`},
		{op.Eye[float64](math.MaxInt, 2, 0).Node(), fmt.Sprintf("op.Eye: shape [%d] has too many elements", math.MaxInt)},
		{op.Diag(op.Index(m, 0, 0), math.MaxInt32).Node(), fmt.Sprintf("op.Diag: diagonal %d is too far out", math.MaxInt32)},
		{op.PadMode(m, [][2]int{{math.MaxInt / 16, 0}, {1, 1}}, "wrap").Node(), fmt.Sprintf("op.PadMode: shape [%d 2] has too many elements", math.MaxInt/16+1)},
	} {
		got := fmt.Sprint(c.n.Err())
		if !strings.HasPrefix(got, "oneloop: "+c.want+" (names_test.go:") {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestDDof checks that the divisor is not below 0, as in NumPy.
func TestDDof(t *testing.T) {
	x := engineOf(1., 2, 3, 4)
	for k, want := range map[int]float64{0: 1.25, 2: 2.5, 4: math.Inf(1), 9: math.Inf(1)} {
		if got, _ := eval(t, op.Var(x, op.DDof(k))); got[0] != want {
			t.Errorf("ddof %d: %v, want %v", k, got[0], want)
		}
	}
	if got, _ := eval(t, op.Std(engineOf(3., 3), op.DDof(2))); !math.IsNaN(got[0]) {
		t.Errorf("0/0: %v", got)
	}
}
