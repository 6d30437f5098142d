package cuda

import (
	"container/list"
	"crypto/sha256"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// modules are the loaded modules, by a hash of kernel and layout, or of source.
// Programs hold them. A module that no program holds stays loaded for the next
// program, until all such modules exceed a limit. Then the ones that were
// released first are unloaded.
type modules struct {
	limit int // bytes of machine code that no program holds

	mu     sync.Mutex
	loaded map[[sha256.Size]byte]*cached
	idle   list.List // *cached that no program holds, the last released first
	size   int       // bytes of machine code in idle
}

// moduleLimit is the limit of a GPU. It holds some thousand kernels.
const moduleLimit = 64 << 20

// A cached is the entry of a module that is loaded or being loaded.
type cached struct {
	key     [sha256.Size]byte
	done    chan struct{} // closed when module and err are set
	module  *module
	err     error
	holders int
	idle    *list.Element // nil while there are holders
}

// A holder is the list of modules that a program holds, each once. One goroutine
// uses it at a time.
type holder struct{ list []*cached }

var errPanicked = &tree.Error{Kind: tree.ErrDevice, Msg: "a panic ended the making of a kernel"}

// hold returns the module of a key and adds it to what h holds. If no module is
// loaded, hold calls load; concurrent calls for one key call it once. A failure
// is not remembered: the next call tries again.
func (m *modules) hold(h *holder, key [sha256.Size]byte, load func() (*module, error)) (*module, error) {
	c, found := m.find(h, key)
	defer func() { // also after a panic of load
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

// find returns the entry of a key, which h then holds. If the entry is new, found
// is false and the caller must load it.
func (m *modules) find(h *holder, key [sha256.Size]byte) (c *cached, found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, found = m.loaded[key]
	if !found {
		c = &cached{key: key, done: make(chan struct{})}
		zero.Put(&m.loaded, key, c)
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

// release takes the modules from h, and returns those that the caller must
// unload. Above the limit it frees a quarter of the limit at once, because
// unloading waits for the GPU.
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

// clear removes all modules that no program holds. The caller must unload them.
func (m *modules) clear() (drop []*module) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.evict(0)
}

// evict removes modules that no program holds, the first released first, until
// the rest have at most size bytes. The caller must unload them. Launches of them
// may not have ended.
func (m *modules) evict(size int) (drop []*module) {
	for m.size > size {
		c := m.idle.Remove(m.idle.Back()).(*cached)
		m.size -= c.module.size
		delete(m.loaded, c.key)
		drop = append(drop, c.module)
	}
	return drop
}
