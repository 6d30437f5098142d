package cuda

import (
	"crypto/sha256"
	"errors"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/cu"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// power compiles y = x*x*...*x. Each number of factors has a kernel of its own.
func power(t *testing.T, y, x *engine.Tensor[float32], factors int) *engine.Program {
	t.Helper()
	e := op.Mul(x, x)
	for range factors - 2 {
		e = op.Mul(e, x)
	}
	p, err := engine.Compile(ctx, expr.Let(y, e))
	check(t, err)
	return p
}

// A census counts the modules loaded and unloaded since it was taken.
type census struct {
	s              *standIn
	loads, unloads int
}

func take(s *standIn) *census {
	c := &census{s: s}
	c.loads, c.unloads = s.modules()
	return c
}

func (c *census) want(t *testing.T, when string, loads, unloads int) {
	t.Helper()
	l, u := c.s.modules()
	if l-c.loads != loads || u-c.unloads != unloads {
		t.Errorf("%s: %d modules loaded, %d unloaded, want %d and %d", when, l-c.loads, u-c.unloads, loads, unloads)
	}
}

// testModules compiles programs whose modules exceed the limit.
func testModules(t *testing.T, s *standIn) {
	d := open(t)
	x, y := ramp(t, d, 100), zeros(t, d, 100)
	count := take(s)
	a, b := power(t, y, x, 2), power(t, y, x, 2)
	count.want(t, "two programs with one kernel", 1, 0)
	room := 0
	for _, c := range d.modules.loaded {
		room = 4*c.module.size + c.module.size/2 // the size of four and a half such kernels
	}
	d.modules.limit = room

	check(t, a.Close())
	check(t, a.Close())
	for range 2 {
		for f := 3; f < 7; f++ { // their modules fit the limit
			p := power(t, y, x, f)
			check(t, p.Run(ctx))
			check(t, p.Close())
		}
	}
	count.want(t, "four kernels, twice", 5, 0)
	more := testlevel.Every(13, 13, 6)
	for f := 7; f < 7+more; f++ {
		check(t, power(t, y, x, 3).Close()) // so that its module is never the oldest
		p := power(t, y, x, f)
		check(t, p.Run(ctx))
		check(t, p.Close())
	}
	loads, unloads := s.modules()
	loads, unloads = loads-count.loads, unloads-count.unloads
	if loads != 5+more || unloads < loads-5 || d.modules.size > room {
		t.Errorf("after %d more: %d modules loaded, %d unloaded, %d bytes are kept of %d", more, loads, unloads, d.modules.size, room)
	}
	check(t, b.Run(ctx)) // b has held its module all the time
	if y.At(16) != 4 {
		t.Errorf("y[16] is %v", y.At(16))
	}
	p := power(t, y, x, 4)
	count.want(t, "one that was unloaded", loads+1, unloads)
	check(t, p.Run(ctx))
	if y.At(16) != 16 {
		t.Errorf("y[16] is %v", y.At(16))
	}
	check(t, p.Close())
	check(t, b.Close())

	d.modules.limit = 0
	check(t, power(t, y, x, 20).Close())
	loads, unloads = s.modules()
	if loads-count.loads != unloads-count.unloads || len(d.modules.loaded) != 0 || d.modules.idle.Len() != 0 || d.modules.size != 0 {
		t.Errorf("without room %d modules of %d bytes are kept", len(d.modules.loaded), d.modules.size)
	}
}

// testModuleGarbage drops programs that are not closed, and one whose compilation
// failed. All modules must be unloaded.
func testModuleGarbage(t *testing.T, s *standIn) {
	d := open(t)
	d.modules.limit = 0
	x, y, n := ramp(t, d, 100), zeros(t, d, 100), zeros(t, d, 100)
	count := take(s)
	func() {
		for f := 2; f < 6; f++ {
			check(t, power(t, y, x, f).Run(ctx))
		}
		s.fail("cuModuleGetFunction", 1, cu.ERROR_NOT_FOUND) // fails at the second loop at the latest
		_, err := engine.Compile(ctx, expr.Let(y, op.Mul(op.Sum(x), x)), expr.Let(n, op.Exp(x)))
		if !errors.Is(err, expr.ErrDevice) {
			t.Errorf("a kernel that is not there: %v", err)
		}
	}()
	for deadline := time.Now().Add(2 * time.Minute); ; {
		runtime.GC()
		time.Sleep(time.Millisecond)
		check(t, d.do("sweeping", d.sweep))
		loads, unloads := s.modules()
		if loads == unloads-count.unloads+count.loads {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d modules loaded, %d unloaded", loads-count.loads, unloads-count.unloads)
		}
	}
}

// testModuleMemory exhausts memory. The modules that no program holds must be
// unloaded.
func testModuleMemory(t *testing.T, s *standIn) {
	d := open(t)
	x, y := ramp(t, d, 100), zeros(t, d, 100)
	count := take(s)
	held := power(t, y, x, 2)
	check(t, power(t, y, x, 3).Close())
	s.fail("cuMemAllocAsync", 0, cu.ERROR_OUT_OF_MEMORY)
	zeros(t, d, 100)
	count.want(t, "out of memory", 2, 1)
	check(t, held.Run(ctx))
}

// testModuleFlight compiles the same statements in many goroutines at once. The
// module must be loaded once.
func testModuleFlight(t *testing.T, s *standIn) {
	t.Setenv("ONELOOP_CACHE", "off")
	d := open(t)
	x := ramp(t, d, 100)
	count := take(s)
	var wg sync.WaitGroup
	for range 8 {
		y := zeros(t, d, 100)
		wg.Go(func() {
			if p, err := engine.Compile(ctx, expr.Let(y, op.Mul(op.Mul(x, x), x))); err != nil {
				t.Error(err)
			} else if err := p.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	count.want(t, "eight goroutines", 1, 0)
}

// testModuleBusy unloads modules while other goroutines launch kernels, also on
// streams, and capture graphs. The stand-in refuses to unload a module that may
// be running, and any module during a capture.
func testModuleBusy(t *testing.T, _ *standIn) {
	d := open(t)
	d.modules.limit = 0
	x := ramp(t, d, 64)
	var wg sync.WaitGroup
	for g := range 4 {
		row, y := zeros(t, d, 8), zeros(t, d, 64)
		wg.Go(func() {
			if err := busy(d, x, row, y, g); err != nil {
				t.Errorf("goroutine %d: %v", g, err)
			}
			if got, want := y.At(0), float32(28*g); got != want {
				t.Errorf("goroutine %d gets %v, want %v", g, got, want)
			}
		})
	}
	wg.Wait()
}

// busy compiles, runs and closes programs. Goroutines with an even number use a
// stream.
func busy(d *device, x, row, y *engine.Tensor[float32], g int) error {
	st, err := d.NewStream()
	if err != nil {
		return err
	}
	for i := range 6 {
		other, err := engine.Compile(ctx, expr.Let(y, op.AddScalar(op.Exp(x), float32(i))))
		if err != nil {
			return err
		}
		other.RunAsync(st)
		p, err := engine.Compile(ctx,
			expr.Let(row, op.Scale(float32(g), op.Sum(op.Reshape(x, 8, 8), op.Axis(0)))),
			expr.Let(y, op.Reshape(op.Add(op.Reshape(x, 8, 8), row), 64)))
		if err != nil {
			return err
		}
		for k := range 2 * stableRuns {
			if g%2 == 0 {
				p.RunAsync(st)
			} else if err := p.Run(ctx); err != nil {
				return err
			}
			if k == 0 {
				if err := other.Close(); err != nil {
					return err
				}
			}
		}
		if err := p.Close(); err != nil {
			return err
		}
	}
	return st.Close()
}

// TestModulesOrder tests that the modules that were released first are dropped
// first.
func TestModulesOrder(t *testing.T) {
	m := modules{limit: 4}
	loads := 0
	hold := func(h *holder, name byte) {
		t.Helper()
		x, err := m.hold(h, sha256.Sum256([]byte{name}), func() (*module, error) {
			loads++
			return &module{size: 1, code: cu.Module(name)}, nil
		})
		if err != nil || x.code != cu.Module(name) {
			t.Errorf("module %d: %v, %v", name, x, err)
		}
	}
	release := func(h *holder) (names []cu.Module) {
		for _, x := range m.release(h) {
			names = append(names, x.code)
		}
		return names
	}
	var long, h holder
	hold(&long, 1)
	hold(&long, 1)
	for name := byte(1); name < 6; name++ {
		hold(&h, name)
		if got := release(&h); got != nil {
			t.Errorf("dropped early: %v", got)
		}
	}
	hold(&h, 2) // module 2 is then the last released
	hold(&h, 6)
	if got := release(&h); !slices.Equal(got, []cu.Module{3, 4}) {
		t.Errorf("dropped %v, want 3 and 4", got)
	}
	if got := release(&long); got != nil || loads != 6 {
		t.Errorf("room for 4, and %v is dropped of 4; %d were loaded", got, loads)
	}
	if got := m.clear(); len(got) != 4 || len(m.loaded) != 0 || m.size != 0 {
		t.Errorf("%d of 4 are cleared, %d bytes are left", len(got), m.size)
	}
}

// TestModulesFailure makes a load fail, by an error and by a panic. A goroutine
// that waits for the load must get an error, and the next call must load again.
func TestModulesFailure(t *testing.T) {
	m := modules{limit: 4}
	broken := errors.New("broken")
	load := map[string]func() (*module, error){
		"error": func() (*module, error) { return nil, broken },
		"panic": func() (*module, error) { panic(broken) },
	}
	for name, want := range map[string]error{"error": broken, "panic": expr.ErrDevice} {
		key := sha256.Sum256([]byte(name))
		var first, second holder
		started, ended, waited := make(chan bool), make(chan bool), make(chan error)
		go func() {
			defer close(ended)
			defer func() { _ = recover() }()
			_, _ = m.hold(&first, key, func() (*module, error) {
				started <- true
				for c := m.loaded[key]; ; time.Sleep(time.Millisecond) {
					m.mu.Lock()
					n := c.holders
					m.mu.Unlock()
					if n == 2 {
						return load[name]()
					}
				}
			})
		}()
		<-started
		go func() {
			_, err := m.hold(&second, key, nil)
			waited <- err
		}()
		if err := <-waited; !errors.Is(err, want) {
			t.Errorf("%s: the waiter gets %v, want %v", name, err, want)
		}
		<-ended
		if len(first.list) != 0 || len(second.list) != 0 {
			t.Errorf("%s: %d and %d held", name, len(first.list), len(second.list))
		}
		x, err := m.hold(&second, key, func() (*module, error) { return &module{size: 1}, nil })
		if x == nil || err != nil || len(second.list) != 1 {
			t.Errorf("%s: then %v, %v; %d held", name, x, err, len(second.list))
		}
		if drop := m.release(&second); drop != nil || m.size != 1 {
			t.Errorf("%s: %d bytes are kept", name, m.size)
		}
		m.clear()
	}
}
