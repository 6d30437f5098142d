package reuse

import (
	"hash/maphash"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
)

// A Cache keeps entries that are not running. A goroutine takes an entry out, runs
// it and puts it back, so that goroutines that run the same statements at the same
// time have one each. Beyond the limit the cache drops the entries that have been
// idle for longest. It does not keep an entry that is larger than a quarter of the
// limit. O are the options of programs, and P is the type of programs.
type Cache[O comparable, P any] struct {
	limit  int // bytes
	memory Memories
	keys   sync.Pool

	mu      sync.Mutex
	size    int
	buckets [512]*Entry[O, P] // by hash
	idle    Entry[O, P]       // head of a ring of all entries, the latest first
}

// Memories are the functions by which entries use the memory of arrays.
type Memories struct {
	// Host returns the bytes of a memory. It reports false if the memory is not the
	// host's.
	Host func(tree.Memory) ([]byte, bool)
	// New returns a memory of the host of size bytes, and the address at which it
	// keeps its bytes. It has none yet.
	New func(size int) (m tree.Memory, data *[]byte)
}

// NewCache returns an empty cache that keeps programs of at most limit bytes
// together.
func NewCache[O comparable, P any](limit int, m Memories) *Cache[O, P] {
	c := &Cache[O, P]{limit: limit, memory: m}
	seed := maphash.MakeSeed()
	c.keys.New = func() any { return &Key{host: m.Host, seed: seed, table: make([]int32, 64)} }
	c.idle.after, c.idle.before = &c.idle, &c.idle
	return c
}

// Key returns the key of statements, or nil if they have none. The caller gives it
// back with Free.
func (c *Cache[O, P]) Key(stmts []expr.Statement) *Key {
	k := c.keys.Get().(*Key)
	if !k.read(stmts) {
		c.Free(k)
		return nil
	}
	return k
}

// Free takes back a key, which the caller no longer uses. k may be nil.
func (c *Cache[O, P]) Free(k *Key) {
	if k != nil {
		k.reset()
		c.keys.Put(k)
	}
}

// Take removes an entry with the key and the options from the cache, binds it to
// the operands of the key and returns it. It returns nil if there is none.
func (c *Cache[O, P]) Take(k *Key, o O) *Entry[O, P] {
	e := c.find(k, o)
	if e != nil {
		e.bind(k)
	}
	return e
}

func (c *Cache[O, P]) find(k *Key, o O) *Entry[O, P] {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.bucket(k.hash); *at != nil; at = &(*at).next {
		e := *at
		if e.hash == k.hash && e.options == o && slices.Equal(e.words, k.words) && slices.Equal(e.idents, k.idents) {
			c.unlink(at)
			return e
		}
	}
	return nil
}

// Put removes the operands from an entry, adds the entry to the cache, and drops
// idle entries beyond the limit.
func (c *Cache[O, P]) Put(e *Entry[O, P]) {
	for _, data := range e.arrays {
		*data = nil
	}
	if e.Bytes > c.limit/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.bucket(e.hash)
	e.next, *at = *at, e
	r := &c.idle
	e.after, e.before = r.after, r
	r.after.before, r.after = e, e
	c.size += e.Bytes
	for c.size > c.limit {
		at := c.bucket(r.before.hash)
		for *at != r.before {
			at = &(*at).next
		}
		c.unlink(at)
	}
}

func (c *Cache[O, P]) bucket(hash uint64) **Entry[O, P] {
	return &c.buckets[hash%uint64(len(c.buckets))]
}

// unlink removes *at from its bucket and from the ring.
func (c *Cache[O, P]) unlink(at **Entry[O, P]) {
	e := *at
	*at = e.next
	e.before.after, e.after.before = e.after, e.before
	e.next, e.after, e.before = nil, nil, nil
	c.size -= e.Bytes
}
