package exec

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	status := m.Run()
	os.Remove(PerfMapPath()) // once: the map stays open
	os.Exit(status)
}

func TestRecord(t *testing.T) {
	c := install(t, answer(3))
	defer c.Release()
	if err := c.Record("first\nname"); errors.Is(err, errors.ErrUnsupported) {
		t.Skip("perf is of Linux")
	} else if err != nil {
		t.Fatal(err)
	}
	if err := c.Record("second"); err != nil {
		t.Fatal(err)
	}
	d := install(t, answer(4))
	defer d.Release()
	if err := d.Record("other"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(PerfMapPath())
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%x %x first?name\n%x %x other\n", c.entry, len(answer(3)), d.entry, len(answer(4)))
	if !strings.HasSuffix(string(text), want) {
		t.Errorf("the map has\n%s\nnot\n%s", text, want)
	}
}
