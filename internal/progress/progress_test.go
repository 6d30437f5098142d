package progress

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

func TestBar(t *testing.T) {
	var out strings.Builder
	at := time.Unix(0, 0)
	b := newBar(&out, 4, func() time.Time { return at })
	b.Every = time.Second
	b.Show(0, "first")
	at = at.Add(time.Millisecond)
	b.Show(1, "too early")
	at = at.Add(2 * time.Second)
	b.Show(1, "second")
	b.Show(4, "last")
	b.Clear()
	want := "\r[                        ] 0/4  first" +
		"\r[######                  ] 1/4, 6s left  second" +
		"\r[########################] 4/4  last           " +
		"\r" + strings.Repeat(" ", 36) + "\r"
	if got := out.String(); got != want {
		t.Errorf("%q, want\n%q", got, want)
	}
	out.Reset()
	b = newBar(&out, 0, func() time.Time { return at })
	b.Show(0, "nothing to do")
	if want := "\r[                        ] 0/0  nothing to do"; out.String() != want {
		t.Errorf("%q, want\n%q", out.String(), want)
	}
}

// TestNoTerminal tests that nothing is shown elsewhere.
func TestNoTerminal(t *testing.T) {
	var out bytes.Buffer
	b := New(&out, 3)
	b.Show(3, "text")
	b.Clear()
	if out.Len() > 0 {
		t.Errorf("%q", out.String())
	}
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if Terminal(f) || Terminal(nil) {
		t.Error("a file is a terminal")
	}
}
