package cli

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	keyed = regexp.MustCompile(`data-k="([^"]*)"`)
	lines = regexp.MustCompile(`<div(?: data-k="([^"]*)")?>\s*#\d+ (.*?)</div>`)
)

// TestInspectPage checks that the operators of trees on the page have the keys of values, or of a stage, that
// other panes have too.
func TestInspectPage(t *testing.T) {
	for _, test := range []struct {
		formula string
		shapes  []string
		want    []string // operators with keys, in order
	}{
		{"y = exp(-x*x)", []string{"x=1000"}, []string{"exp", "mul", "neg"}},
		{"s = sqrt(x); y = s*s + sqrt(x)", []string{"x=1000"}, []string{"add", "mul", "sqrt", "sqrt", "sqrt"}},
		{"y = x*exp(2.0)", []string{"x=1000:float64"}, []string{"mul"}},
		{"y = exp(x)/sum(x, axis=1, keepdims=True)", []string{"x=64x1000"}, []string{"div", "exp", "sum"}},
		{"y = abs((x*2) @ w)/3", []string{"x=400x100", "w=100x100"}, []string{"div", "abs", "matmul", "mul", "2", "3"}},
	} {
		args := []string{"inspect", "--format", "html", test.formula}
		for _, s := range test.shapes {
			args = append(args, "-s", s)
		}
		text := run(t, newRoot(), args...)
		trees, rest, _ := strings.Cut(text, "<h2>")
		var elsewhere, got []string
		for _, m := range keyed.FindAllStringSubmatch(rest, -1) {
			elsewhere = append(elsewhere, strings.Fields(m[1])...)
		}
		for _, m := range lines.FindAllStringSubmatch(trees, -1) {
			keys := strings.Fields(html.UnescapeString(m[1]))
			if len(keys) == 0 {
				continue
			}
			got = append(got, strings.Fields(m[2])[0])
			if !slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(elsewhere, k) }) {
				t.Errorf("%s: %s has the keys %v, which nothing else has", test.formula, m[2], keys)
			}
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: the operators %v have keys, want %v", test.formula, got, test.want)
		}
	}
}
