package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestFaultsNameTheCall tests that a fault names the function that the caller
// called, not an operator of which the function is composed.
func TestFaultsNameTheCall(t *testing.T) {
	x := engine.MustFromSlice([]float64{1, 2, 3})
	at := engine.MustFromSlice([]int64{0, 1, 7})
	for want, e := range map[string]error{
		"SegmentSum": refusal(op.SegmentSum(x, at, 3)),
		"SegmentMax": refusal(op.SegmentMax(x, at, 3)),
		"ScatterAdd": refusal(op.ScatterAdd(at, x, 0, 3)),
		"Bincount":   refusal(op.Bincount(at, 3)),
		"Take":       refusal(op.Take(x, at, 0)),
		"FloorDiv":   refusal(op.FloorDiv(at, op.Sub(at, at))),
	} {
		got := new(tree.Error)
		if !errors.As(e, &got) || got.Op != want || !strings.Contains(e.Error(), "called_test.go:") {
			t.Errorf("%s: %v", want, e)
		}
	}
}

func refusal[T expr.Elem](e expr.Exp[T]) error {
	_, err := engine.Eval(e)
	return err
}
