// Package words reads the environment variable ONELOOP_DEBUG.
package words

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/plan"
)

// Of returns the words of a value of ONELOOP_DEBUG, which
// commas separate, and writes a line for each that has no meaning. For every program
// compiled, tree, plan, ir and asm print the respective text on stderr, and ir also
// checks every kernel. plan=PASS prints the statements after that pass of package plan.
// perf sets Options.Profile for all programs. Drivers have words of their own.
func Of(list string, w io.Writer) map[string]bool {
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
