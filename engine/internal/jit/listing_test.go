package jit

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestListing looks at the text, and that AVX2 code is no AVX-512 code.
func TestListing(t *testing.T) {
	for _, be := range isas(t) {
		for _, name := range []string{"adam", "cold", "softmax", "argmax", "masks", "philox", "colsum", "lookup", "take"} {
			k := parse(t, textOf(t, name))
			r := rand.New(rand.NewPCG(1, 1))
			e, p, shapes := dataCases[name](r)
			if k.Params == 0 {
				p = nil
			}
			s := newSetup(t, r, k, e, p, shapes, true)
			c, err := be.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Bind(s.b); err != nil {
				t.Fatal(err)
			}
			s.release()
			text := c.(Lister).Listing()
			if !strings.Contains(text, "store") {
				t.Errorf("%s %s: no store in\n%s", be.Name(), name, text)
			}
			if testing.Verbose() && name == "adam" {
				t.Log(text)
			}
			if be.Name() != "avx2" {
				continue
			}
			for _, f := range c.(*code).functions {
				fn, err := c.(*code).gen.generate(c.(*code), f.phases, f.variant, true)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range fn.lines {
					if l.Note == "" && fn.bytes[l.Offset] == 0x62 {
						t.Errorf("%s: AVX-512 instruction %s", name, l.Text)
					}
				}
			}
		}
	}
}
