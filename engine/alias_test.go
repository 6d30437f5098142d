package engine

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/oneloop/oneloop/expr"
)

// shiftOf returns the distance from extent a to extent b that overlap, and false for
// others.
func shiftOf(a, b extent) (int, bool) {
	shift := int(b.address - a.address)
	return shift, shift < a.size && -shift < b.size
}

// TestRelations checks that relations are equal exactly if all pairs of memories
// overlap, or not, at the same distances.
func TestRelations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	equal, different := 0, 0
	for range 20000 {
		n := 1 + r.IntN(5)
		al := aliasingOf(make([]*Memory, 0, n))
		al.relations, al.now = make([]relation, n), make([]relation, n)
		before := make([]extent, n)
		for i := range before {
			before[i] = extent{uintptr(100 + r.IntN(12)), 1 + r.IntN(4)}
			al.order = append(al.order, i)
		}
		al.at = append(al.at, before...)
		al.find(al.relations)
		for i := range al.at {
			if r.IntN(3) == 0 {
				al.at[i].address = uintptr(100 + r.IntN(12))
			}
		}
		want := true
		for i := range n {
			for j := range i {
				s, ok := shiftOf(before[i], before[j])
				now, still := shiftOf(al.at[i], al.at[j])
				want = want && ok == still && (!ok || s == now)
			}
		}
		if want {
			equal++
		} else {
			different++
		}
		if got := al.matches(); got != want {
			t.Fatalf("%v after %v: equal %v, want %v", al.at, before, got, want)
		}
	}
	if equal < 1000 || different < 1000 {
		t.Error(equal, different)
	}
}

// TestManyArrays checks that time and memory to compile are in proportion to the
// arrays of a program, and so is the check after a rebinding.
func TestManyArrays(t *testing.T) {
	const n = 10000
	stmts := make([]expr.Statement, n)
	for i := range stmts {
		stmts[i] = expr.Let(Zeros[float64](), expr.Const(1.))
	}
	p, err := Compile(context.Background(), stmts...)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.memory.relations) != n {
		t.Fatal(len(p.memory.relations))
	}
	// Pairs would take about a second.
	began := time.Now()
	for range 20 {
		if p.memory.changed() {
			t.Fatal("the memories have changed")
		}
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("20 checks of %d arrays took %v", n, took)
	}
}
