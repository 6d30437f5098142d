//go:build !linux

package sched

// A parker parks one goroutine until another wakes it.
type parker struct{ rung chan struct{} }

func newParker() *parker { return &parker{make(chan struct{}, 1)} }

// wait returns after a ring. It returns at once if the ring came before it.
func (b *parker) wait() { <-b.rung }

// ring wakes the goroutine that waits, or lets the next wait return at once.
// Callers ring once for each wait, so that the send does not block.
func (b *parker) ring() { b.rung <- struct{}{} }
