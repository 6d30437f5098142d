package main

import (
	"bytes"
	"os"
	"testing"
)

// The generated files must be those that the table gives now.
func TestFresh(t *testing.T) {
	code, err := Constructors()
	if err != nil {
		t.Fatal(err)
	}
	scalars, err := Scalars()
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]byte{"../../zops.go": code, "../../zscalars.go": scalars, "../../../../docs/ops.md": Page()} {
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate ./expr/op", path)
		}
	}
}

// A cell of the page must not hold a bare separator.
func TestPage(t *testing.T) {
	for _, line := range bytes.Split(Page(), []byte("\n")) {
		bare := bytes.ReplaceAll(line, []byte(`\|`), nil)
		if n := bytes.Count(bare, []byte("|")); n != 0 && n != 9 && n != 5 {
			t.Errorf("%d separators in %s", n, line)
		}
	}
}
