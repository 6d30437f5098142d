package cuda

import (
	"container/list"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/expr"
)

// modules are the loaded modules, by a hash of their source. Programs hold them. A
// module that no program holds stays loaded for the next program, until all such
// modules exceed a limit. Then the least recently held are unloaded.
type modules struct {
	limit int // bytes of machine code that no program holds

	mu     sync.Mutex
	loaded map[[sha256.Size]byte]*cached
	idle   list.List // of *cached that no program holds, the latest first
	size   int       // of idle, in bytes of machine code
}

// moduleLimit is that of a GPU: room for some thousand kernels.
const moduleLimit = 64 << 20

// A cached module is being loaded, or is loaded.
type cached struct {
	key     [sha256.Size]byte
	done    chan struct{} // closed when the next two are there
	module  *module
	err     error
	holders int
	idle    *list.Element // nil while there are holders
}

// A holder is what a program holds: modules, each once. One goroutine uses it at
// a time.
type holder struct{ list []*cached }

var errPanicked = &expr.Error{Kind: expr.ErrDevice, Msg: "a panic ended the making of a kernel"}

// hold adds the module of a key to what h holds. If there is none load makes it;
// concurrent calls for one key are one load. A failed one is not remembered.
func (m *modules) hold(h *holder, key [sha256.Size]byte, load func() (*module, error)) (*module, error) {
	c, found := m.find(h, key)
	defer func() { // after a panic of load too
		if c.err != nil {
			h.list = slices.DeleteFunc(h.list, func(x *cached) bool { return x == c })
		}
	}()
	if found {
		<-c.done
	} else {
		m.load(c, load)
	}
	return c.module, c.err
}

// find is the entry of a key, held by h. The caller loads one that is new.
func (m *modules) find(h *holder, key [sha256.Size]byte) (c *cached, found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded == nil {
		m.loaded = map[[sha256.Size]byte]*cached{}
	}
	c, found = m.loaded[key]
	if !found {
		c = &cached{key: key, done: make(chan struct{})}
		m.loaded[key] = c
	}
	if slices.Contains(h.list, c) {
		return c, found
	}
	h.list = append(h.list, c)
	if c.holders++; c.idle != nil {
		m.idle.Remove(c.idle)
		c.idle = nil
		m.size -= c.module.size
	}
	return c, found
}

func (m *modules) load(c *cached, load func() (*module, error)) {
	c.err = errPanicked
	defer func() {
		if c.err != nil {
			m.mu.Lock()
			delete(m.loaded, c.key)
			m.mu.Unlock()
		}
		close(c.done)
	}()
	c.module, c.err = load()
}

// release gives up what h holds. Beyond the limit it makes a quarter of the room
// free at once, since unloading waits for the GPU.
func (m *modules) release(h *holder) (drop []*module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range h.list {
		if c.holders--; c.holders == 0 {
			c.idle = m.idle.PushFront(c)
			m.size += c.module.size
		}
	}
	h.list = nil
	if m.size <= m.limit {
		return nil
	}
	return m.evict(m.limit - m.limit/4)
}

// clear forgets all modules that no program holds.
func (m *modules) clear() (drop []*module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.evict(0)
}

// evict forgets modules that no program holds, down to a size. They are to be
// unloaded; launches of them may not have ended.
func (m *modules) evict(size int) (drop []*module) {
	for m.size > size {
		c := m.idle.Remove(m.idle.Back()).(*cached)
		m.size -= c.module.size
		delete(m.loaded, c.key)
		drop = append(drop, c.module)
	}
	return drop
}
