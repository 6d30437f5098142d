// Package owned has a mutex for what one goroutine uses again and again.
package owned

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A Lock is a mutex that may have an owner, a goroutine that has locked it many times in a row. The owner enters by three loads and a
// store, which wait for no store before: the two atomic operations of a mutex do, and take 9 ns. Others take the lock from its owner
// first. That interrupts all processors that run the process, and takes microseconds.
//
// The barrier of Lock stands between its store to owner and its load of inside. The owner stores inside and then loads
// owner. So either Lock sees that the owner is inside, or the owner sees that it is none any more.
type Lock struct {
	mu    sync.Mutex
	owner atomic.Pointer[Owner] // or nil

	// Of the goroutines that unlock mu by Leave.
	last   uintptr // the last one, or 0
	times  int     // in a row
	losses int     // how often an owner has lost the lock
}

// An Owner is a goroutine that owns a lock, from when it gets the lock until it loses it. Each time has an Owner of its own: a goroutine that was
// interrupted in Enter, and has lost the lock since, stores what no later owner reads.
type Owner struct {
	goroutine uintptr
	inside    uint32 // 1: the goroutine has entered. No other goroutine stores it.
}

// A goroutine that locks often times in a row becomes the owner. After each loss of the lock it takes eight times as many, so that losses
// take no more time than owners save.
const often = 64

// Enter locks l if the caller is its owner, and returns the owner, else nil. Another caller calls Lock. Both then call Leave.
func (l *Lock) Enter() *Owner { return enter(l) }

// Leave unlocks l after Enter, or after Lock, which then counts. What the caller does before it must not wait, as Go functions may: others
// poll for its end.
func (l *Lock) Leave(owner *Owner) {
	if owner != nil {
		owner.inside = 0 // after all stores before, as on amd64
	} else {
		l.leave()
	}
}

func (l *Lock) leave() {
	if g := goroutine(); g != l.last {
		l.last, l.times = g, 0
	}
	if l.times++; l.times >= often<<(3*min(l.losses, 16)) && l.owner.Load() == nil && barrier.ready() {
		l.owner.Store(&Owner{goroutine: l.last})
	}
	l.mu.Unlock()
}

// Lock locks l for as long as the caller likes.
func (l *Lock) Lock() {
	l.mu.Lock()
	l.disown()
}

// TryLock is Lock if no other caller has l by Lock.
func (l *Lock) TryLock() bool {
	if !l.mu.TryLock() {
		return false
	}
	l.disown()
	return true
}

// Unlock unlocks l after Lock.
func (l *Lock) Unlock() { l.mu.Unlock() }

// disown takes the lock from an owner other than the caller, who has mu.
func (l *Lock) disown() {
	o := l.owner.Load()
	if o == nil || o.goroutine == goroutine() {
		return
	}
	l.owner.Store(nil)
	l.last, l.losses = 0, l.losses+1
	barrier.all()
	for atomic.LoadUint32(&o.inside) != 0 {
		runtime.Gosched()
	}
}
