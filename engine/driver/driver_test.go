package driver_test

import (
	"slices"
	"testing"

	"github.com/oneloop/oneloop/engine/driver"
)

type none struct{}

func (none) Open(int) (driver.Device, error) { return nil, nil }
func (none) Count() (int, error)             { return 0, nil }

// TestRegister finds a driver by its kind.
func TestRegister(t *testing.T) {
	if d := driver.Find("none"); d != nil {
		t.Fatalf("a driver before it is registered: %v", d)
	}
	driver.Register("none", none{})
	if d := driver.Find("none"); d != (none{}) || !slices.Contains(driver.Kinds(), "none") {
		t.Errorf("found %v among %v", d, driver.Kinds())
	}
	defer func() {
		if p := recover(); p != "driver.Register: the driver is nil" {
			t.Errorf("a nil driver panics with %v", p)
		}
	}()
	driver.Register("nil", nil)
}
