// Command sorts compares op.Sort with numpy.sort: one thread and its CPU time, the same
// arrays, alternately. It fails if the results differ.
//
//	go run ./sorts -numpy python3 [-match 'float64 .*few'] [-rounds 15] [-backend avx2]
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

//go:embed numpy.py
var script string

// A numpy is a process that sorts in NumPy.
type numpy struct {
	file    string
	in      io.Writer
	answers *bufio.Reader
}

func (p *numpy) ask(format string, args ...any) (string, error) {
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		return "", err
	}
	answer, err := p.answers.ReadString('\n')
	return strings.TrimSpace(answer), err
}

type options struct {
	match   *regexp.Regexp
	rounds  int
	backend string
}

func main() {
	log.SetFlags(0)
	python := flag.String("numpy", "python3", "Python with NumPy")
	match := flag.String("match", "", "only rows that match this expression")
	o := options{}
	flag.IntVar(&o.rounds, "rounds", 15, "measurements of each")
	flag.StringVar(&o.backend, "backend", "", "backend; default: the preferred one")
	flag.Parse()
	var err error
	if o.match, err = regexp.Compile(*match); err == nil {
		err = run(*python, o)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func run(python string, o options) error {
	runtime.LockOSThread()
	dir, err := os.MkdirTemp("", "sorts")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command(python, "-c", script)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	p := &numpy{filepath.Join(dir, "x"), in, bufio.NewReader(out)}
	fmt.Println("ns for each element: ours, NumPy's, and NumPy's / ours")
	for _, n := range []int{4, 16, 64, 128, 256, 1024, 1 << 14, 1 << 20, 10_000_000} {
		for _, err := range []error{
			compare(p, o, n, "float64", func(x float64) float64 { return x }), compare(p, o, n, "float32", func(x float64) float32 { return float32(x) }),
			compare(p, o, n, "int64", func(x float64) int64 { return int64(x * 1e15) }), compare(p, o, n, "int32", func(x float64) int32 { return int32(x * 1e8) }),
			compare(p, o, n, "int8", func(x float64) int8 { return int8(x * 20) }),
		} {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// orders make numbers of about the size 1. Element i has n neighbours in its row.
var orders = []struct {
	name  string
	value func(i, n int) float64
}{
	{"random", func(int, int) float64 { return rand.NormFloat64() }},
	{"sorted", func(i, n int) float64 { return float64(i) / float64(n) }},
	{"reversed", func(i, n int) float64 { return float64(n-i) / float64(n) }},
	{"few", func(int, int) float64 { return float64(rand.IntN(10)) / 10 }},
}

func compare[T expr.Elem](p *numpy, o options, n int, typ string, of func(float64) T) error {
	rows := max(1, 1<<17/n)
	for _, order := range orders {
		name := fmt.Sprintf("%s %d %s", typ, n, order.name)
		if !o.match.MatchString(name) {
			continue
		}
		values := make([]T, rows*n)
		for i := range values {
			values[i] = of(order.value(i%n, n))
		}
		if err := os.WriteFile(p.file, bytesOf(values), 0o600); err != nil {
			return err
		}
		if _, err := p.ask("load %s %s %d", p.file, typ, n); err != nil {
			return err
		}
		want, err := os.ReadFile(p.file)
		if err != nil {
			return err
		}
		y := engine.Zeros[T](rows, n)
		program, err := engine.CompileWith(context.Background(), engine.Options{Threads: 1, Backend: o.backend},
			expr.Let(y, op.Sort(engine.MustFromSlice(values, rows, n), 1)))
		if err != nil {
			return err
		}
		if err := program.Run(context.Background()); err != nil || !bytes.Equal(bytesOf(y.Data()), want) {
			return fmt.Errorf("%s: the results differ: %v", name, err)
		}
		if err := measure(p, o, name, len(values), program); err != nil {
			return err
		}
	}
	return nil
}

// measure prints the medians of alternating measurements, and the median of their ratios.
func measure(p *numpy, o options, name string, elements int, program *engine.Program) error {
	reps := max(1, 1<<20/elements)
	var ours, theirs, ratios []float64
	for range o.rounds {
		before := paired.Used()
		for range reps {
			if err := program.Run(context.Background()); err != nil {
				return err
			}
		}
		a := float64((paired.Used() - before).Nanoseconds())
		answer, err := p.ask("run %d", reps)
		if err != nil {
			return err
		}
		b, err := strconv.ParseFloat(answer, 64)
		if err != nil {
			return err
		}
		count := float64(reps * elements)
		ours, theirs, ratios = append(ours, a/count), append(theirs, b/count), append(ratios, b/a)
	}
	fmt.Printf("%-26s %7.2f %7.2f %6.2f\n", name, paired.Median(ours), paired.Median(theirs), paired.Median(ratios))
	return nil
}

func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}
