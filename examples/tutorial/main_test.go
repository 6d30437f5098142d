package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func Example() {
	main()
	// Output:
	// [[0.3679 0.0183 0.0001]
	//  [0.0000 0.0000 0.0000]]
	// [2 3] 0.36787944117144233
	// [[-1 -1 -1]
	//  [ 1  1  1]]
	// 18 <nil>
	// [100 1 102 3 104 5 106 7]
	// [100 -99 101 -99 101 -99 101 -99]
	// [-2.1 2.0 6.1]
	// 1 stage, 0 temporaries, 0 bytes of scratch
	// stage 0: loop: stores to the program's arrays
	//   reads w float64[3], g float64[3]; writes w float64[3]; 72 bytes
	// y = 2.000 x + 1.000
	// 1
	// true oneloop: op.Add: shapes [2 3] and [4] do not broadcast (main.go:119)
	// true oneloop: op.Take: index 7 at [1] is out of range for axis 0 of size 4 (main.go:122)
}

// TestPage checks that the code of the page is the code of the program, and that the
// output of the page is the output that Example checks.
func TestPage(t *testing.T) {
	page := read(t, "../../docs/tutorial.md")
	sources := map[string]string{"go": plain(read(t, "main.go")), "text": plain(strings.ReplaceAll(read(t, "main_test.go"), "\t//", ""))}
	blocks := regexp.MustCompile("(?s)```(\\w+)\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) < 15 {
		t.Fatalf("the page has %d blocks", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(sources[b[1]], plain(b[2])) {
			t.Errorf("the program and its output lack\n%s", b[2])
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// plain returns the lines of a text without the spaces before and after them, and with
// one space for several.
func plain(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	return b.String()
}
