// Command stream compares the bandwidth probes of engine/inspect/limits with loops in C,
// compiled by gcc -O3 -march=native, on arrays of the same sizes: STREAM's copy
// and triad, with ordinary and with non-temporal stores, in turns. It prints
// the best rates and their ratio, and the ratio round by round: the median and
// its 95% confidence interval. One thread each.
//
//	go run ./scripts/stream [-rounds N] [-only KIB]
package main

import (
	"bufio"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine/inspect/limits"
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
	log.SetFlags(0)
	rounds := flag.Int("rounds", 40, "`number` of rounds")
	only := flag.Int("only", 0, "measure arrays of so many `KiB` only")
	flag.Parse()
	if *only > 0 {
		sizes = []int{*only << 10}
	}
	dir, err := os.MkdirTemp("", "stream")
	if err != nil {
		log.Fatal(err)
	}
	err = run(dir, max(*rounds, 1))
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
}

func run(dir string, rounds int) error {
	in, out := filepath.Join(dir, "stream.c"), filepath.Join(dir, "stream")
	if err := os.WriteFile(in, []byte(source), 0o666); err != nil {
		return err
	}
	if msg, err := exec.Command("gcc", append(cflags, "-o", out, in)...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc: %w: %s", err, msg)
	}
	fmt.Printf("%11s %-9s %8s %8s %6s  %s\n", "array", "kernel", "C GB/s", "ours", "ratio", "by rounds: median, 95% interval")
	for _, size := range sizes {
		if err := compare(out, size, rounds); err != nil {
			return err
		}
	}
	return nil
}

// compare measures arrays of one size.
func compare(program string, size, rounds int) error {
	m, err := limits.New(3 * size)
	if err != nil {
		return err
	}
	defer m.Close()
	m.Budget = 0
	c, err := start(program, size)
	if err != nil {
		return err
	}
	defer c.stop()
	ours, theirs := make([][]float64, len(kernels)), make([][]float64, len(kernels))
	for r := range rounds {
		for i, k := range kernels {
			x, err := 0., error(nil)
			if r%2 == 0 {
				x, err = c.rate(k, size)
			}
			y := m.Bandwidth(k.traffic, size*k.traffic.Arrays(), 1)
			if r%2 == 1 {
				x, err = c.rate(k, size)
			}
			if err != nil {
				return err
			}
			ours[i], theirs[i] = append(ours[i], y), append(theirs[i], x)
		}
	}
	for i, k := range kernels {
		ratios := make([]float64, rounds)
		for r := range ratios {
			ratios[r] = ours[i][r] / theirs[i][r]
		}
		lo, hi := interval(ratios)
		c, m := slices.Max(theirs[i]), slices.Max(ours[i])
		fmt.Printf("%7d KiB %-9s %8.1f %8.1f %6.3f  %.3f, %.3f..%.3f\n", size>>10, k.name, c/1e9, m/1e9, m/c, median(ratios), lo, hi)
	}
	return nil
}

// A child is the program in C.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(program string, size int) (*child, error) {
	c := &child{cmd: exec.Command(program, fmt.Sprint(size))}
	c.cmd.Stderr = os.Stderr
	var err error
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = bufio.NewReader(out)
	return c, c.cmd.Start()
}

func (c *child) rate(k kernel, size int) (float64, error) {
	streams := k.traffic.Reads + k.traffic.Writes
	if _, err := fmt.Fprintf(c.in, "%s %d\n", k.name, max(1, (2<<20)/(size*streams))); err != nil {
		return 0, err
	}
	line, err := c.out.ReadString('\n')
	if err != nil {
		return 0, err
	}
	var x float64
	_, err = fmt.Sscan(strings.TrimSpace(line), &x)
	return x, err
}

func (c *child) stop() {
	c.in.Close()
	_ = c.cmd.Wait()
}

func median(xs []float64) float64 {
	s := slices.Sorted(slices.Values(xs))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}

// interval holds the median with a probability of about 95%, by order
// statistics.
func interval(xs []float64) (lo, hi float64) {
	s := slices.Sorted(slices.Values(xs))
	n := len(s)
	k := 0
	for k+1 < n/2 && float64(k+1) < float64(n)/2-.98*math.Sqrt(float64(n)) {
		k++
	}
	return s[k], s[n-1-k]
}
