package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
)

//go:embed peer.py
var script string

// A peer is a process that runs cases in another library.
type peer struct {
	kind    string
	dir     string
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *bufio.Reader
}

// An answer is what a peer says. Times are in nanoseconds.
type answer struct {
	Version, Absent string
	Clock, Used     float64
}

// start starts a peer. If the Python or the library is absent, it says so and
// returns nil.
func start(kind, python string, threads int) (*peer, error) {
	path, err := exec.LookPath(python)
	if err != nil {
		fmt.Printf("%s is left out: %v\n", kind, err)
		return nil, nil
	}
	p := &peer{kind: kind, cmd: exec.Command(path, "-c", script, kind, strconv.Itoa(threads))}
	n := strconv.Itoa(threads)
	p.cmd.Env = append(os.Environ(), "OMP_NUM_THREADS="+n, "MKL_NUM_THREADS="+n, "PYTHONWARNINGS=ignore")
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.dir, err = os.MkdirTemp("", "peer"); err != nil {
		return nil, err
	}
	p.answers = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	a, err := p.answer()
	switch {
	case err != nil || a.Absent != "":
		p.close()
		if err == nil {
			fmt.Printf("%s is left out: %s\n", kind, a.Absent)
		}
		return nil, err
	}
	fmt.Println(a.Version)
	return p, nil
}

func (p *peer) close() {
	p.in.Close()
	p.cmd.Wait() //nolint:errcheck // it has nothing more to say
	os.RemoveAll(p.dir)
}

func (p *peer) answer() (a answer, err error) {
	line, err := p.answers.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("%s: %w", p.kind, err)
	}
	return a, json.Unmarshal(line, &a)
}

func (p *peer) ask(request any) (answer, error) {
	line, err := json.Marshal(request)
	if err != nil {
		return answer{}, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return answer{}, err
	}
	return p.answer()
}

// load gives the peer the inputs of c, and has it run the case a few times. It
// returns the results of the runs.
func (p *peer) load(name string, c *running, runs int) ([]float32, error) {
	type array struct {
		File  string `json:"file"`
		Shape []int  `json:"shape"`
	}
	var arrays []array
	for i, x := range c.in {
		a := array{filepath.Join(p.dir, "in"+strconv.Itoa(i)), x.Shape()}
		if err := os.WriteFile(a.File, dtype.Bytes(x.Data()), 0o600); err != nil {
			return nil, err
		}
		arrays = append(arrays, a)
	}
	results := filepath.Join(p.dir, "results")
	if _, err := p.ask(map[string]any{"case": name, "arrays": arrays, "runs": runs, "results": results}); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(results)
	if err == nil && len(b) != 4*runs*len(c.out.Data()) {
		err = fmt.Errorf("the results of %s have %d bytes, not %d", p.kind, len(b), 4*runs*len(c.out.Data()))
	}
	return dtype.Slice[float32](b), err
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

func (p *peer) timed(threads int) side {
	return func(reps int) (float64, error) {
		a, err := p.ask(map[string]int{"reps": reps})
		if threads == 1 {
			return a.Used / float64(reps) / 1e6, err
		}
		return a.Clock / float64(reps) / 1e6, err
	}
}

// lines indents text.
func lines(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ") + "\n"
}
