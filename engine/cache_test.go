package engine

import (
	"testing"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// entry returns an assignment without a program, of the given size.
func entry(hash, word uint64, bytes int) *assignment {
	return &assignment{hash: hash, words: []uint64{word}, bytes: bytes}
}

func (c *assignmentCache) has(hash, word uint64) bool {
	a := c.take(&key{hash: hash, words: []uint64{word}}, Options{})
	if a != nil {
		c.put(a)
	}
	return a != nil
}

func TestCacheEvicts(t *testing.T) {
	c := assignmentCache{limit: 100}
	for i := range uint64(4) {
		c.put(entry(i, i, 25))
	}
	if !c.has(0, 0) { // has moves it to the front of the ring
		t.Fatal("0 is not there")
	}
	c.put(entry(9, 9, 20))
	for i, want := range map[uint64]bool{0: true, 1: false, 2: true, 3: true, 9: true} {
		if got := c.has(i, i); got != want {
			t.Errorf("%d is there: %t", i, got)
		}
	}
	if c.size != 95 {
		t.Errorf("the size is %d, not 95", c.size)
	}
	c.put(entry(7, 7, 26))
	if c.has(7, 7) || c.size != 95 {
		t.Error("what takes more than a quarter is kept")
	}
}

func TestCacheCompares(t *testing.T) {
	c := assignmentCache{limit: 100}
	c.put(entry(5, 1, 1)) // all entries are in one bucket, and three have the same hash
	c.put(entry(5, 2, 1))
	c.put(entry(5+uint64(len(c.buckets)), 3, 1))
	other := entry(5, 4, 1)
	other.idents = []any{"a"}
	c.put(other)
	for _, x := range []struct {
		k    key
		o    Options
		want bool
	}{
		{key{hash: 5, words: []uint64{1}}, Options{}, true},
		{key{hash: 5, words: []uint64{2}}, Options{}, true},
		{key{hash: 5, words: []uint64{2}}, Options{}, false}, // the case before took it
		{key{hash: 5, words: []uint64{3}}, Options{}, false},
		{key{hash: 5, words: []uint64{4}}, Options{}, false},
		{key{hash: 5, words: []uint64{4}, idents: []any{"b"}}, Options{}, false},
		{key{hash: 5, words: []uint64{4}, idents: []any{"a"}}, Options{Threads: 2}, false},
		{key{hash: 5, words: []uint64{4}, idents: []any{"a"}}, Options{}, true},
		{key{hash: 5 + uint64(len(c.buckets)), words: []uint64{3}}, Options{}, true},
	} {
		if a := c.take(&x.k, x.o); (a != nil) != x.want {
			t.Errorf("%v %v with %v: found %t", x.k.words, x.k.idents, x.o, a != nil)
		}
	}
	if c.size != 0 || c.idle.after != &c.idle {
		t.Errorf("the cache should be empty; it has %d bytes", c.size)
	}
}

// keyOf returns a copy of the words of the key of statements.
func keyOf(t *testing.T, stmts ...expr.Statement) (words []uint64, ok bool) {
	t.Helper()
	k := keys.Get().(*key)
	defer k.free()
	ok = k.read(stmts)
	return append(words, k.words...), ok
}

// TestIdleTemporaries tests that the cache keeps small temporaries between runs
// and no large ones.
func TestIdleTemporaries(t *testing.T) {
	for _, n := range []int{16, 1 << 11} {
		x, y := Zeros[float32](n, 1), Zeros[float32](n)
		if err := y.Assign(op.Sum(op.MatMul(x, op.T[float32](x)), op.Axis(0))); err != nil {
			t.Fatal(err)
		}
		p := assignments.idle.after.program // of the latest assignment
		if size := p.plan.Arena; size < 4*n*n || (len(p.arena) == size) != (size <= keepArena) {
			t.Errorf("of temporaries of %d bytes %d are kept", size, len(p.arena))
		}
		for _, a := range assignments.idle.after.arrays {
			if a.data != nil {
				t.Error("an array is kept")
			}
		}
	}
}
