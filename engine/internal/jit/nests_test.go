package jit

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// naming logs the seed of a test that failed.
func naming(t *testing.T, seed uint64) {
	if t.Failed() {
		t.Logf("seed %d", seed)
	}
}

// nest compares one random kernel with the interpreter.
func nest(t *testing.T, seed uint64) {
	defer naming(t, seed)
	r := rand.New(rand.NewPCG(seed, 21))
	k, err := randir.Kernel(r)
	if err != nil {
		t.Fatal(err)
	}
	differ(t, r, newSetup(t, r, k.Kernel, k.Extents, nil, k.Shapes, r.IntN(2) == 0))
	forget()
}

// TestNests compares random loop nests with the interpreter: loops and accesses of
// every kind.
func TestNests(t *testing.T) {
	for seed := range uint64(testlevel.Every(600, 100, 40)) {
		nest(t, seed)
	}
}

// FuzzNests is TestNests with seeds from the fuzzer.
func FuzzNests(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { nest(t, seed) })
}
