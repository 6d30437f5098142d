package main

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/expr/dtype"
)

// text is a listing with a loop that loads two vectors before it waits, and a slow path.
const text = `.section	.text.k,"ax",@progbits
.text.k:
	//## File "k.cu", line 1
        /*0000*/                   S2R R0, SR_TID.X ;
.L_x_1:
	//## File "k.cu", line 9 inlined at "k.cu", line 2
	//## File "k.cu", line 2
        /*0010*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
        /*0020*/                   LDG.E.128 R8, desc[UR4][R2.64+0x10] ;
	//## File "k.cu", line 3
        /*0030*/                   FADD R4, R4, R8 ;
        /*0040*/              @!P1 BRA ` + "`(.L_x_2)" + ` ;
        /*0050*/                   CALL.REL.NOINC ` + "`(.L_x_3)" + ` ;
.L_x_2:
	//## File "k.cu", line 4
        /*0060*/                   STG.E.128 desc[UR4][R6.64], R4 ;
        /*0070*/               @P0 BRA ` + "`(.L_x_1)" + ` ;
        /*0080*/                   EXIT ;
`

func TestParse(t *testing.T) {
	k := kernel{name: "k", code: parse(text)["k"]}
	source := strings.Split("a\nload\nadd\nstore\n5\n6\n7\n8\n9", "\n")
	loops := k.loops(source)
	if len(loops) != 1 || loops[0].lo != 0x10 || loops[0].hi != 0x70 || !loops[0].inner {
		t.Fatalf("loops: %+v", loops)
	}
	h := newHotLoop(&loops[0], source, 4)
	if h.elements != 8 { // two vectors of line 2
		t.Errorf("%v elements in an iteration, want 8", h.elements)
	}
	if len(h.code) != 6 { // without the call
		t.Errorf("%d instructions, want 6: %v", len(h.code), h.code)
	}
	if far, near, bytes := waits(h.code); far != 1 || near != 0 || bytes != 32 {
		t.Errorf("waits %d and %d times, %d bytes in flight, want 1, 0 and 32", far, near, bytes)
	}
	if got, want := k.widths(), "LDG128:2 STG128:1"; got != want {
		t.Errorf("accesses %s, want %s", got, want)
	}
}

// TestHalves counts the elements of a loop that loads float16 and stores float32 to shared
// memory, and of one that only has shared memory.
func TestHalves(t *testing.T) {
	source := []string{"load", "store"}
	block := []instruction{{line: 1, op: "LDG.E.U16"}, {line: 2, op: "STS"}}
	if h := newHotLoop(&loop{blocks: [][]instruction{block}}, source, 2); h.elements != 1 {
		t.Errorf("%v elements, want 1", h.elements)
	}
	if h := newHotLoop(&loop{blocks: [][]instruction{block[1:]}}, source, 2); h.elements != 1 {
		t.Errorf("%v elements of shared memory, want 1", h.elements)
	}
}

func TestResident(t *testing.T) {
	for _, c := range []struct{ registers, threads, shared, want int }{
		{32, 256, 0, 8}, {39, 256, 0, 6}, {56, 256, 0, 4}, {32, 256, 64 << 10, 3}, {32, 32, 0, 32},
	} {
		l := cudagen.Launch{Block: [3]uint32{uint32(c.threads), 1, 1}, Shared: uint32(c.shared)}
		if got := resident(&kernel{registers: c.registers}, l); got != c.want {
			t.Errorf("%+v: %d blocks", c, got)
		}
	}
}

// TestEstimate checks which limit decides, and that a wave of few blocks costs.
func TestEstimate(t *testing.T) {
	k, g := &kernel{registers: 32}, &gpus[0]
	l := cudagen.Launch{Grid: [3]uint32{8 * 132, 1, 1}, Block: [3]uint32{256, 1, 1}}
	j := job{elements: 1e8, bytes: 8e8}
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-3 {
			t.Errorf("%s: %v s, want %v", name, got, want)
		}
	}
	u := use{span: 1}
	near("memory", u.estimate(k, l, j, g).seconds, 8e8/g.copy)
	u.perElement[float] = 1280 // 10 cycles
	near("instructions", u.estimate(k, l, j, g).seconds, 1e9/132/g.clock)
	u = use{span: 1, latency: 1e5}
	near("waits", u.estimate(k, l, j, g).seconds, 1e8/(8*132*256)*1e5/g.clock)
	l.Grid[0]++
	if a, b := u.estimate(k, l, j, g).seconds, 1.9e8/(8*132*256)*1e5/g.clock; a < b {
		t.Errorf("a wave of one block more takes %v s, want more than %v", a, b)
	}
}

// TestRows makes the sources of all rows. NVRTC compiles them elsewhere.
func TestRows(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("an int does not hold the bytes of a row")
	}
	for i := range rows {
		for _, s := range rows[i].stages(dtype.F32, device) {
			for n := range s.bound.Launches {
				if j := s.job(strings.Split(s.source.Code, "\n"), n); j.elements <= 0 || j.bytes <= 0 {
					t.Errorf("%s: %+v", rows[i].name, j)
				}
			}
		}
	}
}
