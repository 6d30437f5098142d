package probe

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/engine/internal/machine"
)

// TestLoop checks that each variant of the loop adds all elements.
func TestLoop(t *testing.T) {
	if !cpu.X86.HasAVX2 {
		t.Skip("no AVX2")
	}
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	const n = 1 << 10
	x, z := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i], z[i] = float32(i), float32(3*i)
	}
	memory := make([]float32, n+16)
	y := memory[-uintptr(unsafe.Pointer(&memory[0]))%64/4:][:n]
	for _, l := range []loop{{32, stores, 0, false}, {32, passes, 512, true}, {64, stores, 0, true}, {64, passes, 2048, false}} {
		if l.vector == 64 && !cpu.X86.HasAVX512F {
			continue
		}
		a := x86.New()
		l.write(a)
		o, err := a.Finish()
		if err != nil {
			t.Fatal(err)
		}
		c, err := exec.Install(o.Code)
		if err != nil {
			t.Fatal(err)
		}
		clear(y)
		arg := args{unsafe.Pointer(&x[0]), unsafe.Pointer(&z[0]), unsafe.Pointer(&y[0]), 4 * n}
		if l.halves {
			arg.bytes /= 2
		}
		c.Call(unsafe.Pointer(&arg))
		c.Release()
		for i := range y {
			if y[i] != float32(4*i) {
				t.Fatalf("%+v: element %d is %v, want %v", l, i, y[i], 4*i)
			}
		}
	}
}

// TestNarrow checks that vectors of 256 bits that are as fast as those of 512 are chosen only where the processor has halves.
func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		halves bool
		half   float64 // of the time of vectors of 512 bits
		want   bool
	}{{true, 1, true}, {true, 1.1, false}, {false, 1, false}, {false, .9, true}} {
		if got := narrow(machine.Model{Halves: c.halves}, 1, c.half); got != c.want {
			t.Errorf("%+v: vectors of 256 bits: %v", c, got)
		}
	}
}

// TestTake checks that each variant takes the elements at their offsets.
func TestTake(t *testing.T) {
	if !cpu.X86.HasAVX2 {
		t.Skip("no AVX2")
	}
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	const n = 1 << 8
	x, y, offsets := make([]float32, n), make([]float32, n), make([]int64, n)
	for i := range x {
		x[i], offsets[i] = float32(i), int64(i*37%n)
	}
	for _, l := range []take{{false, false}, {true, false}, {false, true}, {true, true}} {
		if l.wide && !cpu.X86.HasAVX512F {
			continue
		}
		c, err := install(l)
		if err != nil {
			t.Fatal(err)
		}
		clear(y)
		c.Call(unsafe.Pointer(&args{unsafe.Pointer(&x[0]), unsafe.Pointer(&offsets[0]), unsafe.Pointer(&y[0]), 8 * n}))
		c.Release()
		for i := range y {
			if y[i] != x[offsets[i]] {
				t.Fatalf("%+v: element %d is %v, want %v", l, i, y[i], x[offsets[i]])
			}
		}
	}
}

func TestBest(t *testing.T) {
	for _, c := range []struct {
		times []float64
		want  int
	}{{[]float64{1, 1, 1, 1}, 1024}, {[]float64{.99, .98, 1, 1}, 1024}, {[]float64{.9, .8, 1, 1}, 512}, {[]float64{.5, .8, 1, 1}, 0}, {[]float64{1, 1, 1, .5}, 2048}} {
		if got := best(c.times, 1024); got != c.want {
			t.Errorf("times %v: %d bytes ahead, want %d", c.times, got, c.want)
		}
	}
}

// TestRun checks that the probes give a model within its limits.
func TestRun(t *testing.T) {
	if testing.Short() || !cpu.X86.HasAVX2 {
		t.Skip("no AVX2, or short")
	}
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	m, results, err := Run()
	if err != nil || len(results) < 5 || m.Fetch < 0 || m.Fetch > 2048 || m.StreamFetch > 2048 || m.MemFetch > 2048 {
		t.Errorf("%+v, %v, %v", m, results, err)
	}
}

// TestUnknownCaches probes machines that tell of some levels only, and of large ones.
func TestUnknownCaches(t *testing.T) {
	if _, err := exec.Probe(); err != nil || !cpu.X86.HasAVX2 {
		t.Skip("no AVX2, or no executable memory")
	}
	for _, c := range []cpucache.Sizes{{L1: 32 << 10}, {L1: 64 << 20, L2: 1 << 30}} {
		m := machine.Defaults()
		m.Caches = c
		if m, results, err := run(m); err != nil || len(results) == 0 || m.Caches != c {
			t.Errorf("%+v: %+v, %v, %v", c, m, results, err)
		}
	}
}
