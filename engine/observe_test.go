package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestObserve tests that an observer sees each stage of each run, also after a
// rebind compiles the program again, and that a removed one sees none.
func TestObserve(t *testing.T) {
	a, b, y, s := engine.Ones[float64](4, 4), engine.Ones[float64](4, 4), engine.Zeros[float64](4, 4), engine.Zeros[float64]()
	p, err := engine.Compile(t.Context(), expr.Let(y, op.MatMul(a, b)), expr.Let(s, op.Sum(op.Exp(y))))
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	see := func(r engine.StageRun) {
		if r.Took <= 0 || r.Err != nil || r.Began.IsZero() {
			t.Errorf("%+v", r)
		}
		seen = append(seen, p.Plan().Stages[r.Stage].Name())
	}
	must(p.Observe(see))
	must(p.Run(t.Context()))
	must(a.Array().Memory().Rebind(b.Array().Memory().Bytes()))
	must(p.Run(t.Context()))
	must(p.Observe(nil))
	must(p.Run(t.Context()))
	if want := []string{"matmul", "sum_exp", "matmul", "sum_exp"}; !slices.Equal(seen, want) {
		t.Errorf("the observer saw %q, want %q", seen, want)
	}
	must(p.Observe(func(engine.StageRun) { panic("seen") }))
	if err := p.Run(t.Context()); !errors.Is(err, expr.ErrValue) || !strings.Contains(err.Error(), "seen") {
		t.Errorf("the panic of an observer is the error %v", err)
	}
	must(p.Observe(nil))
	must(p.Run(t.Context()))
	var none *engine.Program
	if none.Observe(see) == nil {
		t.Error("a nil program has been observed")
	}
}
