// Package page writes what statements become as one self-contained HTML page:
// trees, plan, loops, machine code and CUDA C side by side. Pointing at a value,
// an array or an operator of a tree lights it up everywhere.
package page

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"
)

//go:embed page.html
var source string

var layout = template.Must(template.New("page").Parse(source))

// A Page is what the statements become.
type Page struct {
	Title  string
	Head   []Pane // the trees and the plan
	Stages []Stage
}

// A Stage is one stage of the plan.
type Stage struct {
	Number int
	Kind   string
	Panes  []Pane
}

// A Pane is a text. Its lines have marks.
type Pane struct {
	Name  string
	Lines template.HTML
}

// And returns a pane with the lines of both.
func (p Pane) And(more Pane) Pane { return Pane{p.Name, p.Lines + more.Lines} }

// Write writes the page.
func Write(w io.Writer, p Page) error { return layout.Execute(w, p) }

// A Line is a line of text, with the keys of what it stands for: see [Value] and [Step].
type Line struct {
	Text string
	Keys []string
}

// Value returns the key of value n of a stage, or of a part of one.
func Value(stage string, n int) string { return fmt.Sprintf("s%s-%d", stage, n) }

// Step returns the key of a stage that is no loop.
func Step(stage string) string { return "s" + stage }

// Lines returns the lines of a text, all with the same keys.
func Lines(text string, keys ...string) (all []Line) {
	for line := range strings.Lines(text) {
		all = append(all, Line{line, keys})
	}
	return all
}

// Names returns the pane of lines that name arrays.
func Names(name string, lines []Line, arrays []string) Pane {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(div(strings.Join(l.Keys, " "), marked(l.Text, word, arrayKeys(arrays))))
	}
	return Pane{name, template.HTML(b.String())} //nolint:gosec // all text is escaped
}

// div returns a line of a pane. Its text is escaped.
func div(keys, text string) string {
	if keys == "" {
		return "<div>" + text + "</div>"
	}
	return `<div data-k="` + html.EscapeString(keys) + `">` + text + "</div>"
}

var (
	word    = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
	value   = regexp.MustCompile(`%\d+|\b[bv]\d+\b|[\pL_][\pL\pN_]*`)
	defines = regexp.MustCompile(`^\s*(?:;\s*)?%(\d+) = `)
	cudaDef = regexp.MustCompile(`\b(?:const \w+|acc) [vr](\d+) = `)
)

func arrayKeys(arrays []string) func(token string) string {
	return func(token string) string {
		if slices.Contains(arrays, token) {
			return "a-" + token
		}
		return ""
	}
}

// Loop returns the pane of loops, machine code or CUDA C. Values are numbered by
// stage, or by part of one; buffers[i] is the array of buffer i, or "". Lines below a comment that
// names a value belong to that value.
func Loop(name, text, stage string, buffers, arrays []string) Pane {
	key := func(token string) string {
		var n int
		switch {
		case strings.HasPrefix(token, "%"):
			return fmt.Sprintf("s%s-%s", stage, token[1:])
		case name == CUDA && scan(token, "v", &n):
			return Value(stage, n)
		case scan(strings.SplitN(token, "_", 2)[0], "b", &n) && n < len(buffers) && buffers[n] != "":
			return "a-" + buffers[n]
		}
		return arrayKeys(arrays)(token)
	}
	var b strings.Builder
	current := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch m := defines.FindStringSubmatch(line); {
		case m != nil:
			current = fmt.Sprintf("s%s-%s", stage, m[1])
		case name == CUDA && cudaDef.MatchString(line):
			current = fmt.Sprintf("s%s-%s", stage, cudaDef.FindStringSubmatch(line)[1])
		case name != Code || strings.HasPrefix(trimmed, "--") || strings.HasPrefix(trimmed, ";") || strings.HasSuffix(trimmed, ":"):
			current = ""
		}
		b.WriteString(div(current, marked(line, value, key)))
	}
	return Pane{name, template.HTML(b.String())} //nolint:gosec // all text is escaped
}

// The names of panes whose text [Loop] reads in its own way.
const (
	Code = "machine code"
	CUDA = "CUDA C"
)

func scan(token, prefix string, n *int) bool {
	rest, ok := strings.CutPrefix(token, prefix)
	if !ok || rest == "" || strings.Trim(rest, "0123456789") != "" {
		return false
	}
	_, err := fmt.Sscan(rest, n)
	return err == nil
}

// marked escapes a line and wraps the tokens that have a key.
func marked(line string, tokens *regexp.Regexp, key func(token string) string) string {
	line = strings.TrimRight(line, "\n")
	if line == "" {
		return "&nbsp;"
	}
	var b strings.Builder
	last := 0
	for _, m := range tokens.FindAllStringIndex(line, -1) {
		token := line[m[0]:m[1]]
		k := key(token)
		if k == "" {
			continue
		}
		b.WriteString(html.EscapeString(line[last:m[0]]))
		fmt.Fprintf(&b, `<span data-k="%s">%s</span>`, html.EscapeString(k), html.EscapeString(token))
		last = m[1]
	}
	b.WriteString(html.EscapeString(line[last:]))
	return b.String()
}
