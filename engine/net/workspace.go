package net

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/zero"
)

// A Workspace holds named blobs, and the nets that use them. The zero Workspace is
// empty. It is safe for concurrent use.
type Workspace struct {
	mu    sync.RWMutex
	blobs map[string]*engine.Array
	nets  map[string]*Net
	read  map[string]*reading
}

// NewWorkspace returns an empty workspace.
func NewWorkspace() *Workspace { return &Workspace{} }

func errNilWorkspace() error { return tree.NewError(tree.ErrType, "", "the workspace is nil") }

// Feed makes an array the blob called name. It returns the error of the array. Nets
// bind the new array at their next run; they compile again if it is another one.
func (w *Workspace) Feed(name string, a *engine.Array) error {
	if w == nil {
		return errNilWorkspace()
	}
	if err := a.Node().Err(); err != nil {
		return blobError(name, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	zero.Put(&w.blobs, name, a)
	return nil
}

// Blob returns the blob called name, or nil if there is none.
func (w *Workspace) Blob(name string) *engine.Array {
	w = zero.IfNil(w)
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.blobs[name]
}

// Fetch returns the blob called name as a tensor. The error is [expr.ErrValue] if
// there is none, and [expr.ErrType] if it has another type.
func Fetch[T expr.Elem](w *Workspace, name string) (*engine.Tensor[T], error) {
	a := w.Blob(name)
	if a == nil {
		return nil, blobError(name, tree.NewError(tree.ErrValue, "", "the blob does not exist"))
	}
	t, err := engine.TensorOf[T](a)
	if err != nil {
		return nil, blobError(name, err)
	}
	return t, nil
}

// Blobs returns the names of the blobs, sorted.
func (w *Workspace) Blobs() []string {
	w = zero.IfNil(w)
	w.mu.RLock()
	defer w.mu.RUnlock()
	return slices.Sorted(maps.Keys(w.blobs))
}

// Remove removes a blob and reports whether there was one.
func (w *Workspace) Remove(name string) bool {
	w = zero.IfNil(w)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, ok := w.blobs[name]
	delete(w.blobs, name)
	return ok
}

// CreateNet checks a definition and returns its net, which Net returns later. The
// error is an [Error] that names the operator and the blob.
func (w *Workspace) CreateNet(d *NetDef) (*Net, error) {
	if w == nil {
		return nil, errNilWorkspace()
	}
	n, err := newNet(w, d)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.nets[d.Name]; ok {
		return nil, tree.NewError(tree.ErrValue, "", "there is a net %q", d.Name)
	}
	zero.Put(&w.nets, d.Name, n)
	return n, nil
}

// Net returns the net called name, or nil if there is none.
func (w *Workspace) Net(name string) *Net {
	w = zero.IfNil(w)
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.nets[name]
}

// RunOnce runs a net once, without keeping it: an init net.
func (w *Workspace) RunOnce(ctx context.Context, d *NetDef) error {
	n, err := newNet(w, d)
	if err != nil {
		return err
	}
	return n.Run(ctx)
}

// Shapes returns types and shapes of all blobs that a net reads and writes, without
// running it. An input that inputs lacks is a blob that exists.
func (w *Workspace) Shapes(d *NetDef, inputs map[string]Info) (map[string]Info, error) {
	n, err := build(w, d)
	if err != nil {
		return nil, err
	}
	all := map[string]Info{}
	for _, o := range n {
		in := make([]Info, len(o.def.Input))
		for i, name := range o.def.Input {
			x, ok := all[name]
			if !ok {
				x, ok = inputs[name]
			}
			if a := w.Blob(name); !ok && a != nil {
				x, ok = Info{a.DType(), a.Shape()}, true
			}
			if !ok {
				return nil, o.fail(blobError(name, tree.NewError(tree.ErrValue, "", "the blob has no known shape")))
			}
			in[i], all[name] = x, x
		}
		outs, err := o.infer(in)
		if err != nil {
			return nil, o.fail(err)
		}
		for i, x := range outs {
			all[o.def.Output[i]] = x
		}
	}
	return all, nil
}
