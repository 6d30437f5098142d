package engine_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
)

// TestDebugWords checks which words ONELOOP_DEBUG has, and that others are named.
func TestDebugWords(t *testing.T) {
	var out strings.Builder
	got := engine.DebugWords("tree, plan=fuse,,cuda=/dev/null,asmm,tree plan,plan=, plan=zz,tree=1", &out)
	want := []string{"cuda=/dev/null", "plan=fuse", "tree"}
	if words := slices.Sorted(maps.Keys(got)); !slices.Equal(words, want) {
		t.Errorf("the words are %q, not %q", words, want)
	}
	for _, word := range []string{"asmm", "tree plan", "plan=", "plan=zz", "tree=1"} {
		if !strings.Contains(out.String(), `oneloop: ONELOOP_DEBUG: "`+word+`" has no meaning; words are tree, plan, `) {
			t.Errorf("%q is not named:\n%s", word, &out)
		}
	}
	if n := strings.Count(out.String(), "\n"); n != 5 {
		t.Errorf("%d lines:\n%s", n, &out)
	}
}
