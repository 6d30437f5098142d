package cuda

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/cuda/cu"
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
