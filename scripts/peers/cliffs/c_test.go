package main

import "testing"

func TestNoCompilers(t *testing.T) {
	for _, names := range []string{"", "none"} {
		if c, err := compilers(nil, names, ""); c != nil || err != nil {
			t.Errorf("compilers %q: %v, %v", names, c, err)
		}
	}
}
