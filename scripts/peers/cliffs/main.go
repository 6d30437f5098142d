// Command cliffs compares compiled programs with loops in C, the interpreter and NumPy
// on many kinds of loops: broadcasts, short rows, steps, transposes, narrow integers
// and others. All sides alternate in one process on the same values, and their results
// are compared. Times are processor times of one thread, or with -threads elapsed times
// of several; C and NumPy have one. Of several compilers of C the fastest loop counts.
//
//	go run ./cliffs [-match REGEXP] [-backend avx2] [-numpy python3] [-cc gcc,clang] [-flags '-O3 -march=native'] [-rounds 7] [-threads 2 -sample 20ms] [-cold 8 -rounds 51]
//	go run ./cliffs -random 200 [-seed 1]      # random shapes, steps, offsets and orders of axes instead
//	go run ./cliffs -functions [-numpy python3] [-torch python3] # every element-wise function instead, without C
//	go run ./cliffs -routines -numpy python3 -torch python3 -numba python3 # scans, random numbers, scatters, sorts, complex numbers, windows
//	go run ./cliffs -list FILE  # tests in the form of cases.txt, with -routines of routines.txt
//	go run ./cliffs -check      # no C: fails where machine code of any back end is slower than the interpreter
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

type options struct {
	backend, cc, flags string
	pythons            map[string]*string // by library
	routines           bool
	rounds, threads    int
	sample             time.Duration
	check              bool
	cold               int
}

func main() {
	log.SetFlags(0)
	defer failure.Exit()
	var o options
	match := flag.String("match", "", "only tests whose kind or title matches this expression")
	flag.StringVar(&o.backend, "backend", "", "back end; default: the preferred one, with -check all of them")
	o.pythons = map[string]*string{
		"numpy": flag.String("numpy", "", "a Python with NumPy, to compare with it too"),
		"torch": flag.String("torch", "", "a Python with torch, to compare with it too; bfloat16 is compared with nothing else"),
		"numba": flag.String("numba", "", "a Python with numba, to compare routines with it"),
		"scipy": flag.String("scipy", "", "a Python with SciPy, to compare routines with it"),
	}
	flag.StringVar(&o.cc, "cc", "gcc,clang", "compilers of C, or none; those that are not installed are left out")
	flag.StringVar(&o.flags, "flags", "-O3 -march=native", "flags of the compilers")
	flag.IntVar(&o.rounds, "rounds", 7, "rounds of each test; medians count")
	flag.IntVar(&o.threads, "threads", 1, "threads of this library and of torch")
	flag.DurationVar(&o.sample, "sample", 2*time.Millisecond, "time of each side in a round, at least")
	flag.IntVar(&o.cold, "cold", 0, "MiB of other data that are written before each run, of which a round has one then")
	flag.BoolVar(&o.check, "check", false, "only compare with the interpreter, and fail where it is faster")
	random := flag.Int("random", 0, "so many random tests instead of the listed ones")
	everything := flag.Bool("functions", false, "the element-wise functions instead of the listed tests")
	sizes := flag.String("n", "1000,100000,1000000", "elements of the arguments of functions")
	flag.BoolVar(&o.routines, "routines", false, "scans, random numbers, scatters, sorts, complex numbers and windows instead, which other libraries have; none may be slower")
	list := flag.String("list", "", "a file of tests in the form of cases.txt, or with -routines of routines.txt, instead of the listed tests")
	seed := flag.Uint64("seed", 1, "of the random tests")
	flag.Parse()
	want := failure.Must(regexp.Compile("(?i)" + *match))
	text := blocks
	switch {
	case *list != "":
		text = string(failure.Must(os.ReadFile(*list)))
	case *random > 0:
		text = randomBlocks(*random, *seed)
	case *everything:
		text = functionBlocks(*sizes)
	case o.routines:
		text = routineList
	}
	tests := slices.DeleteFunc(parse(text), func(t test) bool { return !want.MatchString(t.kind + ": " + t.title()) })
	if len(tests) == 0 {
		log.Fatal("no test matches")
	}
	runtime.LockOSThread()
	if o.threads > 1 {
		clock = paired.Elapsed
	}
	if !o.check {
		compare(tests, o)
		return
	}
	backends := slices.DeleteFunc(engine.Backends(), func(name string) bool { return name == "interp" })
	if o.backend != "" {
		backends = []string{o.backend}
	}
	var err error
	for _, o.backend = range backends {
		err = errors.Join(err, check(tests, o))
	}
	failure.Check(err)
}

