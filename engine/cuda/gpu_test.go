package cuda

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/internal/ptxemu"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/enginetest"
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

var (
	sources = flag.String("sources", "", "compile the CUDA C++ of this directory into the cache of ONELOOP_CACHE; needs NVRTC and no GPU")
	target  = flag.String("target", "sm_90", "what -sources compiles for")
)

// TestFillCache compiles, for scripts/gpu-check, the sources that ONELOOP_DEBUG=cuda=DIR has
// written, so that a GPU finds the code of its kernels in the cache.
func TestFillCache(t *testing.T) {
	if *sources == "" {
		t.Skip("asked for by -sources")
	}
	files, err := filepath.Glob(filepath.Join(*sources, "*.cu"))
	check(t, err)
	fillCache(t, *target, files)
}

func fillCache(t *testing.T, target string, files []string) {
	t.Helper()
	c, err := compilerFor(target)
	check(t, err)
	var group sync.WaitGroup
	next := make(chan string)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for file := range next {
				source, err := os.ReadFile(file)
				if err == nil {
					_, err = c.compile(string(source))
				}
				if err != nil {
					t.Errorf("%s: %v", file, err)
				}
			}
		})
	}
	for _, file := range files {
		next <- file
	}
	close(next)
	group.Wait()
	t.Logf("%d sources for %s, NVRTC %s", len(files), target, c.version)
}

var (
	onGPU     = flag.Bool("gpu", false, "run the conformance suite on the first GPU")
	listAreas = flag.Bool("areas", false, "print the names of the areas of TestGPU, and run none")
)

// gpuAreas are the areas of TestGPU beside those of the conformance suite.
var gpuAreas = []struct {
	name string
	test func(*testing.T, driver.Device)
}{
	{"abilities", func(t *testing.T, d driver.Device) { compute(t, d) }},
	{"routines", func(t *testing.T, d driver.Device) { computeAll(t, d, routineCases()) }},
	{"scaled", func(t *testing.T, d driver.Device) {
		scaledOf[float32](t, d)
		scaledOf[float64](t, d)
	}},
	{"ordered", func(t *testing.T, d driver.Device) {
		orderedOf[float32](t, d)
		orderedOf[float64](t, d)
	}},
	{"neighbours", func(t *testing.T, d driver.Device) { neighboursOf(t, d) }},
	{"bias", func(t *testing.T, d driver.Device) {
		biasOf[float32](t, d, nil)
		biasOf[float64](t, d, nil)
	}},
}

// TestGPU runs the conformance suite and products with a bias on a real GPU, for
// scripts/gpu-check.
func TestGPU(t *testing.T) {
	if *listAreas {
		for _, name := range enginetest.Areas() {
			fmt.Println("area", name)
		}
		for _, a := range gpuAreas {
			fmt.Println("area", a.name)
		}
		return
	}
	if !*onGPU {
		t.Skip("asked for by -gpu, on a machine that has one")
	}
	d, err := engine.OpenDevice("cuda:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Log(d)
	enginetest.Run(t, enginetest.Options{Device: d})
	for _, a := range gpuAreas {
		t.Run(a.name, func(t *testing.T) { a.test(t, d) })
	}
}
