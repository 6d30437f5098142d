package jit

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestAhead tests that of the rows of a stencil only the leading one is asked for
// ahead: the others have been, a row before.
func TestAhead(t *testing.T) {
	defer func(c cpucache.Sizes) { caches = c }(caches)
	caches = cpucache.Sizes{L1: 64, L2: 128, L3: 192}
	k := parse(t, `kernel rows
axis i0 i1
buf up f32 in 2
buf down f32 in 2
buf left f32 in 2
buf v f32 out 2
{
  vec i0 i1 {
    %0 = load f32 up[i0, i1]
    %1 = load f32 down[i0, i1]
    %2 = load f32 left[i0, i1]
    %3 = add f32 %0 %1
    %4 = add f32 %3 %2
    store f32 v[i0, i1] %4
  }
}`)
	const n = 100
	u, v := make([]float32, n*n), make([]float32, n*n)
	at := func(p []float32, offset int) ir.BufBind {
		return ir.BufBind{Ptr: unsafe.Pointer(&p[offset]), Strides: []int{n, 1}, Extents: []int{n - 2, n - 2}}
	}
	b := &ir.Binding{Extents: []int{n - 2, n - 2}, Bufs: []ir.BufBind{at(u, 1), at(u, 2*n+1), at(u, n), at(v, n+1)}}
	for _, be := range isas(t) {
		code, err := be.Compile(k)
		if err != nil {
			t.Fatal(err)
		}
		in, err := code.Bind(b)
		if err != nil {
			t.Fatal(err)
		}
		fns, err := in.(backend.Native).Listing()
		if err != nil {
			t.Fatal(err)
		}
		var ahead []string
		for _, fn := range fns {
			for _, l := range fn.Lines {
				if op, arg, _ := strings.Cut(l.Text, " "); op == "prefetcht1" {
					ahead = append(ahead, arg[:strings.Index(arg, "+")])
				}
			}
		}
		slices.Sort(ahead)
		if ahead = slices.Compact(ahead); len(ahead) != 1 {
			t.Errorf("%s asks for the lines of %q", be.Name(), ahead)
		}
	}
}
