//go:build !linux

package engine

// A bell wakes a goroutine that waits for it, at most one.
type bell struct{ rung chan struct{} }

func newBell() *bell { return &bell{make(chan struct{}, 1)} }

// wait returns after a ring, which may have been before.
func (b *bell) wait() { <-b.rung }

// ring wakes who waits or who will. There is one ring for each wait.
func (b *bell) ring() { b.rung <- struct{}{} }
