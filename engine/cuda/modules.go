package cuda

import (
	"cmp"
	"container/list"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
	"github.com/oneloop/oneloop/plan/ir"
)

// A module is the loaded code of one or more kernels.
type module struct {
	source  *cudagen.Source // nil for kernels written by hand
	code    cu.Module
	size    int // bytes of machine code
	entries []cu.Function
}

// kernel returns the module of a kernel in a layout. h holds it from then on.
func (d *device) kernel(h *holder, k *ir.Kernel, l cudagen.Layout) (*module, error) {
	text := k.String()
	return d.modules.hold(h, sha256.Sum256([]byte(text+"\x00"+l.String())), func() (*module, error) {
		src := cudagen.Generate(k, l)
		m, err := d.load(text, src.Code, src.Entries)
		if err == nil {
			m.source = src
		}
		return m, err
	})
}

// source returns the module of a source that is written by hand. h holds it from then on.
func (d *device) source(h *holder, what, source string, entries ...string) (*module, error) {
	return d.modules.hold(h, sha256.Sum256([]byte(source)), func() (*module, error) { return d.load(what, source, entries) })
}

// load compiles source and loads its kernels. It makes the context current
// itself.
func (d *device) load(what, source string, names []string) (*module, error) {
	if err := d.debug.show(d.name, source, names[0]); err != nil {
		return nil, fmt.Errorf("ONELOOP_DEBUG=cuda: %w", err)
	}
	image, err := d.code.compile(source)
	if err != nil {
		return nil, &CompileError{Kernel: what, Source: source, Cause: err}
	}
	m := &module{size: len(image), entries: make([]cu.Function, len(names))}
	err = d.do("loading a kernel", func() (err error) {
		if m.code, err = cu.ModuleLoadData(image); err != nil {
			return err
		}
		for i, name := range names {
			if m.entries[i], err = m.code.GetFunction(name); err != nil {
				return errors.Join(err, d.unload([]*module{m}))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// unload waits for all work of the context, then unloads modules that no program
// holds. It waits for captures to end. The context is current.
func (d *device) unload(drop []*module) (err error) {
	if len(drop) == 0 {
		return nil
	}
	d.capturing.Lock()
	defer d.capturing.Unlock()
	if err := cu.CtxSynchronize(); err != nil {
		return err
	}
	for _, m := range drop {
		err = cmp.Or(err, m.code.Unload())
	}
	return err
}

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
