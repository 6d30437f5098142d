package standin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestRandomKernels compares random kernels with the interpreter.
func TestRandomKernels(t *testing.T) {
	run(t, random(t, testlevel.Every(120, 16, 8)))
}

func random(t *testing.T, count int) (trials []*trial) {
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		s, err := randir.Kernel(r)
		if err != nil {
			t.Fatal(err)
		}
		trials = append(trials, newTrial(t, r, fmt.Sprint("random kernel ", seed), s.Kernel, s.Extents, nil, s.Shapes, r.IntN(2) == 0))
	}
	return trials
}
