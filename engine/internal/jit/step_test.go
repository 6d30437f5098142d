package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestSteps compares loads and stores with small steps with the interpreter: forward and
// backward, in maps, reductions and down columns. The arrays end where the last
// element ends, at a page without access. Some processors have no permutes of bytes.
func TestSteps(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	defer permute8(cpu.X86.HasAVX512VBMI)
	loops := map[string]string{
		"map": `kernel map
axis i0
params 1
buf x T in 1
buf y T out 1
buf w f64 inout 1
{
  vec i0 {
    %0 = load T x[AT]
    store T y[i0] %0
WIDE  }
}`,
		"words": `kernel words
axis i0
params 1
buf x T in 1
buf y i16 out 1
{
  vec i0 {
    %0 = load T x[AT]
    %1 = cvt i16 %0
    store i16 y[i0] %1
  }
}`,
		"sum": `kernel sum
axis i0
params 1
buf x T in 1
buf y T out 0
buf w f64 inout 1
{
  vec i0 {
    %0 = load T x[AT]
    %1 = reduce sum T %0
WIDE  }
  store T y[] %1
}`,
		"store": `kernel store
axis i0
params 1
buf y T out 1
buf x T in 1
buf w f64 inout 1
{
  vec i0 {
    %0 = load T x[i0]
    store T y[AT] %0
WIDE  }
}`,
		"store rows": `kernel store_rows
axis i0 i1
params 1
buf y T out 2
buf x T in 2
{
  vec i1 i0 {
    %0 = load T x[i1, i0]
    store T y[i1, AT] %0
  }
}`,
		"store down": `kernel store_down
axis i0 i1
params 1
buf y T out 2
buf x T in 1
{
  vec i0 {
    %0 = load T x[i0]
    seq i1 {
      %1 = index i1
      %2 = cvt T %1
      %3 = add T %2 %0
      store T y[i1, AT] %3
    }
  }
}`,
		"columns": `kernel columns
axis i0 i1
params 1
buf x T in 2
buf y T out 1
{
  vec i0 {
    seq i1 {
      %0 = load T x[i1, AT]
      %1 = reduce sum T %0
    }
    store T y[i0] %1
  }
}`,
	}
	const wide = "    %8 = load f64 w[i0]\n    %9 = add f64 %8 %8\n    store f64 w[i0] %9\n"
	for name, loop := range testlevel.InOrder(loops) {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.U64, dtype.F16, dtype.BF16, dtype.I8, dtype.U8, dtype.I16, dtype.U16} {
			for _, step := range []int{-17, -9, -8, -6, -5, -4, -3, -2, -1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17} {
				text := strings.NewReplacer("load T", "load "+typ.Register().Short(), "store T", "store "+typ.Register().Short(), "buf x T", "buf x "+typ.Short(),
					"buf y T", "buf y "+typ.Short(), " T ", " "+typ.Register().Short()+" ").Replace(loop)
				if step > 0 {
					text = strings.ReplaceAll(text, "AT", fmt.Sprintf("i0*%d", step))
				} else {
					text = strings.ReplaceAll(text, "AT", fmt.Sprintf("p0+i0*%d", step))
				}
				if r.IntN(2) == 0 {
					text = strings.ReplaceAll(text, "WIDE", wide)
				} else {
					text = strings.ReplaceAll(text, "WIDE", "")
				}
				k := parse(t, text)
				permutes := cpu.X86.HasAVX512VBMI && r.IntN(3) > 0
				permute8(permutes)
				for i, n := range []int{1, 7, 8, 15, 16, 17, 31, 63, 64, 65, 130, 1 + r.IntN(400)} {
					if r.IntN(12) != i && !testlevel.Deep() && r.IntN(5) != 0 {
						continue
					}
					last := (n - 1) * max(step, -step)
					x, y, extents := []int{last + 1}, []int{n}, []int{n}
					switch name {
					case "sum":
						y = nil
					case "columns", "store down", "store rows":
						x, extents = []int{5, last + 1}, []int{n, 5}
						if name == "store rows" {
							y = []int{5, n}
						}
					}
					s := newSetup(t, r, k, extents, []int{last}, [][]int{x, y, {n}}[:len(k.Bufs)], true)
					if name == "map" && n > 1 && typ.Size() >= 4 {
						for _, be := range isas(t) {
							most, wide := 4, be.Name() == "avx512"
							if wide && !model().Halves {
								most = min(8, 48/typ.Size())
							}
							small := -most <= step && step <= most
							want := !small && wide && model().Gathers // others load single elements
							if gathers(t, s.instance(t, be), "main loop") != want {
								t.Errorf("%s, %s, step %d: gathers in the main loop: %v, want %v", be.Name(), typ, step, !want, want)
							}
							if n := countIn(t, s.instance(t, be), "main loop", "vpermt2p"); wide && step*step > 1 && (n > 0) != small {
								t.Errorf("%s, step %d: %d permutes of pairs in the main loop, want some: %v", typ, step, n, small)
							}
						}
					}
					if be := isas(t)[0]; name == "words" && n >= 130 && typ.Size() == 1 && be.Name() == "avx512" {
						if n, want := countIn(t, s.instance(t, be), "main loop", "vpermt2b"), permutes && max(step, -step) <= 4; n > 0 != want {
							t.Errorf("%s, step %d: %d permutes of bytes in the main loop, want some: %v", typ, step, n, want)
						}
					}
					differ(t, r, s)
				}
			}
		}
	}
}

// TestBackwardTails compares sums of elements that go backward, of which several vectors and a part of one are left behind the main
// loop, with the interpreter.
func TestBackwardTails(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 15))
	for _, typ := range []dtype.Type{dtype.F64, dtype.F32} {
		for step := 1; step <= 3; step++ {
			k := parse(t, strings.ReplaceAll(fmt.Sprintf("kernel sum\naxis i0 i1\nparams 1\nbuf x T in 2\nbuf y T out 1\n{\npar i0 {\nvec i1 {\n%%0 = load T x[i0, p0+i1*-%d]\n%%1 = reduce sum T %%0\n}\nstore T y[i0] %%1\n}\n}", step), "T", typ.Short()))
			for n := 4097; n < 4161; n += 5 {
				last := (n - 1) * step
				s := newSetup(t, r, k, []int{3, n}, []int{last}, [][]int{{3, last + 1}, {3}}, true)
				for x := s.mem[0]; len(x) > 0; x = x[typ.Size():] {
					randir.Put(x, typ.Size(), prim.FromFloat(typ, r.Float64()))
				}
				differ(t, r, s)
			}
		}
	}
}

// gathers reports whether a part of the listing has a gather.
func gathers(t *testing.T, in backend.Instance, part string) bool {
	return countIn(t, in, part, "vgather") > 0
}

// countIn returns the number of instructions that begin with a prefix in a part of the listing.
func countIn(t *testing.T, in backend.Instance, part, prefix string) (n int) {
	return countLines(t, in, part, func(text string) bool { return strings.HasPrefix(text, prefix) })
}

// countLines is countIn for the instructions that counted reports.
func countLines(t *testing.T, in backend.Instance, part string, counted func(text string) bool) (n int) {
	fns, err := in.(backend.Native).Listing()
	if err != nil {
		t.Fatal(err)
	}
	for _, fn := range fns {
		inside := false
		for _, l := range fn.Lines {
			if l.Kind == listing.Head {
				inside = strings.HasPrefix(l.Text, part)
			}
			if inside && counted(l.Text) {
				n++
			}
		}
	}
	return n
}
