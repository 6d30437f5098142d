package main

import (
	"os"
	"testing"

	"github.com/oneloop/oneloop/engine/nn"
)

// TestDigits checks what the networks recognise of the digits that they have not
// seen. The convolutions take some 20 s, so they are tested only if all cases are.
func TestDigits(t *testing.T) {
	images, digits, err := read("../../testdata/digits/digits.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		model nn.Module[float32]
		wrong int // at most, of 359
		deep  bool
	}{{"two layers", layers(), 7, false}, {"convolutions", convolutions(), 5, true}} {
		if c.deep && os.Getenv("ONELOOP_TESTS") != "deep" {
			continue
		}
		confused, err := train(c.model, images, digits, 30)
		if err != nil {
			t.Fatal(err)
		}
		wrong := 359
		for digit := range confused {
			wrong -= confused[digit][digit]
		}
		if wrong > c.wrong {
			t.Errorf("%s: %d digits are not recognised\n%s", c.name, wrong, table(confused))
		}
	}
	if _, _, err := read("main.go"); err == nil {
		t.Error("a file without digits is read")
	}
}
