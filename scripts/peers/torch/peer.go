package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

//go:embed peer.py
var script string

// A peer is a process that runs cases in another library.
type peer struct {
	*paired.Process
	kind string
}

// An answer is what a peer says. Times are in nanoseconds.
type answer struct {
	Version, Absent string
	Clock, Used     time.Duration
}

// start starts a peer. If the Python or the library is absent, it says so and
// returns nil.
func start(kind, python string, threads int) *peer {
	path, err := exec.LookPath(python)
	if err != nil {
		fmt.Printf("%s is left out: %v\n", kind, err)
		return nil
	}
	n := strconv.Itoa(threads)
	process := paired.Start(kind, []string{"OMP_NUM_THREADS=" + n, "MKL_NUM_THREADS=" + n, "PYTHONWARNINGS=ignore"}, path, "-c", script, kind, n)
	var a answer
	if process.Read(&a); a.Absent != "" {
		process.Close()
		fmt.Printf("%s is left out: %s\n", kind, a.Absent)
		return nil
	}
	fmt.Println(a.Version)
	return &peer{process, kind}
}

// load gives the peer the inputs of c, and has it run the case a few times. It
// returns the results of the runs.
func (p *peer) load(name string, c *running, runs int) []float32 {
	type array struct {
		File  string `json:"file"`
		Shape []int  `json:"shape"`
	}
	var arrays []array
	for i, x := range c.in {
		a := array{filepath.Join(p.Dir, "in"+strconv.Itoa(i)), x.Shape()}
		failure.Check(os.WriteFile(a.File, dtype.Bytes(x.Data()), 0o600))
		arrays = append(arrays, a)
	}
	results := filepath.Join(p.Dir, "results")
	p.Ask(map[string]any{"case": name, "arrays": arrays, "runs": runs, "results": results}, &answer{})
	b := failure.Must(os.ReadFile(results))
	if len(b) != 4*runs*len(c.out.Data()) {
		failure.Check(fmt.Errorf("the results of %s have %d bytes, not %d", p.kind, len(b), 4*runs*len(c.out.Data())))
	}
	return dtype.Slice[float32](b)
}

// difference returns the greatest difference of elements, relative to the largest
// element. NaN is different from everything.
func difference(x, y []float32) float64 {
	d, size := 0., 0.
	for i, v := range x {
		e := math.Abs(float64(v) - float64(y[i]))
		if !(e <= d) {
			d = e
		}
		size = max(size, math.Abs(float64(v)))
	}
	if d == 0 {
		return 0
	}
	return d / size
}

func (p *peer) timed(threads int) paired.Side {
	return func(reps int) time.Duration {
		var a answer
		p.Ask(map[string]int{"reps": reps}, &a)
		if threads == 1 {
			return a.Used
		}
		return a.Clock
	}
}

// lines indents text.
func lines(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}
