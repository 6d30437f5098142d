package engine

import (
	"slices"
	"sync"
)

// assignments holds the assignments that have run, for later statements of the
// same structure.
var assignments = assignmentCache{limit: 4 << 20}

// An assignmentCache keeps assignments that are not running. A goroutine takes an
// assignment out, runs it and puts it back, so that goroutines that run the same
// statements at the same time have one each. Beyond the limit the cache drops the
// assignments that have been idle for longest. It does not keep an assignment
// that is larger than a quarter of the limit.
type assignmentCache struct {
	limit int // bytes

	mu      sync.Mutex
	size    int
	buckets [512]*assignment // by hash
	idle    assignment       // head of a ring of all assignments, the latest first
}

// take removes an assignment with the key and the options from the cache and
// returns it, or nil if there is none.
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

// put adds an assignment to the cache and drops idle ones beyond the limit.
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