// slack is the noise of a few runs: elements that Go copies take as long on both sides.
const slack = 1.2

// checked are the numbers of runs that check takes one after the other, until machine
// code has been as fast as the interpreter.
var checked = []int{1, 5, 9, 60}

// check fails if machine code is slower than the interpreter in a test. A slow test
// is measured again after all others, in other memory, until it has been slow three times.
func check(tests []test, o options) error {
	slow := map[*test]error{}
	var losers []*test
	for i := range tests {
		losers = append(losers, &tests[i])
	}
	for range 3 {
		left := losers
		losers = nil
		for _, t := range left {
			if slow[t] = slower(t, o); slow[t] != nil {
				losers = append(losers, t)
			}
		}
	}
	all := lists.Map(losers, func(t *test) error { return slow[t] })
	fmt.Printf("%s: %d tests, %d slower than the interpreter\n", o.backend, len(tests), len(all))
	return errors.Join(all...)
}

// slower measures a test. It returns the result as slow if machine code is slower than the
// interpreter.
func slower(t *test, o options) (slow error) {
	c := newContest(context.Background(), t, o.threads, []string{o.backend, "interp"})
	failure.Check(c.verify())
	// A few runs suffice, as the interpreter is many times slower. Where it is
	// not, more runs decide.
	for _, rounds := range checked {
		c.measure(rounds, 0)
		ours, theirs := slices.Min(c.sides[0].per), slices.Min(c.sides[1].per)
		if ours < slack*theirs {
			return nil
		}
		slow = fmt.Errorf("%s: %s: code for %s takes %.3g ns for an element, the interpreter %.3g", t.kind, t.title(), o.backend, ours, theirs)
	}
	return slow
}

// compare prints a table of all tests, and says which miss the goals.
func compare(tests []test, o options) {
	var cc []compiler
	if tests[0].c != "" || o.routines {
		cc = compilers(tests, o.cc, o.flags)
	}
	var others []*python
	scripts := map[string]string{"numpy": numpyScript, "torch": torchScript, "numba": numbaScript + numpyScript, "scipy": "from scipy import ndimage\n" + numpyScript}
	for _, name := range libraries {
		path := *o.pythons[name]
		if path == "" {
			continue
		}
		other := startPython(name, path, scripts[name], o.threads)
		defer other.Close()
		others = append(others, other)
	}
	s := summary{peers: peers, ratios: map[string][]float64{}, below: map[string]int{}}
	if o.routines {
		s.peers = strict
	}
	s.begin(o, cc)
	other := make([]byte, o.cold<<20)
	for i := range tests {
		c := newContest(context.Background(), &tests[i], o.threads, []string{o.backend, "interp"})
		for _, compiler := range cc {
			if c.t.c != "" {
				c.addC(compiler.name, compiler.loops[i])
			}
		}
		for _, p := range others {
			if c.t.has(p.name) {
				c.addPython(p)
			}
		}
		if err := c.verify(); err != nil {
			fmt.Println(err)
			s.wrong++
			continue
		}
		if len(cc) == 0 || o.routines { // the time of the interpreter is of little interest here
			c.sides = slices.DeleteFunc(c.sides, func(s side) bool { return s.name == "interp" })
		}
		if c.other = other; len(other) > 0 {
			o.sample = 0
		}
		c.measure(o.rounds, o.sample)
		s.add(c)
	}
	s.end()
}

