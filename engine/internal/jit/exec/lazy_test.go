package exec

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestLazy asks for one code from many goroutines. It is written once, also after an error.
func TestLazy(t *testing.T) {
	if _, err := Probe(); err != nil {
		t.Skip(err)
	}
	var l Lazy
	if l.Load() != nil {
		t.Fatal("there is code before it is made")
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("an error of write is no panic")
			}
		}()
		l.Make(func() ([]byte, error) { return nil, errors.New("no encoding") })
	}()
	var written atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if c := l.Make(func() ([]byte, error) { written.Add(1); return nothing(), nil }); c == nil || c != l.Load() {
				t.Error("Make returns other code than Load")
			}
		})
	}
	all.Wait()
	if n := written.Load(); n != 1 {
		t.Errorf("the code was written %d times", n)
	}
}
