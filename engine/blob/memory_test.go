package blob_test

import (
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/blob"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
)

// A device is the host under another name. It counts copies.
type device struct {
	driver.Device
	up, down int
}

func newDevice() *device { return &device{Device: engine.CPU()} }

func (d *device) Name() string { return "test:0" }

func (d *device) Upload(s driver.Stream, dst driver.Allocation, src []byte) error {
	d.up++
	return d.Device.Upload(s, dst, src)
}

func (d *device) Download(s driver.Stream, dst []byte, src driver.Allocation) error {
	d.down++
	return d.Device.Download(s, dst, src)
}

// TestTransitions carries out every access in every state.
func TestTransitions(t *testing.T) {
	type access struct {
		name string
		do   func(m *blob.SyncedMemory) error
	}
	host := access{"Host", func(m *blob.SyncedMemory) error { _, err := m.Host(); return err }}
	mutableHost := access{"MutableHost", func(m *blob.SyncedMemory) error {
		b, err := m.MutableHost()
		b[0]++
		return err
	}}
	onDevice := access{"OnDevice", func(m *blob.SyncedMemory) error { _, err := m.OnDevice(); return err }}
	mutable := access{"MutableOnDevice", func(m *blob.SyncedMemory) error { _, err := m.MutableOnDevice(); return err }}
	reach := map[engine.Head][]access{
		engine.Uninitialized: nil,
		engine.AtHost:        {mutableHost},
		engine.AtDevice:      {mutableHost, mutable},
		engine.Synced:        {mutableHost, onDevice},
	}
	for _, c := range []struct {
		from     engine.Head
		by       access
		to       engine.Head
		up, down int
	}{
		{engine.Uninitialized, host, engine.AtHost, 0, 0},
		{engine.Uninitialized, mutableHost, engine.AtHost, 0, 0},
		{engine.Uninitialized, onDevice, engine.Synced, 1, 0},
		{engine.Uninitialized, mutable, engine.AtDevice, 1, 0},
		{engine.AtHost, host, engine.AtHost, 0, 0},
		{engine.AtHost, mutableHost, engine.AtHost, 0, 0},
		{engine.AtHost, onDevice, engine.Synced, 1, 0},
		{engine.AtHost, mutable, engine.AtDevice, 1, 0},
		{engine.AtDevice, host, engine.Synced, 0, 1},
		{engine.AtDevice, mutableHost, engine.AtHost, 0, 1},
		{engine.AtDevice, onDevice, engine.AtDevice, 0, 0},
		{engine.AtDevice, mutable, engine.AtDevice, 0, 0},
		{engine.Synced, host, engine.Synced, 0, 0},
		{engine.Synced, mutableHost, engine.AtHost, 0, 0},
		{engine.Synced, onDevice, engine.Synced, 0, 0},
		{engine.Synced, mutable, engine.AtDevice, 0, 0},
	} {
		d := newDevice()
		m := blob.NewSyncedMemory(d, 8)
		for _, a := range reach[c.from] {
			if err := a.do(m); err != nil {
				t.Fatal(err)
			}
		}
		if m.Head() != c.from {
			t.Fatalf("reached %v, want %v", m.Head(), c.from)
		}
		d.up, d.down = 0, 0
		if err := c.by.do(m); err != nil {
			t.Fatal(err)
		}
		if m.Head() != c.to || d.up != c.up || d.down != c.down {
			t.Errorf("%v, %s: %v with %d uploads and %d downloads, want %v, %d, %d",
				c.from, c.by.name, m.Head(), d.up, d.down, c.to, c.up, c.down)
		}
		b, err := m.Host()
		if err != nil || int(b[0]) != len(reach[c.from])-btoi(len(reach[c.from]) == 2)+btoi(c.by.name == "MutableHost") {
			t.Errorf("%v, %s: the bytes are %v, %v", c.from, c.by.name, b, err)
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestHostMemory(t *testing.T) {
	m := blob.NewSyncedMemory(nil, 8)
	if m.Head() != engine.Uninitialized || m.Size() != 8 {
		t.Errorf("new memory is %v, %d bytes", m.Head(), m.Size())
	}
	if _, err := m.OnDevice(); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("OnDevice without a device: %v", err)
	}
	own := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	if err := m.Adopt(own); err != nil {
		t.Fatal(err)
	}
	b, err := m.MutableHost()
	if err != nil || &b[0] != &own[0] || m.Head() != engine.AtHost {
		t.Errorf("the memory has not adopted the bytes: %v, %v", m.Head(), err)
	}
	if err := m.Adopt(own[:4]); !errors.Is(err, expr.ErrShape) {
		t.Errorf("adopting 4 of 8 bytes: %v", err)
	}
	if err := blob.NewSyncedMemory(newDevice(), 8).Adopt(own); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("adopting for a device: %v", err)
	}
	if _, err := blob.NewSyncedMemory(nil, -1).Host(); !errors.Is(err, expr.ErrOutOfMemory) {
		t.Errorf("memory of -1 bytes: %v", err)
	}
}
