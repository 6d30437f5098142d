package cuda

import (
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/expr"
)

// testPool limits and trims the pool of the driver, and refuses what has none.
func testPool(t *testing.T, s *standIn) {
	d := open(t)
	want := func(when string, bytes int) {
		t.Helper()
		if got := int(dl.Call(s.fn["standinKept"])); got != bytes {
			t.Errorf("%s the pool keeps %d bytes, want %d", when, got, bytes)
		}
	}
	want("at first", -1)
	check(t, LimitPool(d, 1<<20))
	want("after LimitPool", 1<<20)
	check(t, Trim(d, 4096))
	want("after Trim", 4096)
	for _, err := range []error{Trim(engine.CPU(), 0), LimitPool(engine.CPU(), 0)} {
		if !errors.Is(err, expr.ErrDevice) {
			t.Errorf("on the CPU: %v", err)
		}
	}
	if err := Trim(d, -1); !errors.Is(err, expr.ErrValue) {
		t.Errorf("of -1 bytes: %v", err)
	}
	d.pool = 0
	check(t, Trim(d, 0))
	check(t, LimitPool(d, 0))
}
