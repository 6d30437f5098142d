//go:build !(linux && amd64) || race

package owned

// A barriers is missing here: the race detector has to see the mutex, arm64 may store in another order, and other systems have other calls.
type barriers struct{}

var barrier barriers

func (barriers) ready() bool { return false }
func (barriers) all()        {}

func enter(*Lock) *Owner { return nil }

func goroutine() uintptr { return 0 }
