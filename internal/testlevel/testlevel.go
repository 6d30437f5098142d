// Package testlevel says how much of themselves tests run, and measures what must not depend
// on other load: allocations and processor time. It gives tests memory beside pages without access.
//
// By default tests run a sample of their cases that still meets every operator,
// type, loop structure and back end: go test ./... has to end within two minutes on two cores.
// With ONELOOP_TESTS=wide the sample is larger, and each case meets every back end. With
// ONELOOP_TESTS=deep they run all of their cases. .ci/run does the last two.
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

// Wide reports whether tests run what .ci/run does of their cases, or all of them.
func Wide() bool { return Deep() || os.Getenv("ONELOOP_TESTS") == "wide" }

// One returns the list when tests are wide, and otherwise a list of one of its elements, which pick(len(list)) chooses.
func One[E any](list []E, pick func(n int) int) []E {
	if Wide() || len(list) == 0 {
		return list
	}
	i := pick(len(list))
	return list[i : i+1]
}

// Every returns full when tests are deep, sample when they are wide, and few, or sample without it, otherwise: the
// distance between the cases of a list that run, or their number.
func Every(full, sample int, few ...int) int {
	switch {
	case Deep():
		return full
	case Wide() || len(few) == 0:
		return sample
	}
	return few[0]
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
