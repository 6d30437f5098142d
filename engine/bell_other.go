//go:build !linux

package engine

// A bell parks one goroutine until another wakes it.
type bell struct{ rung chan struct{} }

func newBell() *bell { return &bell{make(chan struct{}, 1)} }

// wait returns after a ring. It returns at once if the ring came before it.
func (b *bell) wait() { <-b.rung }

// ring wakes the goroutine that waits, or lets the next wait return at once.
// Callers ring once for each wait, so that the send does not block.
func (b *bell) ring() { b.rung <- struct{}{} }
