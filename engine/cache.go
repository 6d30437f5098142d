package engine

import (
	"slices"
	"sync"
)

// assignments are those that have been carried out, for statements of the same
// structure to come.
var assignments = assignmentCache{limit: 4 << 20}

// An assignmentCache keeps assignments that nobody runs. Whoever runs one takes
// it out and puts it back, so that goroutines that carry out the same statements
// at the same time have one each. Beyond the limit the one that has been idle
// for longest is dropped; what would take a quarter of the room is not kept.
type assignmentCache struct {
	limit int // bytes

	mu      sync.Mutex
	size    int
	buckets [512]*assignment // by hash
	idle    assignment       // ring, the latest first
}

// take removes an assignment for the key from the cache; nil if there is none.
func (c *assignmentCache) take(k *key, o Options) *assignment {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := c.bucket(k.hash); *at != nil; at = &(*at).next {
		a := *at
		if a.hash == k.hash && a.options == o && slices.Equal(a.words, k.words) && slices.Equal(a.idents, k.idents) {
			c.unlink(at)
			return a
		}
	}
	return nil
}

// put adds an assignment to the cache.
func (c *assignmentCache) put(a *assignment) {
	if a.bytes > c.limit/4 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.bucket(a.hash)
	a.next, *at = *at, a
	r := &c.idle
	if r.after == nil {
		r.after, r.before = r, r
	}
	a.after, a.before = r.after, r
	r.after.before, r.after = a, a
	c.size += a.bytes
	for c.size > c.limit {
		at := c.bucket(r.before.hash)
		for *at != r.before {
			at = &(*at).next
		}
		c.unlink(at)
	}
}

func (c *assignmentCache) bucket(hash uint64) **assignment {
	return &c.buckets[hash%uint64(len(c.buckets))]
}

// unlink removes *at from its bucket and from the ring.
func (c *assignmentCache) unlink(at **assignment) {
	a := *at
	*at = a.next
	a.before.after, a.after.before = a.after, a.before
	a.next, a.after, a.before = nil, nil, nil
	c.size -= a.bytes
}
