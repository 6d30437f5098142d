package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/shape"
)

// A fakeDevice is a device with memory in Go slices and a log of the calls.
type fakeDevice struct {
	log  []string
	fail error
}

type fakeAllocation struct{ data []byte }

func (a *fakeAllocation) Size() int { return len(a.data) }

func (d *fakeDevice) Name() string { return "fake:0" }

func (d *fakeDevice) note(format string, args ...any) error {
	d.log = append(d.log, fmt.Sprintf(format, args...))
	return d.fail
}

func (d *fakeDevice) Alloc(size int) (driver.Allocation, error) {
	return &fakeAllocation{make([]byte, size)}, d.note("alloc %d", size)
}

func (d *fakeDevice) Free(a driver.Allocation) error { return d.note("free %d", a.Size()) }

func (d *fakeDevice) Upload(_ driver.Stream, dst driver.Allocation, src []byte) error {
	copy(dst.(*fakeAllocation).data, src)
	return d.note("upload")
}

func (d *fakeDevice) Download(_ driver.Stream, dst []byte, src driver.Allocation) error {
	copy(dst, src.(*fakeAllocation).data)
	return d.note("download")
}

func (d *fakeDevice) NewStream() (driver.Stream, error) { return engine.NewStream(), nil }

// TestMemoryTransitions tests every transition of the residency: each of the four
// accesses in each state.
func TestMemoryTransitions(t *testing.T) {
	type access = func(*engine.Memory) error
	accesses := map[string]access{
		"host":           func(m *engine.Memory) error { _, err := m.Host(); return err },
		"mutable host":   func(m *engine.Memory) error { _, err := m.MutableHost(); return err },
		"device":         func(m *engine.Memory) error { _, err := m.OnDevice(); return err },
		"mutable device": func(m *engine.Memory) error { _, err := m.MutableOnDevice(); return err },
	}
	reach := map[engine.Head][]string{
		engine.Uninitialized: nil,
		engine.AtHost:        {"mutable host"},
		engine.AtDevice:      {"mutable device"},
		engine.Synced:        {"mutable host", "device"},
	}
	for _, c := range []struct {
		from   engine.Head
		access string
		to     engine.Head
		log    string
	}{
		{engine.Uninitialized, "host", engine.AtHost, "[]"},
		{engine.Uninitialized, "mutable host", engine.AtHost, "[]"},
		{engine.Uninitialized, "device", engine.Synced, "[alloc 8 upload]"},
		{engine.Uninitialized, "mutable device", engine.AtDevice, "[alloc 8 upload]"},
		{engine.AtHost, "host", engine.AtHost, "[]"},
		{engine.AtHost, "mutable host", engine.AtHost, "[]"},
		{engine.AtHost, "device", engine.Synced, "[alloc 8 upload]"},
		{engine.AtHost, "mutable device", engine.AtDevice, "[alloc 8 upload]"},
		{engine.AtDevice, "host", engine.Synced, "[download]"},
		{engine.AtDevice, "mutable host", engine.AtHost, "[download]"},
		{engine.AtDevice, "device", engine.AtDevice, "[]"},
		{engine.AtDevice, "mutable device", engine.AtDevice, "[]"},
		{engine.Synced, "host", engine.Synced, "[]"},
		{engine.Synced, "mutable host", engine.AtHost, "[]"},
		{engine.Synced, "device", engine.Synced, "[]"},
		{engine.Synced, "mutable device", engine.AtDevice, "[]"},
	} {
		d := &fakeDevice{}
		m, err := engine.NewSyncedMemory(d, 8)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range reach[c.from] {
			if err := accesses[a](m); err != nil {
				t.Fatal(err)
			}
		}
		if m.Head() != c.from {
			t.Fatalf("reached %v, not %v", m.Head(), c.from)
		}
		d.log = nil
		if err := accesses[c.access](m); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(d.log); m.Head() != c.to || got != c.log {
			t.Errorf("%v, %s: %v %s, want %v %s", c.from, c.access, m.Head(), got, c.to, c.log)
		}
	}
}

