package main

import (
	_ "embed"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

//go:embed numpy.py
var numpyScript string

//go:embed torch.py
var torchScript string

//go:embed numba.py
var numbaScript string

// A python is a process that runs tests in a library.
type python struct {
	*paired.Process
	name string
}

func startPython(name, path, script string, threads int) *python {
	p := paired.Start(name, []string{"OPENBLAS_NUM_THREADS=1", fmt.Sprintf("OMP_NUM_THREADS=%d", threads)}, path, "-c", script)
	return &python{p, name}
}

// ask sends a request and returns the time that it took.
func (p *python) ask(request any) (took time.Duration) {
	p.Ask(request, &took)
	return took
}

func (p *python) run(reps int) time.Duration { return p.ask(map[string]int{"reps": reps}) }

// load gives the process the arrays of t, and returns the result of one run, or nil if there is no such
// function or element type.
func (p *python) load(t *test, arrays [][]byte) []byte {
	type file struct {
		Name  string `json:"name"`
		File  string `json:"file"`
		DType string `json:"dtype"`
		Shape []int  `json:"shape"`
	}
	var files []file
	for i, a := range t.arrays {
		f := file{a.name, filepath.Join(p.Dir, strconv.Itoa(i)), a.typ.String(), a.dims}
		failure.Check(os.WriteFile(f.File, arrays[i], 0o600))
		files = append(files, f)
	}
	run := call{text: t.text}
	name := called(t.text)
	if t.texts != nil {
		run, name = t.texts[p.name], ""
	}
	took := p.ask(map[string]any{"first": run.first, "text": strings.ReplaceAll(run.text, "; ", "\n"), "call": name, "own": t.texts != nil, "arrays": files})
	if took < 0 {
		return nil
	}
	return failure.Must(os.ReadFile(files[0].File))
}

// called returns the name of the function if the text assigns one call to an array, and "" otherwise. Only
// then may the call have another argument, the array of its result.
func called(text string) string {
	target, value, _ := strings.Cut(text, " = ")
	name, rest, _ := strings.Cut(value, "(")
	if !token.IsIdentifier(target) || !token.IsIdentifier(name) {
		return ""
	}
	depth := 1
	for i, c := range rest {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			if i+1 == len(rest) {
				return name
			}
			return ""
		}
	}
	return ""
}
