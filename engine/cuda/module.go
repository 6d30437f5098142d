package cuda

import (
	"crypto/sha256"
	"fmt"
	"os"
	"sync"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/plan/ir"
)

// A module is the code of a kernel, loaded. It stays as long as the process: the
// next program that needs it is ready at once.
type module struct {
	source  *cudagen.Source // nil for kernels written by hand
	entries []cu.Function
}

// modules are the kernels that were loaded, by structure.
type modules struct {
	mu     sync.Mutex
	loaded map[[sha256.Size]byte]*module
}

func (m *modules) get(key [sha256.Size]byte) *module {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loaded[key]
}

// put keeps the module that comes first.
func (m *modules) put(key [sha256.Size]byte, x *module) *module {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.loaded == nil {
		m.loaded = map[[sha256.Size]byte]*module{}
	}
	if old := m.loaded[key]; old != nil {
		return old
	}
	m.loaded[key] = x
	return x
}

// kernel is the module of a kernel in a layout.
func (d *device) kernel(k *ir.Kernel, l cudagen.Layout) (*module, error) {
	text := k.String()
	key := sha256.Sum256([]byte(text + "\x00" + l.String()))
	if m := d.modules.get(key); m != nil {
		return m, nil
	}
	src, err := cudagen.Generate(k, l)
	if err != nil {
		return nil, expr.NewError(expr.ErrUnsupported, "", "%s: %s", d.name, err)
	}
	entries, err := d.load(text, src.Code, src.Entries)
	if err != nil {
		return nil, err
	}
	return d.modules.put(key, &module{src, entries}), nil
}

// load compiles source and loads its kernels. The context is not needed.
func (d *device) load(what, source string, names []string) ([]cu.Function, error) {
	if d.debug.source {
		fmt.Fprintf(os.Stderr, "oneloop: %s: CUDA C\n%s", d.name, source)
	}
	code, err := d.code.compile(source)
	if err != nil {
		return nil, &CompileError{Kernel: what, Source: source, Cause: err}
	}
	entries := make([]cu.Function, len(names))
	err = d.do("loading a kernel", func() error {
		m, err := cu.ModuleLoadData(code)
		if err != nil {
			return err
		}
		for i, name := range names {
			if entries[i], err = m.GetFunction(name); err != nil {
				return err
			}
		}
		return nil
	})
	return entries, err
}