func TestMemoryContents(t *testing.T) {
	d := &fakeDevice{}
	m, _ := engine.NewSyncedMemory(d, 4)
	b, _ := m.MutableHost()
	copy(b, "abcd")
	a, _ := m.MutableOnDevice()
	if got := string(a.(*fakeAllocation).data); got != "abcd" {
		t.Errorf("the device sees %q", got)
	}
	copy(a.(*fakeAllocation).data, "wxyz")
	if b, _ := m.Host(); string(b) != "wxyz" {
		t.Errorf("the host sees %q", b)
	}
	if err := m.Free(); err != nil || m.Head() != engine.AtHost {
		t.Errorf("freed: %v, %v", err, m.Head())
	}
	if b, _ := m.Host(); string(b) != "wxyz" {
		t.Errorf("after Free the host sees %q", b)
	}
	d.fail = errors.New("broken")
	if _, err := m.OnDevice(); !errors.Is(err, d.fail) {
		t.Errorf("a failing device gives %v", err)
	}
	if b, err := m.Host(); err != nil || string(b) != "wxyz" {
		t.Errorf("a failed upload loses data: %q, %v", b, err)
	}
}

func TestDeviceMemoryInProgram(t *testing.T) {
	m, _ := engine.NewSyncedMemory(&fakeDevice{}, 16)
	a, err := engine.ArrayOf(m, dtype.F32, shape.Shape{4}, shape.Strides{1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	there, err := engine.TensorOf[float32](a)
	if err != nil {
		t.Fatal(err)
	}
	here := engine.Zeros[float32](4)
	if err := here.Assign(there); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("mixed devices: %v", err)
	}
	if err := there.Assign(op.Neg[float32](there)); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("a device without programs: %v", err)
	}
}

