package words_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/words"
	"github.com/oneloop/oneloop/expr"
)

// worded is a driver without devices.
type worded []string

func (worded) Open(int) (driver.Device, error) { return nil, expr.ErrDevice }
func (worded) Count() (int, error)             { return 0, expr.ErrDevice }
func (w worded) DebugWords() []string          { return w }

// TestDebugWords checks which words ONELOOP_DEBUG has, also those of drivers, and that others are named.
func TestDebugWords(t *testing.T) {
	driver.Register("worded", worded{"code", "code=DIR", "wait"})
	var out strings.Builder
	got := words.Of("tree, plan=fuse,,code=/dev/null,wait,asmm,tree plan,plan=, plan=zz,tree=1,wait=1", &out)
	want := []string{"code=/dev/null", "plan=fuse", "tree", "wait"}
	if words := slices.Sorted(maps.Keys(got)); !slices.Equal(words, want) {
		t.Errorf("the words are %q, not %q", words, want)
	}
	for _, word := range []string{"asmm", "tree plan", "plan=", "plan=zz", "tree=1", "wait=1"} {
		if !strings.Contains(out.String(), `oneloop: ONELOOP_DEBUG: "`+word+`" has no meaning; words are tree, plan, `) {
			t.Errorf("%q is not named:\n%s", word, &out)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != 6 {
		t.Errorf("%d lines:\n%s", n, &out)
	}
}
