// Package testlevel says how much of themselves tests run, and measures what must not depend
// on other load: allocations and processor time. It gives tests memory beside pages without access.
//
// By default tests run a sample of their cases that still meets every operator,
// type, loop structure and back end: go test ./... has to end within two minutes on two cores.
// With ONELOOP_TESTS=deep they run all of their cases. .ci/run does both.
package testlevel

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"testing"
)

// Tests compile thousands of programs and keep few. Collections took up to a third of their time.
func init() {
	if os.Getenv("GOGC") == "" && !Deep() {
		debug.SetGCPercent(400)
	}
}

// Deep reports whether tests run all of their cases.
func Deep() bool { return os.Getenv("ONELOOP_TESTS") == "deep" }

// Every returns full when tests are deep, and sample otherwise: the distance
// between the cases of a list that run, or their number.
func Every(full, sample int) int {
	if Deep() {
		return full
	}
	return sample
}

// InOrder iterates over a map in the order of its keys. Tests that take the data of their
// cases from one random generator, or count cases to take a sample, do the same in each run
// only if their cases have an order.
func InOrder[K cmp.Ordered, V any](m map[K]V) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// Allocs returns how often a run of f allocates: the least mean of several series of runs.
// In some of them the runtime, or what other tests have left, may allocate too. The race
// detector lets a [sync.Pool] lose a quarter of what it gets, so that most series of many
// runs allocate: there single runs count too.
func Allocs(runs int, f func()) float64 {
	least := math.Inf(1)
	for try := 0; try < 20 && least > 0; try++ {
		least = min(least, testing.AllocsPerRun(runs, f))
	}
	for try := 0; Race && try < 500 && least > 0; try++ {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}
