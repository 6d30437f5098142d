package formula_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/formula"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/formula.md and docs/numpy.md")

// TestDocs compares the table of functions in the documentation with the one
// here. The element-wise operators are in ops.md.
func TestDocs(t *testing.T) {
	var b strings.Builder
	section := ""
	for _, f := range formula.Functions() {
		if f.Doc == "" {
			t.Errorf("%s has no documentation", f.Name)
		}
		if f.Group == "element by element" {
			continue
		}
		if f.Group != section {
			section = f.Group
			fmt.Fprintf(&b, "\n| %s | |\n|---|---|\n", section)
		}
		also := ""
		if len(f.Aliases) > 0 {
			also = "; also `" + strings.Join(f.Aliases, "`, `") + "`"
		}
		fmt.Fprintf(&b, "| `%s(%s)` | %s%s |\n", f.Name, f.Arguments, strings.ReplaceAll(f.Doc, "|", "\\|"), also)
	}
	checkTable(t, "formula.md", b.String())
}

// checkTable compares the table of functions of a page of docs with want, which it
// writes there in the case of -update.
func checkTable(t *testing.T, page, want string) {
	const begin, end = "<!-- functions -->\n", "<!-- end of functions -->\n"
	path := "../../docs/" + page
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("the marks of the table are missing")
	}
	want = head + begin + want + "\n" + end + tail
	if want == string(text) {
		return
	}
	if !*update {
		t.Fatalf("docs/%s is out of date; run go test ./expr/formula -run %s -update", page, t.Name())
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
