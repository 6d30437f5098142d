package cuda

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/internal/ptxemu"
	"github.com/oneloop/oneloop/engine/enginetest"
)

var emulator = flag.String("emulator", "", "build the emulator of PTX and stand-ins for cuBLAS into this directory")

// TestBuildEmulator builds what TestGPU needs without a GPU, besides a real NVRTC:
// ONELOOP_LIBCUDA and the like then name these libraries. STANDIN_CAPABILITY must
// be one that NVRTC makes no machine code for, such as 99, so that it makes PTX.
func TestBuildEmulator(t *testing.T) {
	if *emulator == "" {
		t.Skip("asked for by -emulator")
	}
	dir, err := filepath.Abs(*emulator)
	check(t, err)
	ptxemu.Build(t, dir)
	buildBlas(t, dir)
}

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
