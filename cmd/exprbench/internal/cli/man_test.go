package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestManual tests that the page of each command has its texts and its flags, and
// that groff, where it is installed, reads it without warnings.
func TestManual(t *testing.T) {
	dir := t.TempDir()
	root := newRoot()
	run(t, newRoot(), "man", "--dir", dir)
	groff, noGroff := exec.LookPath("groff")
	for _, c := range append(commands(root), root) {
		path := filepath.Join(dir, pageName(c)+".1")
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if c != root {
			if text := run(t, newRoot(), "man", c.Name()); text != string(page) {
				t.Errorf("man %s and the file differ", c.Name())
			}
		}
		want := []string{c.Short, c.UseLine(), c.Long, c.Example}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			_, usage := pflag.UnquoteUsage(f)
			want = append(want, "--"+f.Name, usage)
		})
		for _, w := range want {
			for _, paragraph := range strings.Split(w, "\n\n") {
				if !strings.Contains(string(page), roff(paragraph)) {
					t.Errorf("the page of %s lacks %q", c.Name(), paragraph)
				}
			}
		}
		if noGroff != nil {
			continue
		}
		shown := exec.Command(groff, "-man", "-Tascii", "-ww", path)
		var warnings strings.Builder
		shown.Stderr = &warnings
		text, err := shown.Output()
		if err != nil || warnings.Len() > 0 {
			t.Errorf("%s: %v %s", path, err, warnings.String())
		}
		if !strings.Contains(string(text), "General Commands Manual") {
			t.Errorf("groff prints of %s:\n%s", path, text)
		}
	}
}

func TestRoff(t *testing.T) {
	if got, want := roff(".a\n'b\\n-c"), "\\&.a\n\\&'b\\en\\-c"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
