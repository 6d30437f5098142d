package enginetest

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/internal/lists"
)

// Agree makes a random program from data and runs it with each of the options. It
// compares all memory that the program can reach, bit by bit (all NaNs are
// equal), and the errors. It is fast, for long runs: it uses no reference and
// shrinks nothing. It skips the test if data is too short.
func Agree(t *testing.T, data []byte, options ...engine.Options) {
	rapid.MakeFuzz(func(t *rapid.T) {
		limits := []struct{ size, depth, statements int }{{60, 5, 3}, {6000, 4, 2}, {24, 9, 1}}
		g := newGenerator(t, 0)
		l := pick(g, "limits", limits)
		g.size, g.grow = l.size, 4*l.size
		stmts := lists.Make(1+g.index("statements", l.statements), func(int) expr.Statement { return g.statement(l.depth) })
		agree(t, stmts, options)
	})(t, data)
}

func agree(t tb, stmts []expr.Statement, options []engine.Options) {
	t.Helper()
	mems := memories(stmts)
	before := mems.save()
	var want [][]byte
	var first error
	for i, o := range options {
		mems.restore(before)
		err := backend{t, Options{Options: o}}.run(stmts...)
		switch {
		case err != nil && !errors.Is(err, expr.ErrDivide) && !errors.Is(err, expr.ErrIndex):
			t.Fatalf("%s: %v\nin\n%s", o.Backend, err, listing(stmts))
		case i == 0:
			first, want = err, mems.save()
		case (err == nil) != (first == nil):
			t.Fatalf("%s: error is %v, with %s it is %v\nin\n%s", o.Backend, err, options[0].Backend, first, listing(stmts))
		case err == nil:
			if d := mems.differ(want); d != "" {
				t.Fatalf("%s and %s differ: %s\nin\n%s", o.Backend, options[0].Backend, d, listing(stmts))
			}
		}
	}
}
