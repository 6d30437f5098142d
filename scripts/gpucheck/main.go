// Command gpucheck runs formulas on a GPU for scripts/gpu-check, which measures
// them in turns with other libraries. It reads requests, a line of JSON each, and
// answers each with a line:
//
//	{"op": "open"}                                            {"device": "..."}
//	{"op": "case", "text": "y = a + b", "dtype": "float32",
//	 "arrays": [{"name": "y", "shape": [1000], "lo": 0, "hi": 1}], "scalars": {"k": 1}}
//	                                                          {"compile_ns": 1, "bytes": 1, "stages": 1}
//	{"op": "queue", "n": 100}                                 {"ns": 1}: of n queued runs and one wait, after another run
//	{"op": "wait", "n": 100}                                  {"ns": 1}: of n runs that are waited for each
//	{"op": "read", "name": "y", "n": 10}                      {"values": [1, 2]}
//
// A failure is {"error": "..."}.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/oneloop/oneloop/engine"
	_ "github.com/oneloop/oneloop/engine/cuda"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/element"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
)

type request struct {
	Op      string
	Text    string
	Dtype   string
	Arrays  []array
	Scalars map[string]float64
	Name    string
	N       int
}

type array struct {
	Name   string
	Shape  []int
	Lo, Hi float64
}

type answer map[string]any

// A session is the GPU and the case at hand.
type session struct {
	gpu    driver.Device
	stream driver.Stream
	arrays map[string]*engine.Array
	prog   *engine.Program
}

func main() {
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	in.Buffer(nil, 1<<20)
	s := &session{}
	for in.Scan() {
		var r request
		a, err := answer(nil), json.Unmarshal(in.Bytes(), &r)
		if err == nil {
			a, err = s.do(context.Background(), r)
		}
		if err != nil {
			a = answer{"error": err.Error()}
		}
		if err := out.Encode(a); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func (s *session) do(ctx context.Context, r request) (_ answer, err error) {
	defer failure.Catch(&err)
	switch r.Op {
	case "open":
		s.gpu = failure.Must(engine.OpenDevice("cuda:0"))
		s.stream = failure.Must(s.gpu.NewStream())
		return answer{"device": fmt.Sprint(s.gpu)}, nil
	case "case":
		return s.prepare(ctx, r), nil
	case "queue":
		failure.Check(s.prog.RunAsync(s.stream).Wait(ctx))
		start := time.Now()
		for range r.N {
			s.prog.RunAsync(s.stream)
		}
		err := s.stream.Sync(ctx)
		return answer{"ns": time.Since(start).Nanoseconds()}, err
	case "wait":
		start := time.Now()
		for range r.N {
			failure.Check(s.prog.Run(ctx))
		}
		return answer{"ns": time.Since(start).Nanoseconds()}, nil
	case "read":
		return s.read(r)
	}
	return nil, fmt.Errorf("there is no operation %q", r.Op)
}

// prepare makes the arrays of a case and compiles it. What the last case had is
// released.
func (s *session) prepare(ctx context.Context, r request) answer {
	if s.prog != nil {
		failure.Check(s.prog.Close())
		s.prog = nil
	}
	for _, a := range s.arrays {
		failure.Check(a.Memory().Free())
	}
	t := failure.Must(dtype.Parse(r.Dtype))
	s.arrays = map[string]*engine.Array{}
	env := map[string]*tree.Node{}
	for name, x := range r.Scalars {
		env[name] = tree.ConstFloat(dtype.F64, x)
	}
	for _, a := range r.Arrays {
		here := failure.Must(engine.NewArray(t, a.Shape...))
		fill(here, a.Lo, a.Hi)
		there := failure.Must(here.Named(a.Name).To(s.gpu))
		s.arrays[a.Name], env[a.Name] = there, there.Node()
	}
	unit := failure.Must(failure.Must(formula.Parse(r.Text)).BuildFor(env, nil))
	start := time.Now()
	s.prog = failure.Must(engine.Compile(ctx, unit.Statements...))
	a := answer{"compile_ns": time.Since(start).Nanoseconds(), "stages": len(s.prog.Plan().Stages)}
	a["bytes"] = lists.Sum(s.prog.Plan().Stages, (*plan.Stage).Bytes)
	failure.Check(s.prog.Run(ctx))
	return a
}

// fill writes lo + (hi-lo) * frac((i % 65521) * golden ratio), as bench.py does.
func fill(a *engine.Array, lo, hi float64) {
	const period, golden = 65521, 0.6180339887498949
	t := a.DType()
	b := a.Memory().Bytes()
	size := t.Size()
	for i := range min(period, len(b)/size) {
		_, f := math.Modf(float64(i) * golden)
		element.PutFloat(t, b, i, lo+(hi-lo)*f)
	}
	for at := period * size; at < len(b); at += period * size {
		copy(b[at:], b[:period*size])
	}
}

// read is the first elements of an array.
func (s *session) read(r request) (answer, error) {
	a := s.arrays[r.Name]
	if a == nil {
		return nil, fmt.Errorf("there is no array %q", r.Name)
	}
	b, err := a.Bytes()
	if err != nil {
		return nil, err
	}
	values := []float64{}
	size := a.DType().Size()
	for i := range min(r.N, len(b)/size) {
		values = append(values, element.Float(a.DType(), b, i))
	}
	return answer{"values": values}, nil
}
