package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func TestFold(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"one two three four five six\n", 0, "one two three four five six\n"},
		{"one two three four five six\n", 20, "one two three four\n  five six\n"},
		{"  one two three four five six", 20, "  one two three four\n    five six"},
		{"key   one two three four\nb\n", 20, "key   one two three\n      four\nb\n"},
		{"thisisonewordthatislongerthantheline x\n", 20, "thisisonewordthatislongerthantheline\n  x\n"},
		{"thisisonewordthatislongerthantheline\n", 20, "thisisonewordthatislongerthantheline\n"},
		{"key  a=1000,b=2000,c=3000,d=4\n", 20, "key  a=1000,b=2000,\n     c=3000,d=4\n"},
		{"ä ö ü ä ö ü ä ö ü ä ö ü\n", 20, "ä ö ü ä ö ü ä ö ü ä\n  ö ü\n"},
		{strings.Repeat(" ", 30) + "\n", 20, strings.Repeat(" ", 30) + "\n"},
	} {
		if got := fold(c.text, c.width); got != c.want {
			t.Errorf("%q within %d:\n%q, want\n%q", c.text, c.width, got, c.want)
		}
	}
	var b strings.Builder
	aligned(&b, [][2]string{{"short", "one two three four"}, {"a long term", "one two"}}, 24)
	if want := "short   one two three\n        four\na long term\n        one two\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// TestWidth tests that what commands print fits terminals.
func TestWidth(t *testing.T) {
	for _, width := range []int{50, 80, 132} {
		for _, args := range [][]string{
			{"devices"}, {"inspect", "w -= eta*(g + lam*w)", "-s", "w=1000x1000", "-s", "g=1000x1000", "-D", "eta=.1", "-D", "lam=1e-4"},
		} {
			fits(t, fold(run(t, newRoot(), args...), width), width)
		}
		root := newRoot()
		fitHelp(root, width)
		for _, c := range append(commands(root), root) {
			text := run(t, root, append(strings.Fields(c.CommandPath())[1:], "--help")...)
			if c.Example != "" && !strings.Contains(text, c.Example) {
				t.Errorf("the examples of %s are changed", c.Name())
			}
			fits(t, strings.ReplaceAll(text, c.Example, ""), width)
			if width >= 80 {
				fits(t, c.Example, width)
				fits(t, c.Long, 80) // a line that is folded leaves a short one
			}
		}
	}
}

func fits(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
			t.Errorf("%d columns in a terminal of %d: %s", n, width, line)
		}
	}
}

// run returns what a command prints.
func run(t *testing.T, root *cobra.Command, args ...string) string {
	t.Helper()
	var out, failure bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&failure)
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return out.String()
}
