package jit

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestAhead tests that a stencil prefetches only its leading row: it loaded the others
// one row earlier. The leading row has the highest address, or the lowest if the stride
// is negative. Its address may be in a register or in memory.
func TestAhead(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 64, L2: 1 << 20, L3: 192}))()
	const n = 1000
	u, v := make([]float32, n*n), make([]float32, n*n)
	for _, c := range []struct{ rows, step, leads int }{{3, n, 2}, {9, n, 8}, {3, -n, 0}, {9, -n, 0}} {
		text := "kernel rows\naxis i0 i1\n"
		b := &ir.Binding{Extents: []int{n - 10, n}}
		bind := func(name, mode string, p []float32, row int) {
			text += fmt.Sprintf("buf %s f32 %s 2\n", name, mode)
			if c.step < 0 {
				row += n - 11
			}
			b.Bufs = append(b.Bufs, ir.BufBind{Ptr: unsafe.Pointer(&p[row*n]), Strides: []int{c.step, 1}, Extents: b.Extents})
		}
		loop := "{\n  vec i0 i1 {\n"
		for k := range c.rows {
			bind(fmt.Sprint("u", k), "in", u, k)
			loop += fmt.Sprintf("    %%%d = load f32 u%d[i0, i1]\n", k, k)
		}
		for k := range c.rows - 1 {
			loop += fmt.Sprintf("    %%%d = add f32 %%%d %%%d\n", c.rows+k, max(0, c.rows+k-1)*min(k, 1), k+1)
		}
		bind("v", "out", v, 0)
		k := parse(t, text+loop+fmt.Sprintf("    store f32 v[i0, i1] %%%d\n  }\n}", 2*c.rows-2))
		for _, be := range isas(t) {
			code, err := be.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			in, err := code.Bind(b)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.rows {
				s := &in.(*instance).phases[0].Sites[i]
				if lead := int(s.Buf) == c.leads; s.Trails == lead {
					t.Errorf("%s, %d rows of %d: trails of row %d: %v", be.Name(), c.rows, c.step, s.Buf, s.Trails)
				}
			}
			fns, err := in.(backend.Native).Listing()
			if err != nil {
				t.Fatal(err)
			}
			bases := map[string]bool{}
			for _, l := range fns[0].Lines {
				if op, arg, _ := strings.Cut(l.Text, " "); op == "prefetcht1" {
					bases[arg[:strings.Index(arg, "+")]] = true
				}
			}
			if len(bases) != 1 {
				t.Errorf("%s, %d rows of %d: asks for the lines of %v", be.Name(), c.rows, c.step, bases)
			}
		}
	}
}
