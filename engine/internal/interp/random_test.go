package interp_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/internal/testlevel"
)

var long = flag.Bool("long", false, "run long random tests")

// TestRandomKernels compares random kernels with the reference.
func TestRandomKernels(t *testing.T) {
	start, count := 0, testlevel.Every(250, 20)
	if *long {
		start, count = 250, 20000
	}
	for seed := start; seed < count; seed++ {
		r := rand.New(rand.NewPCG(uint64(seed), 9))
		k, err := randir.Kernel(r)
		if err != nil {
			t.Fatal(err)
		}
		s := newSetup(r, k.Kernel, k.Extents, nil, k.Shapes, r.IntN(2) == 0)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { differ(t, r, s) })
		if t.Failed() {
			return
		}
	}
}
