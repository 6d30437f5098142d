// Command stream compares the bandwidth probes of engine/inspect/limits with loops in C,
// compiled by gcc -O3 -march=native, on arrays of the same sizes: STREAM's copy
// and triad, with ordinary and with non-temporal stores. The sides alternate. It prints
// the best rates and their ratio, and the ratio round by round: the median and
// its 95% confidence interval. One thread each.
//
//	go run ./stream [-rounds N] [-only KIB]
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"math"
	"slices"

	"github.com/ebitengine/purego"
	"github.com/oneloop/oneloop/engine/inspect/limits"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

//go:embed c/stream.c
var source string

// The flags keep gcc from calling memcpy for the copy, whose stores depend on
// the size, so that it is known which loop is measured.
var cflags = []string{"-O3", "-march=native", "-fno-tree-loop-distribute-patterns"}

type kernel struct {
	name    string
	traffic limits.Traffic
}

var kernels = []kernel{
	{"copy", limits.Copy},
	{"copy-nt", limits.Traffic{Reads: 1, Writes: 1, Stream: true}},
	{"triad", limits.Triad},
	{"triad-nt", limits.Traffic{Reads: 2, Writes: 1, Stream: true}},
}

// sizes are those of one array, in bytes.
var sizes = []int{8 << 10, 256 << 10, 4 << 20, 85 << 20}

func main() {
	defer failure.Exit()
	rounds := flag.Int("rounds", 40, "`number` of rounds")
	only := flag.Int("only", 0, "measure arrays of so many `KiB` only")
	flag.Parse()
	if *only > 0 {
		sizes = []int{*only << 10}
	}
	var rate func(bytes uint, reads, nt, passes int32) float64
	purego.RegisterLibFunc(&rate, paired.Compile("gcc", source, cflags...), "rate")
	fmt.Printf("%11s %-9s %8s %8s %6s  %s\n", "array", "kernel", "C GB/s", "ours", "ratio", "by rounds: median, 95% interval")
	for _, size := range sizes {
		compare(size, max(*rounds, 1), func(t limits.Traffic) float64 {
			nt := int32(0)
			if t.Stream {
				nt = 1
			}
			return rate(uint(size), int32(t.Reads), nt, int32(max(1, (2<<20)/(size*t.Arrays()))))
		})
	}
}

// compare measures arrays of one size. theirs returns the rate of the loop in C.
func compare(size, rounds int, theirs func(limits.Traffic) float64) {
	m := failure.Must(limits.New(3 * size))
	defer m.Close()
	m.Budget = 0
	ours, peers := make([][]float64, len(kernels)), make([][]float64, len(kernels))
	for r := range rounds {
		for i, k := range kernels {
			x := 0.
			if r%2 == 0 {
				x = theirs(k.traffic)
			}
			y := m.Bandwidth(k.traffic, size*k.traffic.Arrays(), 1)
			if r%2 == 1 {
				x = theirs(k.traffic)
			}
			ours[i], peers[i] = append(ours[i], y), append(peers[i], x)
		}
	}
	for i, k := range kernels {
		ratios := make([]float64, rounds)
		for r := range ratios {
			ratios[r] = ours[i][r] / peers[i][r]
		}
		lo, hi := interval(ratios)
		c, m := slices.Max(peers[i]), slices.Max(ours[i])
		fmt.Printf("%7d KiB %-9s %8.1f %8.1f %6.3f  %.3f, %.3f..%.3f\n", size>>10, k.name, c/1e9, m/1e9, m/c, paired.Median(ratios), lo, hi)
	}
}

// interval holds the median with a probability of about 95%, by order
// statistics.
func interval(xs []float64) (lo, hi float64) {
	s := slices.Sorted(slices.Values(xs))
	k := max(int(math.Floor(float64(len(s))/2-.98*math.Sqrt(float64(len(s))))), 0)
	return s[k], s[len(s)-1-k]
}
