package main

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/internal/zero"
)

// The blocks of routines.txt are like those of cases.txt. Each says what the libraries run.
//
//go:embed routines.txt
var routineList string

// routinesHeader has what the C code of the routines calls.
//
//go:embed routines.h
var routinesHeader string

// libraries are the Python libraries that routines are compared with.
var libraries = []string{"numpy", "torch", "numba", "scipy"}

// addRoutine adds what only blocks of routines.txt have.
func (t *test) addRoutine(key map[string]string, replace func(string) string) {
	t.random = key["compare"] == "no"
	for _, name := range libraries {
		if text := key[name]; text != "" {
			zero.Put(&t.texts, name, call{replace(key[name+" first"]), replace(text)})
		}
	}
	for _, goal := range strings.Fields(key["goals"]) {
		name, value, _ := strings.Cut(goal, "=")
		zero.Put(&t.least, name, number(value))
	}
	if count := replace(key["count"]); count != "" {
		t.count = int(number(count))
	}
}

// has reports whether a library can run test t.
func (t *test) has(library string) bool {
	if t.texts == nil {
		return t.program == "" && (library == "numpy" || library == "torch")
	}
	_, ok := t.texts[library]
	return ok
}

// goal returns the least ratio of p that is no miss.
func (t *test) goal(p peer) float64 {
	if least, ok := t.least[p.title]; ok {
		return least
	}
	return p.least
}

// statement returns a program that is no formula, by its name in routines.txt.
func statement(name string, arrays []*engine.Array) expr.Statement {
	if name == "histogram" {
		return histogramOf(arrays)
	}
	if arrays[0].DType() == dtype.F64 {
		return statementOf[float64](name, arrays)
	}
	return statementOf[float32](name, arrays)
}

func statementOf[T float32 | float64](name string, arrays []*engine.Array) expr.Statement {
	y := failure.Must(engine.TensorOf[T](arrays[0]))
	key, dims := expr.Const[uint64](7), arrays[0].Shape()
	floats := func(i int) expr.Exp[T] { return expr.Of[T](arrays[i].Node()) }
	switch name {
	case "normal":
		return expr.Let(y, op.Normal[T](key, dims...))
	case "asian":
		return expr.Let(y, asian[T](key, dates, dims[0]))
	case "add at":
		return expr.Let(y, op.AddAt(y, expr.Of[int64](arrays[1].Node()), floats(2), 0))
	case "windows max", "windows sum", "windows mean":
		w := op.Windows(floats(1), op.Window{Size: 3}, op.Window{Size: 3})
		switch name {
		case "windows max":
			return expr.Let(y, op.Max(w, op.Axis(2, 3)))
		case "windows mean":
			return expr.Let(y, op.Mean(w, op.Axis(2, 3)))
		}
		return expr.Let(y, op.Sum(w, op.Axis(2, 3)))
	case "top k":
		values, positions := op.TopK(floats(1), dims[1], 1)
		return expr.Let(y, op.Add(values, op.Cast[T](positions)))
	case "segment sum":
		return expr.Let(y, op.SegmentSum(floats(1), expr.Of[int64](arrays[2].Node()), dims[0]))
	}
	panic(fmt.Sprintf("there is no program %q", name))
}

func histogramOf(arrays []*engine.Array) expr.Statement {
	y := failure.Must(engine.TensorOf[int64](arrays[0]))
	bins, x := arrays[0].Shape()[0], arrays[1].Node()
	if arrays[1].DType() == dtype.F32 {
		return expr.Let(y, op.Histogram(expr.Of[float32](x), bins, 0, 1))
	}
	return expr.Let(y, op.Histogram(expr.Of[float64](x), bins, 0, 1))
}

const dates = 252 // of a path

// asian returns what paths pay: the mean price of their dates above 100, or nothing.
func asian[T float32 | float64](key expr.Exp[uint64], dates, paths int) expr.Exp[T] {
	start := []expr.Exp[T]{expr.Const[T](100), expr.Const[T](0)}
	z := []expr.Exp[T]{op.Normal[T](key, dates, paths)}
	r := op.Scan(start, z, op.ScanOptions{}, func(s op.Step[T]) (next, out []expr.Exp[T]) {
		price := op.Mul(s.State[0], op.Exp(op.AddScalar(op.MulScalar(s.X[0], .0126), -.00008)))
		return []expr.Exp[T]{price, op.Add(s.State[1], price)}, nil
	})
	return op.ReLU(op.AddScalar(op.MulScalar(r.Last(1), 1/T(dates)), -100))
}

// arrange orders the elements of rows, or lets all have one of ten values.
func arrange[T int8 | int32 | int64 | float32 | float64](x []T, row int, order string, rnd *rand.Rand) {
	switch order {
	case "sorted":
		for part := range slices.Chunk(x, row) {
			slices.Sort(part)
		}
	case "few":
		values := slices.Clone(x[:min(10, len(x))])
		for i := range x {
			x[i] = values[rnd.IntN(len(values))]
		}
	}
}

// The lines of functions.txt are "types; arguments; formula". Arguments are intervals of x, z
// and w; an element type may follow, if it is not the type of the line.
//
//go:embed functions.txt
var functionList string

// functionBlocks returns a block in the form of cases.txt for each line of functions.txt, with arrays
// of the sizes, which are separated by commas.
func functionBlocks(sizes string) string {
	extents := "N=" + strings.ReplaceAll(sizes, ",", " | N=")
	var b strings.Builder
	for line := range strings.Lines(functionList) {
		f := strings.Split(strings.TrimSpace(line), "; ")
		if len(f) != 3 || strings.HasPrefix(line, "#") {
			continue
		}
		result, formula, typed := strings.Cut(f[2], " <- ")
		if !typed {
			result, formula = "", f[2]
		}
		fmt.Fprintf(&b, "kind: function\non: %s\nfor: %s\narrays: y=N:%s", f[0], extents, result)
		for i, interval := range strings.Fields(f[1]) {
			typ, bounds, ok := strings.Cut(interval, ":")
			if !ok {
				typ, bounds = "", interval
			}
			fmt.Fprintf(&b, " %s=N:%s:%s", []string{"x", "z", "w"}[i], typ, bounds)
		}
		fmt.Fprintf(&b, "\ntext: y = %s\n\n", formula)
	}
	return b.String()
}
