package enginetest_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/enginetest"
	"github.com/oneloop/oneloop/internal/testlevel"
)

var (
	soak     = flag.Duration("soak", 0, "compare the backends on random trees for so long")
	soakFrom = flag.Uint64("soak.from", 0, "the first seed")
)

// opponents returns options for the interpreter on one thread and for every other
// back end.
func opponents() []engine.Options {
	out := []engine.Options{{Backend: "interp", Threads: 1}}
	for i, name := range engine.Backends() {
		if name != "interp" {
			out = append(out, engine.Options{Backend: name, Threads: 1 + 2*i})
		}
	}
	return out
}

// TestSeeds compares the back ends on random trees that failed once.
func TestSeeds(t *testing.T) {
	for _, seed := range []uint64{
		901403,   // a kernel with rows, but without phases in them
		50039310, // AVX2: scans down columns whose guarded loads leave no register for a mask
		61000951, // the same for narrow elements at computed offsets
	} {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { enginetest.Agree(t, randomBytes(seed), opponents()...) })
	}
	for _, seed := range []uint64{
		77003380, // the same
		774554,   // AVX2: joins whose networks take all registers
		7706259,  // AVX2: parts of transposed rows beside carries leave no registers for a product of 64 bits
	} {
		t.Run(fmt.Sprint("shallow ", seed), func(t *testing.T) { enginetest.Shallow(t, randomBytes(seed), opponents()...) })
	}
}

// TestSoak compares the back ends on random trees, one for each seed.
func TestSoak(t *testing.T) { soaks(t, enginetest.Agree) }

// TestShallow is TestSoak with trees of few operations.
func TestShallow(t *testing.T) { soaks(t, enginetest.Shallow) }

func soaks(t *testing.T, agree func(*testing.T, []byte, ...engine.Options)) {
	count := uint64(400)
	if !testlevel.Deep() {
		count = 100
	}
	options := opponents()
	start := time.Now()
	skipped := 0
	seed := *soakFrom
	for ; seed < *soakFrom+count || time.Since(start) < *soak; seed++ {
		ok := t.Run(fmt.Sprint(seed), func(t *testing.T) {
			defer func() {
				if t.Skipped() {
					skipped++
				}
			}()
			agree(t, randomBytes(seed), options...)
		})
		if !ok {
			t.Fatalf("seed %d", seed)
		}
	}
	say := t.Logf
	if *soak > 0 { // without -v, which lists every tree
		say = func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	}
	say("%d trees, %d others that needed more data, in %v", seed-*soakFrom-uint64(skipped), skipped, time.Since(start).Round(time.Second))
}

func randomBytes(seed uint64) []byte {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	data := make([]byte, 1<<16)
	if _, err := rand.NewChaCha8(key).Read(data); err != nil {
		panic(err)
	}
	return data
}

// FuzzTrees is TestSoak with inputs from the fuzzer.
func FuzzTrees(f *testing.F) {
	f.Add(randomBytes(0))
	options := opponents()
	f.Fuzz(func(t *testing.T, data []byte) { enginetest.Agree(t, data, options...) })
}
