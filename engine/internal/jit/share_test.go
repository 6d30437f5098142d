package jit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// TestPairsOfPositions compares loops that compute values of two positions once with the interpreter: for positions that begin at any number,
// for rows, for selections by the bit, and for other uses of the position, of the bit and of what is shared.
func TestPairsOfPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 8))
	found := isas(t)[0].Name() != "avx2"
	for round := range 60 {
		bit := []int{4, 8, 8, 8, 16}[r.IntN(5)]
		text := sharedKernel(r, bit, round)
		k := parse(t, text)
		for _, e := range [][]int{{1, 1}, {1, 15}, {1, 47}, {1, 48}, {1, 97}, {1, 500}, {1, 5000}, {3, 64}, {3, 51}, {2, 8}} {
			s := newSetup(t, r, k, e, []int{[]int{0, 16, 8, 5}[r.IntN(4)], e[1]}, [][]int{e, e}, r.IntN(2) == 0)
			found = found || strings.Contains(textOfCode(t, s.instance(t, isas(t)[0])), "main loop: 12 vectors")
			differ(t, r, s)
		}
	}
	if !found {
		t.Error("no loop shares values")
	}
}

// sharedKernel returns a kernel of two arrays. uses has a bit for a use of the bit as a number, and for one of the position.
func sharedKernel(r *rand.Rand, bit, round int) string {
	position, uses, stored := "i1+p0", round%4, []dtype.Type{dtype.U64, dtype.U8, dtype.I16, dtype.F32, dtype.F16, dtype.Bool, dtype.F64}[round%7]
	if round/2%2 == 0 {
		position = "i0*p1+i1+p0"
	}
	body, last := "", 6
	add := func(format string, args ...any) int {
		last++
		body += fmt.Sprintf("%%%d = ", last) + fmt.Sprintf(format, args...) + "\n"
		return last
	}
	mix := func(n int, of []int) []int {
		for range n {
			x, y := of[r.IntN(len(of))], of[len(of)-1]
			of = append(of, add("%s u64 %%%d %%%d", []string{"mul", "xor", "add", "and"}[r.IntN(4)], x, y))
		}
		return of
	}
	index := add("index %s", position)
	at := add("cvt u64 %%%d", index)
	shared := mix(40, []int{add("and u64 %%%d %%0", at), 4, 5, 6})
	test := add("eq bool %%%d %%1", add("and u64 %%%d %%1", at))
	x := add("load u64 b0[i0, i1]")
	own := []int{add("select u64 %%%d %%%d %%%d", test, shared[len(shared)-1], shared[len(shared)-2]), x}
	own = append(own, add("select u64 %%%d %%%d %%4", test, shared[len(shared)-1-r.IntN(4)]))
	if uses&1 != 0 {
		own = append(own, add("select u64 %%%d %%%d %%%d", test, x, shared[len(shared)-3]))
	}
	if uses&2 != 0 {
		own = append(own, at)
	}
	own = mix(40, own)
	cold := add("lt bool %%%d %%3", own[len(own)-1])
	a, b := last+1, last+2
	body += fmt.Sprintf("%%%d = cold u64 %%%d %%%d {\n%%%d = xor u64 %%%d %%%d\nyield %%%d\n}\n", b, cold, own[len(own)-2], a, shared[len(shared)-1], own[len(own)-3], a)
	last = b
	switch reg := stored.Register(); reg {
	case dtype.U64:
	case dtype.Bool:
		add("lt bool %%%d %%3", b)
	default:
		add("cvt %s %%%d", reg.Short(), b)
	}
	return fmt.Sprintf(`kernel shared
axis i0 i1
params 2
buf b0 u64 in 2
buf b1 %s out 2
{
%%0 = const u64 %#x
%%1 = const u64 %#x
%%2 = const u64 0
%%3 = const u64 %#x
%%4 = const u64 0x123456789abcdef
%%5 = const u64 77
%%6 = const u64 0xfedcba9876543211
par i0 {
vec i1 {
%sstore %s b1[i0, i1] %%%d
}
}
}
`, stored.Short(), ^uint64(bit), bit, uint64(1)<<59, body, stored.Register().Short(), last)
}