func TestStream(t *testing.T) {
	ctx := context.Background()
	s, other := engine.NewStream(), engine.NewStream()
	defer other.Close()
	x := engine.MustFromSlice([]float32{1, 2, 3})
	y := engine.Zeros[float32](3)
	p, err := engine.Compile(ctx, expr.Let(y, op.Scale(2, x)))
	if err != nil {
		t.Fatal(err)
	}
	q, err := engine.Compile(ctx, expr.LetAdd(y, x))
	if err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	s.Go(func(context.Context) error { <-gate; return nil })
	e := p.RunAsync(s)
	if done, _ := e.Done(); done {
		t.Error("the event has come before the work")
	}
	other.After(e)
	last := q.RunAsync(other)
	close(gate)
	if err := last.Wait(ctx); err != nil || y.At(2) != 9 {
		t.Errorf("%v, %v", y, err)
	}
	broken := errors.New("broken")
	s.Go(func(context.Context) error { return broken })
	ran := false
	s.Go(func(context.Context) error { ran = true; return nil })
	other.After(s.Record())
	if err := other.Sync(ctx); !errors.Is(err, broken) {
		t.Errorf("a failure is not carried to the waiter: %v", err)
	}
	if err := s.Sync(ctx); !errors.Is(err, broken) || ran {
		t.Errorf("Sync: %v, ran %v", err, ran)
	}
	if err := s.Sync(ctx); err != nil {
		t.Errorf("the failure stays after Sync: %v", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	block := make(chan struct{})
	s.Go(func(context.Context) error { <-block; return nil })
	if err := s.Record().Wait(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled wait: %v", err)
	}
	close(block)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Record().Wait(ctx); !errors.Is(err, expr.ErrDevice) {
		t.Errorf("a closed stream: %v", err)
	}
}

// TestOpenDevice tests the names of devices, and the errors of a program that does
// not import their package.
func TestOpenDevice(t *testing.T) {
	if _, err := engine.OpenDevice("tpu"); !errors.Is(err, expr.ErrDevice) || !strings.Contains(err.Error(), "there are cpu") {
		t.Errorf("a kind that nobody knows: %v", err)
	}
	if _, err := engine.OpenDevice("cuda:0"); !errors.Is(err, expr.ErrDevice) || !strings.Contains(err.Error(), `import _ "github.com/oneloop/oneloop/engine/cuda"`) {
		t.Errorf("a GPU: %v", err)
	}
	for name, want := range map[string]string{"cpu": "", "cpu:1": "no cpu:1", "cuda:x": "\"x\" is not the number", "cpu:-1": "\"-1\" is not the number", "": "no package"} {
		if d, err := engine.OpenDevice(name); want == "" && (err != nil || d.Name() != name) || want != "" && (!errors.Is(err, expr.ErrDevice) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, %v", name, d, err)
		}
	}
	if n, err := engine.CountDevices("cuda"); n != 0 || !errors.Is(err, expr.ErrDevice) {
		t.Errorf("%d GPUs: %v", n, err)
	}
}

func TestMove(t *testing.T) {
	d := &fakeDevice{}
	large := engine.MustFromSlice(ramp(5000), 50, 100)
	if far, err := large.To(d); err != nil || fmt.Sprint(far) != fmt.Sprint(large) {
		t.Errorf("on a device that runs no programs: %v, %v", err, far)
	}
	d.log = nil
	x := engine.MustFromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3).Named("x")
	there, err := x.Transpose().To(d)
	if err != nil || there.Device() != "fake:0" || fmt.Sprint(d.log) != "[alloc 24 upload]" {
		t.Fatalf("moved to %s: %v, log %v", there.Device(), err, d.log)
	}
	if fmt.Sprint(there.Values()) != "[1 4 2 5 3 6]" || there.At(1, 0) != 2 || there.Node().Leaf.Name != "x" {
		t.Errorf("moved: %v", there)
	}
	same, err := there.To(d)
	if same != there || err != nil {
		t.Errorf("a move to the same device makes another tensor: %v", err)
	}
	back, err := there.Slice(1, 2).To(engine.CPU())
	if err != nil || back.Device() != "cpu" || fmt.Sprint(back.Data()) != "[2 5]" {
		t.Errorf("moved back: %v, %v", back, err)
	}
	d.fail = errors.New("broken")
	if _, err := x.To(d); !errors.Is(err, d.fail) {
		t.Errorf("a move to a failing device: %v", err)
	}
	var none *engine.Tensor[float32]
	if _, err := none.To(d); !errors.Is(err, expr.ErrType) {
		t.Errorf("a nil tensor: %v", err)
	}
}

// TestDeviceMemoriesApart tests that memories of a device never overlap, whatever
// their host sides are.
func TestDeviceMemoriesApart(t *testing.T) {
	a, _ := engine.NewSyncedMemory(&fakeDevice{}, 8)
	if a.Locate() != 0 {
		t.Errorf("memory of a device is at %#x", a.Locate())
	}
	if m, err := engine.NewSyncedMemory(engine.CPU(), 8); err != nil || m.Device() != "cpu" || len(m.Bytes()) != 8 {
		t.Errorf("memory of the CPU as a device: %v", err)
	}
}

// TestStreamClosed closes a stream while goroutines queue work on it and wait for
// it. The stream does all work that it has accepted, and every wait returns.
func TestStreamClosed(t *testing.T) {
	for range 2000 {
		s := engine.NewStream()
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5 {
					ran := false
					s.Go(func(context.Context) error { ran = true; return nil })
					if err := s.Record().Wait(context.Background()); err == nil && !ran {
						t.Error("the work was skipped")
					} else if err != nil && !errors.Is(err, expr.ErrDevice) {
						t.Error(err)
					}
				}
			})
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
	}
}

// TestHostDevice opens the host by its names and no other.
func TestHostDevice(t *testing.T) {
	for _, name := range []string{"cpu", "cpu:0"} {
		if d, err := engine.OpenDevice(name); err != nil || d != engine.CPU() {
			t.Error(name, d, err)
		}
	}
	if n, err := engine.CountDevices("cpu"); n != 1 || err != nil {
		t.Error(n, err)
	}
	if d, err := engine.OpenDevice("cpu:1"); !errors.Is(err, expr.ErrDevice) || strings.Contains(err.Error(), "import") {
		t.Error(d, err)
	}
}
