package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestPanic(t *testing.T) {
	crash := func(env string) (int, string) {
		t.Setenv("ONELOOP_DEBUG", env)
		root := newRoot()
		root.AddCommand(&cobra.Command{Use: "crash", Run: func(*cobra.Command, []string) { panic("two\nlines") }})
		var b bytes.Buffer
		code := execute(root, []string{"crash"}, &b)
		return code, b.String()
	}
	code, text := crash("")
	if code != exitFailure || text != "exprbench: internal error: two\\nlines\n" {
		t.Errorf("code %d, text %q", code, text)
	}
	if _, text = crash("1"); !strings.Contains(text, "goroutine") {
		t.Errorf("no stack in %q", text)
	}
}

func TestInterrupt(t *testing.T) {
	root := newRoot()
	root.AddCommand(&cobra.Command{Use: "wait", RunE: func(cmd *cobra.Command, _ []string) error {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			t.Skip("no signals here: ", err)
		}
		<-cmd.Context().Done()
		return cmd.Context().Err()
	}})
	var b bytes.Buffer
	if code := execute(root, []string{"wait"}, &b); code != exitFailure || b.String() != "exprbench: interrupted\n" {
		t.Errorf("code %d, text %q", code, b.String())
	}
}

func TestOneLine(t *testing.T) {
	if got := oneLine("a\nb\x1b[1mé"); got != `a\nb\x1b[1mé` {
		t.Errorf("%q", got)
	}
}
