package main

import (
	"bytes"
	"os"
	"testing"

	"github.com/oneloop/oneloop/expr/prim"
)

// TestFresh checks that zprim.go is up to date, and that every primitive that
// Eval does not compute by hand has an expression for each of its types.
func TestFresh(t *testing.T) {
	want, err := Source()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("../../zprim.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("zprim.go is stale (%v): run go generate ./expr/prim", err)
	}
	for op := prim.Const + 1; op < prim.NumOps; op++ {
		in := op.Info()
		byHand := op == prim.Select || op == prim.Cvt || op == prim.Bitcast || op == prim.Lookup
		for _, e := range evaluators {
			if in.Types&e.class != 0 && in.Go.Of(e.class) == "" && !byHand {
				t.Errorf("%v has no expression for %s", op, e.head)
			}
		}
	}
}
