package main

import "testing"

func TestCalled(t *testing.T) {
	for text, want := range map[string]string{
		"y = maximum(x, z)":                     "maximum",
		"y = clip(x, (1 + 2), 80)":              "clip",
		"y = maximum(x, z) - minimum(x, z)":     "",
		"y = (x + z) * (x - z)":                 "",
		"y = x + exp(z)":                        "",
		"y = exp(x); w = exp(z)":                "",
		"y = x.astype('float32')":               "",
		"y[::2] = add(x, z)":                    "",
		"y = add(x, maximum(z, minimum(x, z)))": "add",
		"y = x":                                 "",
	} {
		if got := called(text); got != want {
			t.Errorf("called(%q) = %q, want %q", text, got, want)
		}
	}
}
