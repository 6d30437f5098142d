package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestManyArrays checks that the time of a run after a rebinding is in proportion to the arrays
// of the program.
func TestManyArrays(t *testing.T) {
	ctx := context.Background()
	stmts := make([]expr.Statement, 30000)
	var y *engine.Tensor[float64]
	for i := range stmts {
		y = engine.Zeros[float64]()
		stmts[i] = expr.Let(y, expr.Const(1.))
	}
	p, err := engine.Compile(ctx, stmts...)
	if err != nil {
		t.Fatal(err)
	}
	began := testlevel.CPUTime() // pairs would take some seconds
	for range 20 {
		if err := y.Array().Memory().Rebind(engine.Zeros[float64]().Array().Memory().Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := p.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if took := testlevel.CPUTime() - began; took > time.Second {
		t.Errorf("20 runs after rebindings of %d arrays took %v", len(stmts), took)
	}
}
