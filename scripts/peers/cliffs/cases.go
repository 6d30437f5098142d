package main

import (
	_ "embed"
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
)

//go:embed cases.txt
var blocks string

// A test is one loop of one element type and of fixed extents.
type test struct {
	kind    string
	text    string // the formula, and the same in NumPy
	c       string // the body of the loop in C, with the extents as constants
	alone   bool   // NumPy does not have the formula
	extents [][2]string
	typ     dtype.Type
	arrays  []array // the first is the result
}

type array struct {
	name   string
	typ    dtype.Type
	dims   []int
	lo, hi float64
}

func (t *test) title() string {
	s := t.typ.Short() + " " + t.text
	for _, d := range t.arrays[1:] {
		s += fmt.Sprintf(" %s%v", d.name, d.dims)
		if len(s) > 90 {
			break
		}
	}
	return s
}

// elements is the size of the largest array that is read or written.
func (t *test) elements() (n int) {
	for i := range t.arrays {
		size := 1
		for _, d := range t.arrays[i].dims {
			size *= d
		}
		n = max(n, size)
	}
	if t.kind == "pairs" { // the array that is never stored
		d := t.arrays[1].dims
		n = max(n, d[0]*d[0]*d[2])
	}
	return n
}

// parse reads the blocks of cases.txt.
func parse(text string) (tests []test, err error) {
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
				t, err := makeTest(key, on, extents)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", key["text"], err)
				}
				tests = append(tests, t)
			}
		}
	}
	return tests, nil
}

func makeTest(key map[string]string, on, extents string) (t test, err error) {
	t = test{kind: key["kind"], c: key["c"], alone: key["numpy"] == "none"}
	if t.typ, err = short(on); err != nil {
		return t, err
	}
	replace := func(s string) string { return s }
	for _, e := range strings.Fields(extents) {
		name, value, _ := strings.Cut(e, "=")
		t.extents = append(t.extents, [2]string{name, value})
		word, before := regexp.MustCompile(`\b`+name+`\b`), replace
		replace = func(s string) string { return word.ReplaceAllString(before(s), value) }
	}
	t.text = replace(key["text"])
	for _, field := range strings.Fields(key["arrays"]) {
		name, rest, _ := strings.Cut(field, "=")
		part := strings.Split(rest+"::", ":")
		a := array{name: name, typ: t.typ, lo: -1, hi: 1}
		if part[1] != "" {
			if a.typ, err = short(part[1]); err != nil {
				return t, err
			}
		}
		if a.typ.IsInt() {
			a.lo, a.hi = -100, 100
		}
		if a.typ.IsUnsigned() {
			a.lo = 0
		}
		if part[2] != "" {
			if _, err := fmt.Sscanf(strings.Replace(part[2], "..", " ", 1), "%g %g", &a.lo, &a.hi); err != nil {
				return t, err
			}
		}
		for d := range strings.SplitSeq(replace(part[0]), ",") {
			n, err := number(d)
			if err != nil {
				return t, err
			}
			a.dims = append(a.dims, n)
		}
		t.arrays = append(t.arrays, a)
	}
	return t, nil
}

// number returns the value of an extent such as 2*100+1.
func number(text string) (int, error) {
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil {
		return 0, err
	}
	n, ok := constant.Int64Val(v.Value)
	if !ok {
		return 0, fmt.Errorf("%s is no number", text)
	}
	return int(n), nil
}

func short(name string) (dtype.Type, error) {
	for _, t := range dtype.Real() {
		if t.Short() == name {
			return t, nil
		}
	}
	return dtype.Invalid, fmt.Errorf("no element type %q", name)
}
