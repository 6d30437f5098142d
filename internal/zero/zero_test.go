package zero

import "testing"

func TestPut(t *testing.T) {
	var m map[string]int
	Put(&m, "one", 1)
	Put(&m, "two", 2)
	if m["one"] != 1 || m["two"] != 2 || len(m) != 2 {
		t.Errorf("the map is %v", m)
	}
}

func TestIfNil(t *testing.T) {
	x := 3
	if got := IfNil(&x); got != &x {
		t.Error("a pointer is not returned as it is")
	}
	if got := IfNil[int](nil); got == nil || *got != 0 {
		t.Error("nil is not returned as a zero value")
	}
}
