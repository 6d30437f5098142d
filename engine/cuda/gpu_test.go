package cuda

import (
	"flag"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/enginetest"
)

var onGPU = flag.Bool("gpu", false, "run the conformance suite on the first GPU")

// TestGPU runs the conformance suite and products with a bias on a real GPU, for
// scripts/gpu-check.
func TestGPU(t *testing.T) {
	if !*onGPU {
		t.Skip("asked for by -gpu, on a machine that has one")
	}
	d, err := engine.OpenDevice("cuda:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(d)
	enginetest.Run(t, enginetest.Options{Device: d})
	t.Run("bias", func(t *testing.T) {
		biasOf[float32](t, d, nil)
		biasOf[float64](t, d, nil)
	})
}
