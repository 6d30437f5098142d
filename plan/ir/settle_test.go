package ir

import (
	"slices"
	"strings"
	"testing"
)

// TestSettled tests in which loops predicates say that later steps change nothing, and that
// these predicates come first.
func TestSettled(t *testing.T) {
	const head = "kernel k\naxis i0 i1\nbuf x f32 in 1\nbuf y f32 out 1\n{\nvec i0 {\n%0 = load f32 x[i0]\n%1 = const f32 3\nseq i1 {\n"
	for _, c := range []struct {
		body  string
		held  string
		first int // instructions of the body that come first
	}{
		{"%2 = carry f32 %0; %3 = add f32 %2 %1; %4 = lt bool %2 %1; %5 = select f32 %4 %3 %2; %6 = next f32 %2 %5", "%4 = lt bool %2 %1", 2},
		{"%2 = carry f32 %0; %3 = add f32 %2 %1; %4 = lt bool %3 %1; %5 = lt bool %2 %1; %6 = and bool %4 %5; %7 = select f32 %6 %3 %2; %8 = next f32 %2 %7", "%6 = and bool %4 %5", 5},
		{"%2 = carry f32 %0; %3 = load f32 x[i1]; %4 = lt bool %3 %1; %5 = lt bool %2 %1; %6 = and bool %4 %5; %7 = select f32 %6 %3 %2; %8 = next f32 %2 %7", "%5 = lt bool %2 %1", 2},
		// Two carries, of which one never changes.
		{"%2 = carry f32 %0; %3 = carry f32 %1; %4 = lt bool %2 %3; %5 = select f32 %4 %1 %2; %6 = next f32 %2 %5; %7 = next f32 %3 %3", "%4 = lt bool %2 %3", 3},
		// The predicate depends on the position, or on nothing that changes; the other value is
		// no carry, or the carry of another state; the loop has other effects.
		{"%2 = carry f32 %0; %3 = load f32 x[i1]; %4 = lt bool %2 %3; %5 = select f32 %4 %3 %2; %6 = next f32 %2 %5", "", 0},
		{"%2 = carry f32 %0; %3 = add f32 %2 %1; %4 = lt bool %0 %1; %5 = select f32 %4 %3 %2; %6 = next f32 %2 %5", "", 0},
		{"%2 = carry f32 %0; %3 = add f32 %2 %1; %4 = lt bool %2 %1; %5 = select f32 %4 %2 %3; %6 = next f32 %2 %5", "", 0},
		{"%2 = carry f32 %0; %3 = carry f32 %1; %4 = lt bool %2 %1; %5 = select f32 %4 %1 %3; %6 = next f32 %2 %5; %7 = next f32 %3 %3", "", 0},
		{"%2 = carry f32 %0; %3 = lt bool %2 %1; %4 = select f32 %3 %1 %2; store f32 y[i1] %4; %5 = next f32 %2 %4", "", 0},
		{"%2 = carry f32 %0; %3 = lt bool %2 %1; %4 = select f32 %3 %1 %2; %5 = reduce sum f32 %4; %6 = next f32 %2 %4", "", 0},
		{"%2 = carry f32 %0; %3 = lt bool %2 %1; fault divide %3; %4 = select f32 %3 %1 %2; %5 = next f32 %2 %4", "", 0},
		{"%2 = load f32 x[i1]; %3 = reduce sum f32 %2", "", 0},
	} {
		k, err := Parse(head + strings.ReplaceAll(c.body, "; ", "\n") + "\n}\nstore f32 y[i0] %1\n}\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", c.body, err)
		}
		body := k.Loops[slices.IndexFunc(k.Loops, func(l Loop) bool { return l.Kind == Seq })].Body
		SettledFirst(k)
		if err := Check(k); err != nil {
			t.Errorf("%s: %v", c.body, err)
		}
		n, held := k.Settled(body)
		var got []string
		for i := range k.Regions[body].Code {
			if in := &k.Regions[body].Code[i]; slices.Contains(held, in.Dst) {
				got = append(got, strings.TrimSpace(k.InsText(in)))
			}
		}
		if n != c.first || strings.Join(got, "; ") != c.held {
			t.Errorf("%s: %d instructions before %q, not %d before %q", c.body, n, got, c.first, c.held)
		}
	}
}
