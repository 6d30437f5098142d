package main

import (
	_ "embed"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/shape"
)

//go:embed cases.txt
var blocks string

// A test is one loop of one element type and of fixed extents.
type test struct {
	kind    string
	text    string // the formula, and the same in NumPy
	c       string // the body of the loop in C, with the extents as constants
	program string // of programs, in place of the formula
	beside  string // a formula to compare the time with
	texts   map[string]call
	least   map[string]float64 // the goals
	random  bool               // the results are random numbers
	count   int                // of elements; 0: of the largest array
	extents [][2]string
	typ     dtype.Type
	arrays  []array // the first is the result
}

// A call is what a Python library runs in place of the formula, and what it runs once before.
type call struct{ first, text string }

type array struct {
	name   string
	typ    dtype.Type
	dims   []int
	lo, hi float64
	order  string // "sorted", "few" for few distinct values, or none
}

func (t *test) title() string {
	s := t.typ.Short() + " " + t.text
	for _, d := range t.arrays[1:] {
		s += fmt.Sprintf(" %s%v", d.name, d.dims)
		if d.order != "" {
			s += " " + d.order
		}
		if len(s) > 90 {
			break
		}
	}
	return s
}

// elements is the size of the largest array that is read or written.
func (t *test) elements() (n int) {
	if t.count > 0 {
		return t.count
	}
	for i := range t.arrays {
		n = max(n, shape.Shape(t.arrays[i].dims).Size())
	}
	if t.kind == "pairs" { // the array that is never stored
		d := t.arrays[1].dims
		n = max(n, d[0]*d[0]*d[2])
	}
	return n
}

// parse reads the blocks of cases.txt.
func parse(text string) (tests []test) {
	for block := range strings.SplitSeq(text, "\n\n") {
		key := map[string]string{}
		for line := range strings.Lines(block) {
			if k, v, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && !strings.HasPrefix(line, "#") {
				key[k] = v
			}
		}
		if key["kind"] == "" {
			continue
		}
		for _, on := range strings.Fields(key["on"]) {
			for extents := range strings.SplitSeq(key["for"], " | ") {
				tests = append(tests, makeTest(key, on, extents))
			}
		}
	}
	return tests
}

func makeTest(key map[string]string, on, extents string) test {
	defer failure.In(key["text"])
	t := test{kind: key["kind"], c: key["c"], typ: short(on)}
	replace := func(s string) string { return s }
	for _, e := range strings.Fields(extents) {
		name, value, _ := strings.Cut(e, "=")
		t.extents = append(t.extents, [2]string{name, value})
		word, before := regexp.MustCompile(`\b`+name+`\b`), replace
		replace = func(s string) string { return word.ReplaceAllString(before(s), value) }
	}
	t.text, t.beside, t.program = replace(key["text"]), replace(key["beside"]), key["program"]
	t.addRoutine(key, replace)
	for _, field := range strings.Fields(key["arrays"]) {
		name, rest, _ := strings.Cut(field, "=")
		part := strings.Split(rest+":::", ":")
		a := array{name: name, typ: t.typ, lo: -1, hi: 1, order: part[3]}
		if part[1] != "" {
			a.typ = short(part[1])
		}
		if a.typ.IsInt() {
			a.lo, a.hi = -100, 100
		}
		if a.typ.IsUnsigned() {
			a.lo = 0
		}
		if part[2] != "" {
			lo, hi, _ := strings.Cut(replace(part[2]), "..")
			a.lo, a.hi = number(lo), number(hi)
		}
		for d := range strings.SplitSeq(replace(part[0]), ",") {
			a.dims = append(a.dims, int(number(d)))
		}
		t.arrays = append(t.arrays, a)
	}
	return t
}

// number returns the value of a text such as 2*100+1.
func number(text string) float64 {
	x := constant.ToFloat(failure.Must(types.Eval(token.NewFileSet(), nil, token.NoPos, text)).Value)
	if x.Kind() != constant.Float {
		failure.Check(fmt.Errorf("%s is no number", text))
	}
	f, _ := constant.Float64Val(x)
	return f
}

func short(name string) dtype.Type {
	all := dtype.All()
	i := slices.IndexFunc(all, func(t dtype.Type) bool { return t.Short() == name })
	if i < 0 {
		failure.Check(fmt.Errorf("no element type %q", name))
	}
	return all[i]
}
