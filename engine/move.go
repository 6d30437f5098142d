package engine

import (
	"cmp"

	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/shape"
)

// Device returns the name of the device that runs programs with a: that of its
// memory, or "cpu".
func (a *Array) Device() string { return a.Memory().Device() }

// To returns a row-major copy of a on device d, or a itself if it is on d. A nil
// device is the host.
func (a *Array) To(d driver.Device) (*Array, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	d = cmp.Or(d, CPU())
	if d.Name() == a.Device() {
		return a, nil
	}
	c, err := a.Contiguous()
	if err != nil {
		return nil, err
	}
	moved, err := newArrayOn(d, a.DType(), a.Shape())
	if err != nil {
		return nil, err
	}
	if err := moved.mem.copyFrom(c.mem, c.Offset()*a.DType().Size()); err != nil {
		return nil, err
	}
	return moved.Named(a.node.Leaf.Name), nil
}

// copyFrom fills the new memory m with the bytes of src from offset on. If m has a
// device, copyFrom fills only the device side.
func (m *Memory) copyFrom(src *Memory, offset int) error {
	if m.dev == nil {
		b, err := src.Host()
		if err == nil {
			copy(m.data, b[offset:])
		}
		return err
	}
	a, err := m.dev.Alloc(m.size)
	if err != nil {
		return err
	}
	if err := m.fill(a, src, offset); err != nil {
		_ = m.dev.Free(a)
		return err
	}
	m.alloc, m.head = a, AtDevice
	return nil
}

func (m *Memory) fill(a driver.Allocation, src *Memory, offset int) error {
	if p, ok := m.dev.(driver.PeerCopier); ok && offset == 0 && src.size == m.size && src.Head() == AtDevice {
		if err := src.claim(false, nil); err != nil {
			return err
		}
		if done, err := p.CopyPeer(a, src.Allocation()); done || err != nil {
			return err
		}
	}
	b, err := src.Host()
	if err != nil {
		return err
	}
	return m.dev.Upload(nil, a, b[offset:offset+m.size])
}

// NewZeros returns a new row-major array of zeros on the device of a.
func (a *Array) NewZeros(t dtype.Type, dims ...int) (*Array, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	s, err := shape.New(dims...)
	if err != nil {
		return nil, tree.NewError(tree.ErrShape, "", "%s", err)
	}
	return newArrayOn(a.mem.dev, t, s)
}

// newValue returns a new array for the value of a tree, on the device of its leaves.
func newValue(n *tree.Node) (*Array, error) {
	var d driver.Device
	tree.Walk(n, func(x *tree.Node) {
		if x.Leaf != nil {
			if m, ok := x.Leaf.Mem.(*Memory); ok && m.dev != nil {
				d = m.dev
			}
		}
	})
	return newArrayOn(d, n.DType(), n.Shape())
}
