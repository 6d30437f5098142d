// Command cliffs compares compiled programs with loops in C, the interpreter and NumPy
// on many kinds of loops: broadcasts, short rows, steps, transposes, narrow integers
// and others. All sides alternate in one process on the same values, and their results
// are compared. Times are processor times of one thread.
//
//	go run ./cliffs [-match REGEXP] [-backend avx2] [-numpy python3] [-flags '-O3 -march=native'] [-rounds 7]
//	go run ./cliffs -check      # no C: fails where machine code is slower than the interpreter
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

type options struct {
	backend, python, flags string
	rounds                 int
	sample                 time.Duration
	check                  bool
}

func main() {
	log.SetFlags(0)
	var o options
	match := flag.String("match", "", "only tests whose kind or title matches this expression")
	flag.StringVar(&o.backend, "backend", "", "back end; default: the preferred one")
	flag.StringVar(&o.python, "numpy", "", "a Python with NumPy, to compare with it too")
	flag.StringVar(&o.flags, "flags", "-O3 -march=native", "flags of gcc")
	flag.IntVar(&o.rounds, "rounds", 7, "rounds of each test; medians count")
	flag.DurationVar(&o.sample, "sample", 2*time.Millisecond, "processor time of each side in a round, at least")
	flag.BoolVar(&o.check, "check", false, "only compare with the interpreter, and fail where it is faster")
	flag.Parse()
	want, err := regexp.Compile("(?i)" + *match)
	if err != nil {
		log.Fatal(err)
	}
	all, err := parse(blocks)
	if err != nil {
		log.Fatal(err)
	}
	tests := slices.DeleteFunc(all, func(t test) bool { return !want.MatchString(t.kind + ": " + t.title()) })
	runtime.LockOSThread()
	if o.check {
		err = check(tests, o)
	} else {
		err = compare(tests, o)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// slack is the noise of a few runs: elements that Go copies take as long on both sides.
const slack = 1.2

// checked are the numbers of runs that check takes one after the other, until machine
// code has been as fast as the interpreter.
var checked = []int{1, 5, 9, 60}

// check fails if machine code is slower than the interpreter in a test.
func check(tests []test, o options) error {
	var slow []error
	for i := range tests {
		t := &tests[i]
		c, err := newContest(context.Background(), t, []string{o.backend, "interp"})
		if err != nil {
			return fmt.Errorf("%s: %w", t.title(), err)
		}
		if err = c.verify(); err != nil {
			return err
		}
		// A few runs suffice, as the interpreter is many times slower. Where it is
		// not, more runs decide.
		for _, rounds := range checked {
			if err = c.measure(rounds, 0); err != nil {
				return err
			}
			ours, theirs := slices.Min(c.sides[0].per), slices.Min(c.sides[1].per)
			if ours < slack*theirs {
				break
			}
			if rounds == checked[len(checked)-1] {
				slow = append(slow, fmt.Errorf("%s: %s: machine code takes %.3g ns for an element, the interpreter %.3g", t.kind, t.title(), ours, theirs))
			}
		}
	}
	fmt.Printf("%d tests, %d slower than the interpreter\n", len(tests), len(slow))
	return errors.Join(slow...)
}

// compare prints a table of all tests, and says which miss the goals.
func compare(tests []test, o options) error {
	loops, err := build(tests, o.flags)
	if err != nil {
		return err
	}
	var py *python
	if o.python != "" {
		if py, err = startPython(o.python); err != nil {
			return err
		}
		defer py.close()
	}
	fmt.Printf("ns/element, medians of %d; gcc %s; a ratio is another's time / oneloop's; a miss (*): below %g of C or %g of NumPy\n\n", o.rounds, o.flags, leastC, leastNumPy)
	fmt.Println("| kind | test | oneloop | interp | c | numpy | c/oneloop | numpy/oneloop | |\n|---|---|---|---|---|---|---|---|---|")
	var s summary
	for i := range tests {
		c, err := newContest(context.Background(), &tests[i], []string{o.backend, "interp"})
		if err != nil {
			return fmt.Errorf("%s: %w", tests[i].title(), err)
		}
		c.addC(loops[i])
		if py != nil && !c.t.alone {
			if err := c.addNumPy(py); err != nil {
				return err
			}
		}
		if err := c.verify(); err != nil {
			fmt.Println(err)
			s.wrong++
			continue
		}
		if err := c.measure(o.rounds, o.sample); err != nil {
			return err
		}
		s.add(c)
	}
	return s.end()
}

// The goals: ratios below these are misses.
const leastC, leastNumPy = .8, .9

// A summary has the ratios of all tests.
type summary struct {
	c, numpy     []float64
	miss, wrong  int
	interpreters int // faster ones
}

// add prints the row of a contest.
func (s *summary) add(c *contest) {
	ns := map[string]float64{}
	for i := range c.sides {
		ns[c.sides[i].name] = paired.Median(c.sides[i].per)
	}
	cells := fmt.Sprintf("| %s | %s | %.3g | %.3g | %.3g |", c.t.kind, c.t.title(), ns["oneloop"], ns["interp"], ns["c"])
	ratio, mark := ns["c"]/ns["oneloop"], ""
	s.c = append(s.c, ratio)
	if ratio < leastC {
		mark = "*"
	}
	if t, ok := ns["numpy"]; ok {
		other := t / ns["oneloop"]
		s.numpy = append(s.numpy, other)
		if other < leastNumPy {
			mark = "*"
		}
		cells += fmt.Sprintf(" %.3g | %.2f | %.2f |", t, ratio, other)
	} else {
		cells += fmt.Sprintf(" | %.2f | |", ratio)
	}
	if ns["interp"] < ns["oneloop"] {
		s.interpreters++
	}
	if mark != "" {
		s.miss++
	}
	fmt.Println(cells, mark, "|")
}

func (s *summary) end() error {
	for _, side := range []struct {
		name   string
		ratios []float64
		least  float64
	}{{"C", s.c, leastC}, {"NumPy", s.numpy, leastNumPy}} {
		if len(side.ratios) == 0 {
			continue
		}
		logs, below := 0., 0
		for _, r := range side.ratios {
			logs += math.Log(r)
			if r < side.least {
				below++
			}
		}
		fmt.Printf("\n%s: %d tests, median %.2f, geometric mean %.2f, %d below %g", side.name, len(side.ratios), paired.Median(side.ratios), math.Exp(logs/float64(len(side.ratios))), below, side.least)
	}
	fmt.Printf("\n%d misses; the interpreter is faster in %d\n", s.miss, s.interpreters)
	if s.wrong > 0 {
		return fmt.Errorf("%d tests have wrong results", s.wrong)
	}
	return nil
}
