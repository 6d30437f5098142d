package engine_test

import (
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestScanFaultCounts tests that a fault in a step of a scan is an error wherever the scan
// is computed, even if no position that depends on it is selected.
func TestScanFaultCounts(t *testing.T) {
	type exp = expr.Exp[int32]
	x := engine.Ones[int32](4, 8)
	x.Set(0, 1, 0)
	state := op.Scan([]exp{engine.Zeros[int32](8)}, []exp{x}, op.ScanOptions{}, func(s op.Step[int32]) (next, out []exp) {
		return []exp{op.Add(s.State[0], op.ScalarFloorDiv(100, s.X[0]))}, []exp{s.State[0]}
	}).Out(0)
	output := op.Scan([]exp{engine.Zeros[int32](8)}, []exp{x}, op.ScanOptions{}, func(s op.Step[int32]) (next, out []exp) {
		return []exp{op.Add(s.State[0], s.X[0])}, []exp{op.ScalarFloorDiv(100, s.X[0])}
	}).Out(0)
	for name, scan := range map[string]exp{"state": state, "output": output} {
		for place, value := range map[string]exp{"own": scan, "flipped": op.Flip(scan, 0), "rolled": op.Roll(op.Neg(scan), 1, 1), "max": op.Sub(op.Flip(scan, 0), op.Max(scan, op.Axis(0), op.KeepDims()))} {
			for row := range 4 {
				selected, y := engine.Zeros[bool](4, 8), engine.Full[int32](7, 4, 8)
				selected.Set(true, row, 0)
				err := engine.Run(t.Context(), expr.Let(y, op.Where(selected, value, y)))
				if !errors.Is(err, expr.ErrDivide) || y.At(row, 0) != 7 {
					t.Errorf("%s, %s, row %d: the error is %v, and the target %d", name, place, row, err, y.At(row, 0))
				}
			}
		}
	}
}

// TestReductionFaults tests that a fault in a reduction is an error although the result
// is not selected, for short and long rows, and in chains.
func TestReductionFaults(t *testing.T) {
	for _, n := range []int{8, 40} {
		x, w, z := engine.Ones[int32](64, 8), engine.Ones[int32](8, n), engine.Zeros[int32](64, n)
		p := op.MatMul(x, w)
		sum := op.Add(op.FloorDiv(p, z), op.Max(op.FloorDiv(p, z), op.Axis(1), op.KeepDims()))
		for _, chains := range []string{engine.ChainsNever, engine.ChainsAlways} {
			y := engine.Zeros[int32](64, n)
			err := engine.RunWith(t.Context(), engine.Options{Chains: chains}, expr.Let(y, op.Where(engine.Zeros[bool](64, n), op.Flip(sum, 0), y)))
			if !errors.Is(err, expr.ErrDivide) {
				t.Errorf("%d columns, chains %s: the error is %v", n, chains, err)
			}
		}
	}
}
