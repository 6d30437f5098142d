package main

import "testing"

func TestNoCompilers(t *testing.T) {
	for _, names := range []string{"", "none"} {
		if c := compilers(nil, names, ""); c != nil {
			t.Errorf("compilers %q: %v", names, c)
		}
	}
}
