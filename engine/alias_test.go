package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
)

// TestManyArrays checks that time and memory to compile are in proportion to the
// arrays of a program, and so is the check after a rebinding.
func TestManyArrays(t *testing.T) {
	ctx := context.Background()
	stmts := make([]expr.Statement, 10000)
	var y *engine.Tensor[float64]
	for i := range stmts {
		y = engine.Zeros[float64]()
		stmts[i] = expr.Let(y, expr.Const(1.))
	}
	p, err := engine.Compile(ctx, stmts...)
	if err != nil {
		t.Fatal(err)
	}
	// Pairs would take about a second.
	began := time.Now()
	for range 20 {
		if err := y.Array().Memory().Rebind(engine.Zeros[float64]().Array().Memory().Bytes()); err != nil {
			t.Fatal(err)
		}
		if err := p.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("20 runs after rebindings of %d arrays took %v", len(stmts), took)
	}
}
