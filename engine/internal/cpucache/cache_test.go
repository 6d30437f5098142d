package cpucache

import (
	"runtime"
	"testing"
)

func TestFromLeaves(t *testing.T) {
	// A first level of 48 KiB in 12 ways, one of instructions, a second of 2 MiB in 16 ways.
	leaves := [][3]uint32{
		{1 | 1<<5, 11<<22 | 63, 63},
		{2 | 1<<5, 7<<22 | 63, 63},
		{3 | 2<<5, 15<<22 | 63, 2047},
		{},
	}
	got := fromLeaves(func(n uint32) (a, b, c uint32) { return leaves[n][0], leaves[n][1], leaves[n][2] })
	if want := (Sizes{48 << 10, 2 << 20, 0}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestOf(t *testing.T) {
	s := Of()
	if s.L1 == 0 {
		t.Skip("the processor does not tell")
	}
	if runtime.GOARCH == "amd64" && (s.L1 < 8<<10 || s.L1 > 1<<20 || s.L2 != 0 && s.L2 < s.L1) {
		t.Errorf("%+v", s)
	}
}
