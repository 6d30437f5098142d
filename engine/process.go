package engine

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/reuse"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// process is the state that all programs of the process share. Packages below the
// engine keep only facts of the machine: its back ends (host), caches (cpucache)
// and memory (hostmem, jit/exec). The helpers are those of [sched.Shared].
var process = struct {
	assignments *reuse.Cache[Options, *host.Program] // programs of Run and of assignments that are idle
	debug       func() map[string]bool               // the words of ONELOOP_DEBUG, read once

	// rebinds counts the calls of Memory.Rebind. A run loads it once, and checks the
	// memories of its program only if it has changed.
	rebinds atomic.Uint64
}{
	assignments: assignments(),
	debug:       sync.OnceValue(func() map[string]bool { return debugWords(os.Getenv("ONELOOP_DEBUG"), os.Stderr) }),
}

// debugWords returns the words of the environment variable ONELOOP_DEBUG, which
// commas separate, and writes a line for each that has no meaning. For every program
// compiled, tree, plan, ir and asm print the respective text on stderr, and ir also
// checks every kernel. plan=PASS prints the statements after that pass of package plan.
// perf sets Options.Profile for all programs. Drivers have words of their own.
func debugWords(list string, w io.Writer) map[string]bool {
	on, words := map[string]bool{}, strings.Fields("tree plan ir asm perf")
	for _, kind := range driver.Kinds() {
		if d, ok := driver.Find(kind).(driver.Debugger); ok {
			words = append(words, d.DebugWords()...)
		}
	}
	for word := range strings.SplitSeq(list, ",") {
		word = strings.TrimSpace(word)
		name, of, valued := strings.Cut(word, "=")
		takes := func(word string) bool { return valued && strings.HasPrefix(word, name+"=") }
		switch {
		case word == "":
		case slices.Contains(words, word), slices.ContainsFunc(words, takes), name == "plan" && slices.Contains(plan.Passes(), of):
			on[word] = true
		default:
			fmt.Fprintf(w, "oneloop: ONELOOP_DEBUG: %q has no meaning; words are %s and plan=PASS (of %v)\n", word, strings.Join(words, ", "), plan.Passes())
		}
	}
	return on
}

// assignments returns an empty cache of assignments.
func assignments() *reuse.Cache[Options, *host.Program] {
	return reuse.NewCache[Options, *host.Program](4<<20, reuse.Memories{
		Host: func(m tree.Memory) ([]byte, bool) {
			h, ok := m.(*Memory)
			if !ok || h.dev != nil {
				return nil, false
			}
			return h.data, true
		},
		New: func(size int) (tree.Memory, *[]byte) {
			m := &Memory{size: size, head: AtHost}
			return m, &m.data
		},
	})
}
