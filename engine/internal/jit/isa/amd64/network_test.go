package amd64

import (
	"testing"

	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/internal/lists"
)

// TestRegistersOfFields counts the registers that networks of vectors take.
func TestRegistersOfFields(t *testing.T) {
	facts := AVX2.Facts()
	for _, size := range []int{1, 2, 4, 8} {
		for n := 2; n <= 8; n++ {
			taken := func(inputs []*result, results func(net *network, v []*result) ([]*result, []int), keep bool) (k int) {
				a := x86.New()
				a.Reset()
				net := &network{Asm: a, size: size, take: func() x86.Vec { k++; return x86.Vec(k % 16) }}
				if !inputs[0].kept || n <= mostHeld {
					net.masks = map[string]*result{}
				}
				out, order := results(net, inputs)
				hold(out)
				for _, i := range order {
					if net.get(out[i]); !keep {
						net.drop(out[i])
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
			whole := func(net *network, v []*result) ([]*result, []int) { return net.join(v, false) }
			halves := func(net *network, v []*result) ([]*result, []int) { return net.join(v, true) }
			split := func(net *network, v []*result) ([]*result, []int) { return net.separate(v), lists.UpTo(n) }
			for _, c := range []struct {
				name  string
				least int // bytes of elements
				of    uint32
				taken int
			}{
				{"join", 1, facts.Joins, n + taken(values(), whole, false)},
				{"join halves", 4, facts.Joins, n + taken(values(), halves, false)},
				{"split", 1, facts.Fields, taken(loads(), split, true)},
				{"interleave", 1, facts.Planes, taken(loads(), whole, false)},
			} {
				t.Logf("%s %d vectors of elements of %d bytes: %d registers", c.name, n, size, c.taken)
				if c.of>>n&1 != 0 && size >= c.least && c.taken > facts.Vectors {
					t.Errorf("%s %d vectors of elements of %d bytes: %d registers", c.name, n, size, c.taken)
				}
			}
		}
	}
}
