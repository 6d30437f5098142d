package owned

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine/internal/pause"
)

// wait waits until the process has a barrier.
func wait(t *testing.T) {
	for try := 0; try < 1000 && goroutine() != 0; try++ {
		if barrier.ready() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Skip("no barrier here")
}

// in is what a caller of Leave does before.
func (l *Lock) in() *Owner {
	owner := l.Enter()
	if owner == nil {
		l.Lock()
	}
	return owner
}

// TestOwner tests who is the owner: a goroutine that has entered often, until another one locks.
func TestOwner(t *testing.T) {
	wait(t)
	var l Lock
	enter := func(want bool) {
		t.Helper()
		o := l.in()
		if (o != nil) != want {
			t.Errorf("the caller is the owner: %t", o != nil)
		}
		l.Leave(o)
	}
	elsewhere := func(f func()) {
		done := make(chan bool)
		go func() { defer close(done); f() }()
		<-done
	}
	lock := func() { l.Lock(); defer l.Unlock() }
	for range often {
		enter(false)
	}
	enter(true)
	lock()
	if !l.TryLock() {
		t.Error("TryLock fails")
	}
	l.Unlock()
	enter(true)
	elsewhere(func() { enter(false) })
	for range 8 * often {
		enter(false)
	}
	enter(true)
	elsewhere(lock)
	enter(false)
	elsewhere(func() {
		for range 8 * 8 * often {
			enter(false)
		}
		enter(true)
	})
}

// TestExcludes counts in several goroutines, some of which become owners again and again.
func TestExcludes(t *testing.T) {
	wait(t)
	var l Lock
	var all sync.WaitGroup
	const workers, rounds = 4, 3000
	n, owned := 0, 0
	for k := range workers {
		all.Go(func() {
			for i := range rounds {
				if k == 0 && i%8 == 0 {
					l.Lock()
					l.losses = 0
					n++
					l.Unlock()
					continue
				}
				for range often + 40 {
					o := l.in()
					if n++; o != nil {
						owned++
					}
					l.Leave(o)
				}
			}
		})
	}
	all.Wait()
	if want := (workers*rounds-rounds/8)*(often+40) + rounds/8; n != want {
		t.Errorf("%d of %d", n, want)
	}
	t.Logf("owners have entered %d times of %d", owned, n)
}

// TestTaken counts in an owner, which has stores to wait for, and in another goroutine, which takes the lock from it each time.
func TestTaken(t *testing.T) { testTaken(t, 20000) }

func testTaken(t *testing.T, rounds int) {
	wait(t)
	var l Lock
	var ended atomic.Bool
	n, entered, owned := 0, 0, 0
	owner, done := make(chan uintptr), make(chan bool)
	go func() {
		defer close(done)
		owner <- goroutine()
		far := make([]byte, 1<<22)
		for at := 0; !ended.Load(); entered++ {
			for range 20 {
				at = (at + 4160) % len(far)
				far[at]++
			}
			o := l.in()
			before := n
			for range 50 {
				far[0]++
			}
			if n = before + 1; o != nil {
				owned++
			}
			l.Leave(o)
		}
	}()
	g := <-owner
	for range rounds {
		l.Lock()
		n++
		l.owner.Store(&Owner{goroutine: g})
		l.Unlock()
		for range 100 {
			pause.Pause()
		}
	}
	ended.Store(true)
	<-done
	if n != entered+rounds || owned == 0 {
		t.Errorf("%d instead of %d; the owner has entered %d times", n, entered+rounds, owned)
	}
	t.Logf("the owner has entered %d times of %d", owned, entered)
}

// TestStale stores what a goroutine stores that was interrupted in Enter and has lost the lock since. A later owner stays inside.
func TestStale(t *testing.T) {
	wait(t)
	var l Lock
	own := func() {
		for range often << (3 * l.losses) {
			l.Leave(l.in())
		}
	}
	own()
	early := l.Enter()
	l.Leave(early)
	later := make(chan *Owner)
	left := make(chan bool)
	go func() {
		own()
		own()
		o := l.Enter()
		later <- o
		<-left
		l.Leave(o)
	}()
	o := <-later
	early.inside = 0
	if o == nil || o == early || atomic.LoadUint32(&o.inside) == 0 {
		t.Errorf("the owner %v is not inside", o)
	}
	close(left)
	l.Lock() // waits for the owner
	defer l.Unlock()
}
