package cli

import (
	"bytes"
	"os"
	"strings"
	"syscall"
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
	for _, c := range []struct {
		signal os.Signal
		stuck  bool // a command that does not look at its context
		code   int
		text   string
	}{
		{os.Interrupt, false, 130, "exprbench: interrupted\n"},
		{syscall.SIGTERM, false, 143, "exprbench: terminated\n"},
		{os.Interrupt, true, 130, "exprbench: interrupted\n"},
	} {
		root := newRoot()
		end := make(chan bool)
		root.AddCommand(&cobra.Command{Use: "wait", RunE: func(cmd *cobra.Command, _ []string) error {
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(c.signal)
			}
			if err != nil {
				t.Skip("no signals here: ", err)
			}
			if c.stuck {
				<-end
				return nil
			}
			<-cmd.Context().Done()
			return cmd.Context().Err()
		}})
		var b bytes.Buffer
		if code := execute(root, []string{"wait"}, &b); code != c.code || b.String() != c.text {
			t.Errorf("%v: code %d, text %q", c.signal, code, b.String())
		}
		close(end)
		// The end of a stuck command keeps the lock, since the process ends. On a busy
		// machine the other commands may take longer than they have, too.
		if writing.TryLock() && c.stuck {
			t.Errorf("%v: a stuck command may still write", c.signal)
		}
		writing.Unlock()
	}
}

func TestOneLine(t *testing.T) {
	if got := oneLine("a\nb\x1b[1mé"); got != `a\nb\x1b[1mé` {
		t.Errorf("%q", got)
	}
}
