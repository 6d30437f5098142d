package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/internal/testlevel"
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
		if c.deep && !testlevel.Deep() {
			continue
		}
		r, err := train(c.model, images, digits, 30)
		if err != nil {
			t.Fatal(err)
		}
		right, all := r.Right()
		if wrong := all - right; all != 359 || wrong > c.wrong {
			t.Errorf("%s: %d digits of %d are not recognised\n%s", c.name, wrong, all, table(r.Confused))
		}
		if got := r.Epochs[29].Validation["accuracy"]; math.Abs(got-float64(right)/float64(all)) > 1e-6 {
			t.Errorf("%s: the accuracy of the last epoch is %v, but %d of %d are right", c.name, got, right, all)
		}
		r.Name = "<" + c.name + ">"
		text := html([]*result{r})
		for _, want := range []string{"<h2>&lt;" + c.name, "class=\"loss\" points=\"0.0,", fmt.Sprintf("of %d</h2>", all), fmt.Sprintf(">%d\n", r.Confused[9][9])} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: the page lacks %q", c.name, want)
			}
		}
	}
	if _, _, err := read("main.go"); err == nil {
		t.Error("a file without digits is read")
	}
}
