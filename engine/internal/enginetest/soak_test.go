package enginetest

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/internal/testlevel"
	"pgregory.net/rapid"
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
		t.Run(fmt.Sprint(seed), func(t *testing.T) { compareTrees(t, randomBytes(seed), opponents()...) })
	}
	for _, seed := range []uint64{
		77003380, // the same
		774554,   // AVX2: joins whose networks take all registers
		7706259,  // AVX2: parts of transposed rows beside carries leave no registers for a product of 64 bits
	} {
		t.Run(fmt.Sprint("shallow ", seed), func(t *testing.T) { compareShallow(t, randomBytes(seed), opponents()...) })
	}
}

// TestSoak compares the back ends on random trees, one for each seed.
func TestSoak(t *testing.T) { soaks(t, compareTrees) }

// TestShallow is TestSoak with trees of few operations.
func TestShallow(t *testing.T) { soaks(t, compareShallow) }

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

// compareTrees makes a random program from data and runs it with each of the options. It
// compares all memory that the program can reach, bit by bit (all NaNs are
// equal), and the errors. It is fast, for long runs: it uses no reference and
// shrinks nothing. It skips the test if data is too short.
func compareTrees(t *testing.T, data []byte, options ...engine.Options) {
	rapid.MakeFuzz(func(t *rapid.T) {
		limits := []struct{ size, depth, statements int }{{60, 5, 3}, {6000, 4, 2}, {24, 9, 1}}
		g := newGenerator(t, 0)
		l := pick(g, "limits", limits)
		g.size, g.grow = l.size, 4*l.size
		stmts := lists.Make(1+g.index("statements", l.statements), func(int) expr.Statement { return g.statement(l.depth) })
		agree(t, stmts, options)
	})(t, data)
}

func agree(t tb, stmts []expr.Statement, options []engine.Options) {
	t.Helper()
	mems := memories(stmts)
	before := mems.save()
	var want [][]byte
	var first error
	for i, o := range options {
		mems.restore(before)
		err := backend{t, Options{Options: o}}.run(stmts...)
		switch {
		case err != nil && !errors.Is(err, expr.ErrDivide) && !errors.Is(err, expr.ErrIndex):
			t.Fatalf("%s: %v\nin\n%s", o.Backend, err, listing(stmts))
		case i == 0:
			first, want = err, mems.save()
		case (err == nil) != (first == nil):
			t.Fatalf("%s: error is %v, with %s it is %v\nin\n%s", o.Backend, err, options[0].Backend, first, listing(stmts))
		case err == nil:
			if d := mems.differ(want); d != "" {
				t.Fatalf("%s and %s differ: %s\nin\n%s", o.Backend, options[0].Backend, d, listing(stmts))
			}
		}
	}
}

// compareShallow is compareTrees with programs of few operations over arrays of many shapes and layouts: back ends
// have forms of their own for such loops, which larger trees are not. Most arrays begin or end at an
// inaccessible page.
func compareShallow(t *testing.T, data []byte, options ...engine.Options) {
	f := newFence(t)
	rapid.MakeFuzz(func(t *rapid.T) {
		g := newGenerator(t, 0)
		if g.shallow, g.fence = true, f; f != nil {
			f.next = 0
		}
		g.size = pick(g, "size", []int{200, 3000, 20000, 1000})
		g.grow = 4 * g.size
		stmts := lists.Make(1+g.index("statements", 3), func(int) expr.Statement { return g.statement(1 + g.index("depth", 2)) })
		agree(t, stmts, options)
	})(t, data)
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
	f.Fuzz(func(t *testing.T, data []byte) { compareTrees(t, data, options...) })
}
