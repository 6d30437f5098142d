package exec

import (
	"sync"
	"sync/atomic"
)

// A Lazy is code that is made when it is first needed. The zero value has none. Several
// goroutines may use it.
type Lazy struct{ code atomic.Pointer[Code] }

// making is held while code of any Lazy is made.
var making sync.Mutex

// Load returns the code, or nil if it is not made yet.
func (l *Lazy) Load() *Code { return l.code.Load() }

// Make returns the code, and installs what write returns if it is not made yet. It
// returns nil if there is no memory for it. An error of write is a defect of the caller,
// such as an instruction without an encoding, and Make panics. write calls no Make.
func (l *Lazy) Make(write func() ([]byte, error)) *Code {
	if c := l.code.Load(); c != nil {
		return c
	}
	making.Lock()
	defer making.Unlock()
	if c := l.code.Load(); c != nil {
		return c
	}
	b, err := write()
	if err != nil {
		panic("exec: " + err.Error())
	}
	c, err := Install(b)
	if err != nil {
		return nil
	}
	l.code.Store(c)
	return c
}