// The goals: ratios below these are misses.
const leastC, leastNumPy = .8, .9

// A summary has the ratios of all tests.
type summary struct {
	peers        []peer
	ratios       map[string][]float64 // by peer
	below        map[string]int       // the goal
	miss, wrong  int
	interpreters int // faster ones
}

// A peer is a side with a goal, the least ratio of tests that state no other.
type peer struct {
	title string
	least float64
}

var (
	peers  = []peer{{"c", leastC}, {"numpy", leastNumPy}, {"torch", leastNumPy}}
	strict = []peer{{"c", 1}, {"numpy", 1}, {"torch", 1}, {"numba", 1}, {"scipy", 1}, {"beside", 1}} // of routines
)

// begin prints what is above the rows.
func (s *summary) begin(o options, cc []compiler) {
	fmt.Printf("ns/element, medians of %d; a ratio is another's time / oneloop's; a miss (*): below", o.rounds)
	titles, ratios := "", ""
	for i, p := range s.peers {
		fmt.Printf("%s %g of %s", []string{"", ","}[min(i, 1)], p.least, p.title)
		titles, ratios = titles+p.title+" | ", ratios+p.title+"/oneloop | "
	}
	fmt.Println()
	for _, c := range cc {
		fmt.Printf("%s %s: %s\n", c.name, o.flags, c.version)
	}
	fmt.Printf("\n| kind | test | oneloop | interp | %s%s|\n%s|\n", titles, ratios, strings.Repeat("|---", 5+2*len(s.peers)))
}

// add prints the row of a contest.
func (s *summary) add(c *contest) {
	ns := map[string]float64{}
	best := ""
	for i := range c.sides {
		x := &c.sides[i]
		t := paired.Median(x.per)
		if ns[x.name] = t; !x.c {
			continue
		}
		if least, ok := ns["c"]; !ok || t < least {
			ns["c"], best = t, x.name
		}
	}
	cells, ratios, mark := fmt.Sprintf("| %s | %s |", c.t.kind, c.t.title()), "", ""
	for _, name := range []string{"oneloop", "interp"} {
		cells += cell(ns, name, ns[name])
	}
	for _, p := range s.peers {
		t, ok := ns[p.title]
		ratio := t / ns["oneloop"]
		if cells, ratios = cells+cell(ns, p.title, t), ratios+cell(ns, p.title, ratio); !ok {
			continue
		}
		if s.ratios[p.title] = append(s.ratios[p.title], ratio); ratio < c.t.goal(p) {
			mark += "*"
			s.below[p.title]++
		}
	}
	if t, ok := ns["interp"]; ok && t < ns["oneloop"] {
		s.interpreters++
	}
	if mark != "" {
		s.miss++
	}
	fmt.Println(cells+ratios, best, mark, "|")
}

// cell is the text of a number of a side, or an empty cell if there is no such side.
func cell(ns map[string]float64, name string, value float64) string {
	if _, ok := ns[name]; !ok {
		return " |"
	}
	return fmt.Sprintf(" %.3g |", value)
}

func (s *summary) end() {
	for _, p := range s.peers {
		ratios := s.ratios[p.title]
		if len(ratios) == 0 {
			continue
		}
		logs := 0.
		for _, r := range ratios {
			logs += math.Log(r)
		}
		fmt.Printf("\n%s: %d tests, median %.2f, geometric mean %.2f, %d misses", p.title, len(ratios), paired.Median(ratios), math.Exp(logs/float64(len(ratios))), s.below[p.title])
	}
	fmt.Printf("\n%d misses; the interpreter is faster in %d\n", s.miss, s.interpreters)
	if s.wrong > 0 {
		failure.Check(fmt.Errorf("%d tests have wrong results", s.wrong))
	}
}
