package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/engine/internal/randir"
)

// listed returns the listing of a test kernel. It skips the test where kernels are left to
// the interpreter.
func listed(t *testing.T, be backend.Backend, name string) []*listing.Function {
	t.Helper()
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	k := parse(t, textOf(t, name))
	e, p, shapes := randir.Texts[name](rand.New(rand.NewPCG(1, 1)))
	if k.Params == 0 {
		p = nil
	}
	s := newSetup(t, rand.New(rand.NewPCG(1, 1)), k, e, p, shapes, true)
	defer s.release()
	in := s.instance(t, be)
	fns, err := in.(backend.Native).Listing()
	if err != nil {
		t.Fatal(err)
	}
	// The listing has the name and all bytes of each function.
	for i, fn := range fns {
		if fn.Text > len(fn.Code) || fn.Name == "" {
			t.Errorf("%s %s: function %d: %d bytes of code of %d", be.Name(), name, i, fn.Text, len(fn.Code))
		}
	}
	return fns
}

var listedKernels = []string{"adam", "cold", "softmax", "argmax", "masks", "philox", "colsum", "lookup", "take"}

// TestListing checks that every instruction is listed at its offset, that AVX2 code
// has no AVX-512 instructions, and that the listing names the stores of the kernel.
func TestListing(t *testing.T) {
	for _, be := range generators {
		for _, name := range listedKernels {
			var text strings.Builder
			for _, fn := range listed(t, be, name) {
				at := 0
				for _, l := range fn.Lines {
					fmt.Fprintln(&text, l.Text)
					if l.Offset != at {
						t.Fatalf("%s %s: %q at %d, want %d", be.Name(), fn.Name, l.Text, l.Offset, at)
					}
					at += l.Size
					if l.Kind == listing.Insn && be.Name() == "avx2" && fn.Code[l.Offset] == 0x62 {
						t.Errorf("%s: AVX-512 instruction %s", name, l.Text)
					}
				}
				if at != fn.Text {
					t.Errorf("%s %s: %d bytes are listed, of %d", be.Name(), fn.Name, at, fn.Text)
				}
			}
			if !strings.Contains(text.String(), "store ") {
				t.Errorf("%s %s: no store in\n%s", be.Name(), name, text.String())
			}
		}
	}
}

// TestListingNumbers checks the numbers for the update of Adam, which reads four arrays
// and writes three.
func TestListingNumbers(t *testing.T) {
	for _, be := range generators {
		fn := listed(t, be, "adam")[0]
		if p := fn.Phases[0]; p.Loaded != 16 || p.Stored != 12 || p.Flops == 0 || p.Elements == 0 {
			t.Errorf("%s: %d bytes loaded, %d stored, %d flops, %d elements", be.Name(), p.Loaded, p.Stored, p.Flops, p.Elements)
		}
		vectors, masks := fn.Registers()
		most := map[string]int{"avx512": 32, "avx2": 16, "neon": 32}[be.Name()]
		if len(vectors) < 4 || vectors[len(vectors)-1] >= most || (len(masks) > 0) != (be.Name() == "avx512") {
			t.Errorf("%s: vector registers %v, masks %v", be.Name(), vectors, masks)
		}
	}
}
