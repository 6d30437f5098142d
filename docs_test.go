package oneloop_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestArchitecturePage checks that docs/architecture.md names each package.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || path == "." {
			return err
		}
		if strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "examples", "scripts"}, d.Name()) {
			return fs.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if err == nil && len(files) > 0 && !regexp.MustCompile(`[/`+"`"+`.]`+d.Name()+`\b`).Match(page) {
			t.Errorf("docs/architecture.md does not name %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDecisions checks that each decision has a number of its own, which its title
// repeats.
func TestDecisions(t *testing.T) {
	files, err := filepath.Glob("docs/adr/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no decisions: ", err)
	}
	seen := map[string]string{}
	for _, path := range files {
		number := filepath.Base(path)[:4]
		if seen[number] != "" {
			t.Errorf("%s and %s have one number", seen[number], path)
		}
		seen[number] = path
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if short := strings.TrimLeft(number, "0"); !strings.HasPrefix(string(text), "# "+number+": ") && !strings.HasPrefix(string(text), "# "+short+". ") {
			t.Errorf("the title of %s lacks its number", path)
		}
	}
}

// TestLinks checks that the pages link to files and headings that exist.
func TestLinks(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	more, err2 := filepath.Glob("docs/adr/*.md")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	link := regexp.MustCompile(`\]\(([\w./-]*)(#[\w-]*)?\)`)
	code := regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	for _, path := range slices.Concat(files, more, []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			to := path
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(path), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s: %v", path, m[1], err)
			} else if m[2] != "" && !headings(t, to)[m[2]] {
				t.Errorf("%s links to %s%s, which is no heading", path, m[1], m[2])
			}
		}
	}
}

// TestNamedTests checks that the tests which the pages name exist: `TestName` in any
// package, `folder.ExampleName` in that folder. Decisions and the changelog name what
// there was.
func TestNamedTests(t *testing.T) {
	in := map[string][]string{} // the folders of each test
	function := regexp.MustCompile(`(?m)^func ((?:Test|Example|Benchmark|Fuzz)\w*)\(`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllSubmatch(text, -1) {
			in[string(m[1])] = append(in[string(m[1])], filepath.ToSlash(filepath.Dir(path)))
		}
		return err
	})
	files, err2 := filepath.Glob("docs/*.md")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	named := regexp.MustCompile("`(?:([a-z][\\w/]*)\\.)?((?:Test|Example|Benchmark|Fuzz)(?:[A-Z_]\\w*)?)`")
	count := 0
	for _, path := range append(files, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			count++
			folder := m[1]
			if folder == "oneloop" {
				folder = "."
			}
			if len(in[m[2]]) == 0 || folder != "" && !slices.Contains(in[m[2]], folder) {
				t.Errorf("%s names %s, which is in %q", path, m[0], in[m[2]])
			}
		}
	}
	if count < 50 {
		t.Errorf("the pages name %d tests only", count)
	}
}

// headings returns the headings of a page as fragments of links to them.
func headings(t *testing.T, path string) map[string]bool {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(string(text), -1) {
		plain := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out["#"+strings.ReplaceAll(plain, " ", "-")] = true
	}
	return out
}

// TestPagesNameWhatIsThere checks that the pages name no function, type or method of a package that the
// listings of exported names lack. Names of tests and examples are another matter.
func TestPagesNameWhatIsThere(t *testing.T) {
	files, err := filepath.Glob("testdata/api/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no listings: ", err)
	}
	have := map[string]string{}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.TrimSuffix(filepath.Base(path), ".txt")
		have[base[strings.LastIndex(base, "-")+1:]] += string(text)
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`(?:^|[^\w./])(op|engine|expr|grad|formula|untyped|npy|picture|nn|autograd)\.([A-Z]\w*)`)
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range name.FindAllStringSubmatch(string(text), -1) {
			if of, what := m[1], m[2]; !strings.HasPrefix(what, "Example") && !strings.HasPrefix(what, "Test") &&
				!regexp.MustCompile(`(?m)^(func|type|var|const) `+what+`\b`).MatchString(have[of]) {
				t.Errorf("%s names %s.%s, which is not there", page, of, what)
			}
		}
	}
}

// TestLinksOfComments checks that the package of a comment declares the names that the comment has in
// brackets, such as [Tensor] and [Tensor.At].
func TestLinksOfComments(t *testing.T) {
	link := regexp.MustCompile(`\[\*?(?:[A-Z]\w+\.)?([A-Z]\w+)\](?:[^(]|$)`)
	declared, linked := map[string]map[string]bool{}, map[string]map[string]string{} // by folder; a file with the link
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasPrefix(path, "scripts") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.Dir(path)
		if declared[dir] == nil {
			declared[dir], linked[dir] = map[string]bool{}, map[string]string{}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				declared[dir][n.Name.Name] = true
			case *ast.TypeSpec:
				declared[dir][n.Name.Name] = true
			case *ast.ValueSpec:
				for _, id := range n.Names {
					declared[dir][id.Name] = true
				}
			case *ast.Field:
				for _, id := range n.Names {
					declared[dir][id.Name] = true
				}
			}
			return true
		})
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		for _, c := range f.Comments {
			for _, m := range link.FindAllStringSubmatch(c.Text(), -1) {
				linked[dir][m[1]] = path
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir, names := range linked {
		for name, path := range names {
			if !declared[dir][name] {
				t.Errorf("%s links to [%s], which the package lacks", path, name)
			}
		}
	}
}
