// Command torch compares convolutions, attention, gradients of pools and steps of
// training with PyTorch, eager and compiled, and with JAX. Each library runs in a
// process of its own that times itself. The processes and oneloop take turns, on the same
// values, and their results are compared.
//
//	go run ./torch -torch PYTHON [-jax PYTHON] [-match REGEXP] [-threads 1,2] [-rounds 9] [-peers eager,compile,jax]
//
// With one thread the times are processor times of the processes, with several they
// are those of the clock. A library that a Python lacks is left out, with one line.
package main

import (
	"flag"
	"fmt"
	"log"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

type options struct {
	peers  []string
	python map[string]string // by peer
	match  *regexp.Regexp
	rounds int
	sample time.Duration
	stages bool
}

func main() {
	log.SetFlags(0)
	defer failure.Exit()
	torch := flag.String("torch", "python3", "a Python with torch")
	jax := flag.String("jax", "", "a Python with JAX; default: the one with torch")
	match := flag.String("match", "", "only cases whose name matches this expression")
	threads := flag.String("threads", "1,2", "numbers of threads")
	peers := flag.String("peers", "eager,compile,jax", "what to compare with; empty: nothing")
	var o options
	flag.IntVar(&o.rounds, "rounds", 9, "rounds of each case; medians count")
	flag.DurationVar(&o.sample, "sample", 100*time.Millisecond, "time of each side in a round, at least")
	flag.BoolVar(&o.stages, "stages", false, "also print the stages of oneloop and their times")
	flag.Parse()
	if *jax == "" {
		*jax = *torch
	}
	o.python = map[string]string{"eager": *torch, "compile": *torch, "jax": *jax}
	o.peers = strings.FieldsFunc(*peers, func(r rune) bool { return r == ',' })
	o.match = failure.Must(regexp.Compile(*match))
	for _, n := range strings.Split(*threads, ",") {
		t, err := strconv.Atoi(n)
		if err != nil || t < 1 {
			log.Fatalf("-threads %s: %q is no number of threads", *threads, n)
		}
		o.compare(t)
	}
}

// compare prints a table of all cases for a number of threads.
func (o options) compare(threads int) {
	runtime.GOMAXPROCS(threads)
	var peers []*peer
	for _, kind := range o.peers {
		if p := start(kind, o.python[kind], threads); p != nil {
			defer p.Close()
			peers = append(peers, p)
		}
	}
	fmt.Printf("\n%d threads; %s; medians of %d rounds, in ms; a ratio is another's time / oneloop's, its median and range\n\n", threads, runtime.Version(), o.rounds)
	fmt.Print("| case | oneloop, least |")
	for _, p := range peers {
		fmt.Printf(" %s, least | ratio |", p.kind)
	}
	fmt.Println("\n|---|---|" + strings.Repeat("---|---|", len(peers)))
	jax := slices.ContainsFunc(peers, func(p *peer) bool { return p.kind == "jax" }) // it has no expressions of torch
	for _, c := range cases {
		if o.match.MatchString(c.name) && !(jax && strings.Contains(c.peer, "(")) {
			o.row(c, peers, threads)
		}
	}
}

// row prints the row of one case.
func (o options) row(c workload, peers []*peer, threads int) {
	defer failure.In(c.name)
	ours := failure.Must(c.make())
	sides := []paired.Side{ours.timed(threads)}
	theirs := make([][]float32, len(peers))
	for i, p := range peers {
		theirs[i] = p.load(c.peer, ours, c.runs)
		sides = append(sides, p.timed(threads))
	}
	var results []float32
	for range c.runs {
		failure.Check(ours.run())
		results = append(results, ours.out.Data()...)
	}
	for i, p := range peers {
		if d := difference(results, theirs[i]); !(d <= c.tolerance) {
			failure.Check(fmt.Errorf("the results of %s differ by %.3g, and may by %g", p.kind, d, c.tolerance))
		}
	}
	pids := lists.Map(peers, (*peer).PID)
	times := paired.Alternate(sides, paired.Rounds{
		N: o.rounds, Sample: o.sample, Quiet: func() { paired.Quiet(pids...) }, Warm: func(_, reps int) int { return reps / 10 },
	})
	ms := func(t []float64) string { return fmt.Sprintf("%.3g, %.3g |", paired.Median(t)/1e6, slices.Min(t)/1e6) }
	fmt.Printf("| %s | %s", c.name, ms(times[0]))
	for _, t := range times[1:] {
		ratios := make([]float64, len(t))
		for i := range t {
			ratios[i] = t[i] / times[0][i]
		}
		fmt.Printf(" %s %.2f (%.2f..%.2f) |", ms(t), paired.Median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
	fmt.Printf("\n%s", ours.about(o.stages))
}
