package amd64

import (
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
)

// TestRegistersOfFields counts the registers that networks of vectors take.
func TestRegistersOfFields(t *testing.T) {
	facts := AVX2.Facts()
	for _, size := range []int{1, 4, 8} {
		for n := 2; n <= 8; n++ {
			taken := func(inputs []*result, results func(net *network, v []*result) []*result, keep bool) (k int) {
				a := x86.New()
				a.Reset()
				net := &network{Asm: a, size: size, take: func() x86.Vec { k++; return x86.Vec(k % 16) }}
				out := results(net, inputs)
				hold(out)
				for _, x := range out {
					if net.get(x); !keep {
						net.drop(x)
					}
				}
				return k
			}
			values := func() []*result { return kept(make([]x86.Vec, n)) }
			loads := func() (list []*result) {
				for range n {
					list = append(list, (&network{Asm: x86.New()}).load(x86.L256, x86.At(x86.RCX, 0)))
				}
				return list
			}
			for _, c := range []struct {
				name  string
				least int // bytes of elements
				of    uint32
				taken int
			}{
				{"join", 4, facts.Joins, n + taken(values(), (*network).records, false)},
				{"join halves", 4, facts.Joins, n + taken(values(), (*network).interleave, false)},
				{"split", 4, facts.Fields, taken(loads(), (*network).separate, true)},
				{"interleave", 1, facts.Planes, taken(loads(), (*network).records, false)},
			} {
				t.Logf("%s %d vectors of elements of %d bytes: %d registers", c.name, n, size, c.taken)
				if c.of>>n&1 != 0 && size >= c.least && c.taken > facts.Vectors {
					t.Errorf("%s %d vectors of elements of %d bytes: %d registers", c.name, n, size, c.taken)
				}
			}
		}
	}
}
