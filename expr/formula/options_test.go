package formula_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/formula"
)

// TestWith checks that the options of the engine reach the programs of a formula.
func TestWith(t *testing.T) {
	for _, name := range engine.Backends() {
		y := []float32{1, 2}
		f := formula.MustCompile[float32]("y += 1", formula.With(engine.Options{Backend: name}))
		if err := f.Run(context.Background(), map[string]any{"y": y}); err != nil || !slices.Equal(y, []float32{2, 3}) {
			t.Errorf("%s: %v, %v", name, y, err)
		}
		if got := f.Source().Inputs(); !slices.Equal(got, []string{"y"}) {
			t.Errorf("the inputs are %q", got)
		}
	}
	f := formula.MustCompile[float32]("y += 1", formula.With(engine.Options{Threads: -1}))
	if err := f.Run(context.Background(), map[string]any{"y": []float32{1}}); !errors.Is(err, expr.ErrValue) {
		t.Errorf("a negative number of threads: %v", err)
	}
}
