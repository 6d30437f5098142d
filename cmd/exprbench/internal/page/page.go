// Package page writes what statements become as one self-contained HTML page:
// trees, plan, loops, machine code and CUDA C side by side. Pointing at a value or
// an array lights it up everywhere.
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

// Write writes the page.
func Write(w io.Writer, p Page) error { return layout.Execute(w, p) }

// Trees returns the pane of a text that names arrays.
func Trees(name, text string, arrays []string) Pane {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("<div>" + marked(line, word, arrayKeys(arrays)) + "</div>")
	}
	return Pane{name, template.HTML(b.String())} //nolint:gosec // all text is escaped
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
// stage; buffers[i] is the array of buffer i, or "". Lines below a comment that
// names a value belong to that value.
func Loop(name, text string, stage int, buffers, arrays []string) Pane {
	key := func(token string) string {
		var n int
		switch {
		case strings.HasPrefix(token, "%"):
			return fmt.Sprintf("s%d-%s", stage, token[1:])
		case name == CUDA && scan(token, "v", &n):
			return fmt.Sprintf("s%d-%d", stage, n)
		case scan(token, "b", &n) && n < len(buffers) && buffers[n] != "":
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
			current = fmt.Sprintf("s%d-%s", stage, m[1])
		case name == CUDA && cudaDef.MatchString(line):
			current = fmt.Sprintf("s%d-%s", stage, cudaDef.FindStringSubmatch(line)[1])
		case name != Code || strings.HasPrefix(trimmed, "--") || strings.HasPrefix(trimmed, ";") || strings.HasSuffix(trimmed, ":"):
			current = ""
		}
		attribute := ""
		if current != "" {
			attribute = ` data-k="` + current + `"`
		}
		b.WriteString("<div" + attribute + ">" + marked(line, value, key) + "</div>")
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
