package reuse

import "testing"

// A trial is a cache of programs that are only names.
type trial = Cache[int, string]

func newTrial() *trial { return NewCache[int, string](100, Memories{}) }

// entry returns an entry without a program, of the given size.
func entry(hash, word uint64, bytes int) *Entry[int, string] {
	return &Entry[int, string]{hash: hash, words: []uint64{word}, Bytes: bytes}
}

func has(c *trial, hash, word uint64) bool {
	e := c.Take(&Key{hash: hash, words: []uint64{word}}, 0)
	if e != nil {
		c.Put(e)
	}
	return e != nil
}

// TestCacheEvicts tests that the cache drops what has been idle for longest.
func TestCacheEvicts(t *testing.T) {
	c := newTrial()
	for i := range uint64(4) {
		c.Put(entry(i, i, 25))
	}
	if !has(c, 0, 0) { // has moves it to the front of the ring
		t.Fatal("0 is not there")
	}
	c.Put(entry(9, 9, 20))
	for i, want := range map[uint64]bool{0: true, 1: false, 2: true, 3: true, 9: true} {
		if got := has(c, i, i); got != want {
			t.Errorf("%d is there: %t", i, got)
		}
	}
	if c.size != 95 {
		t.Errorf("the size is %d, not 95", c.size)
	}
	c.Put(entry(7, 7, 26))
	if has(c, 7, 7) || c.size != 95 {
		t.Error("an entry of more than a quarter of the limit is kept")
	}
}

// TestCacheCompares tests that the cache compares whole keys and options.
func TestCacheCompares(t *testing.T) {
	c := newTrial()
	c.Put(entry(5, 1, 1)) // all entries are in one bucket, and three have the same hash
	c.Put(entry(5, 2, 1))
	c.Put(entry(5+uint64(len(c.buckets)), 3, 1))
	other := entry(5, 4, 1)
	other.idents = []any{"a"}
	c.Put(other)
	for _, x := range []struct {
		k    Key
		o    int
		want bool
	}{
		{Key{hash: 5, words: []uint64{1}}, 0, true},
		{Key{hash: 5, words: []uint64{2}}, 0, true},
		{Key{hash: 5, words: []uint64{2}}, 0, false}, // the case before took it
		{Key{hash: 5, words: []uint64{3}}, 0, false},
		{Key{hash: 5, words: []uint64{4}}, 0, false},
		{Key{hash: 5, words: []uint64{4}, idents: []any{"b"}}, 0, false},
		{Key{hash: 5, words: []uint64{4}, idents: []any{"a"}}, 2, false},
		{Key{hash: 5, words: []uint64{4}, idents: []any{"a"}}, 0, true},
		{Key{hash: 5 + uint64(len(c.buckets)), words: []uint64{3}}, 0, true},
	} {
		if a := c.Take(&x.k, x.o); (a != nil) != x.want {
			t.Errorf("%v %v with %v: found %t", x.k.words, x.k.idents, x.o, a != nil)
		}
	}
	if c.size != 0 || c.idle.after != &c.idle {
		t.Errorf("the cache should be empty; it has %d bytes", c.size)
	}
}

// TestPutForgets tests that an idle entry keeps no bytes of the caller.
func TestPutForgets(t *testing.T) {
	c := newTrial()
	data := []byte{1}
	e := entry(1, 1, 1)
	e.arrays = []*[]byte{&data}
	c.Put(e)
	if data != nil {
		t.Error("the entry keeps an array")
	}
}
