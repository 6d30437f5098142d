// Package probe measures by which variants of loops this machine is faster. It takes about
// a tenth of a second on one thread.
package probe

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/oneloop/oneloop/engine/internal/hostmem"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/jit/x86"
	"github.com/oneloop/oneloop/engine/internal/machine"
)

// A loop is y = x + z of float32 in one variant.
type loop struct {
	vector int  // bytes of a vector
	kind   kind // what it does with the sums
	fetch  int  // bytes from a load to its prefetch; 0 prefetches nothing
	halves bool // it goes over both halves of the elements at once, as loops in memory do
}

// A kind says whether a loop stores its results, and whether past the caches.
type kind int

const (
	stores kind = iota
	reads
	passes
)

// args is the argument block of the loops.
type args struct {
	x, z, y unsafe.Pointer
	bytes   int // of each array, a multiple of line, or of a half of it
}

const bytesAt = int32(unsafe.Offsetof(args{}.bytes))

const (
	line   = 64
	block  = 1 << 18 // bytes of each array in a call, which the runtime cannot preempt
	rounds = 7
	longer = 4   // rounds of arrays beyond half of the largest: each takes milliseconds
	margin = .96 // a variant replaces the default if it takes less than this share of its time
	// largest is the memory of the probes: twice a common last level. One of hundreds of megabytes
	// belongs to many processors, and the choices are made below its size too.
	largest = 64 << 20
)

// writeLoop emits a function that repeats a body. R8, R9 and R10 have the arrays of the arguments, and
// RSI the bytes before, step more each time. A fence follows stores past the caches.
func writeLoop(a *x86.Asm, step int, fence bool, body func()) {
	for k, r := range []x86.Reg{x86.R8, x86.R9, x86.R10} {
		a.I(x86.MOV, x86.W64, r, x86.At(x86.RDI, int32(8*k)))
	}
	a.I(x86.XOR, x86.W32, x86.RSI, x86.RSI)
	again := a.NewLabel()
	a.Align(64)
	a.Bind(again)
	body()
	a.I(x86.ADD, x86.W64, x86.RSI, x86.Imm(step))
	a.I(x86.CMP, x86.W64, x86.RSI, x86.At(x86.RDI, bytesAt))
	a.I(x86.JL, 0, again)
	if fence {
		a.I(x86.SFENCE, 0)
	}
	a.I(x86.VZEROUPPER, 0)
	a.I(x86.RET, 0)
}

// write emits the loop over the arrays.
func (l loop) write(a *x86.Asm) {
	parts := []x86.Reg{x86.RSI}
	if l.halves {
		parts = append(parts, x86.RDX)
	}
	each := step / len(parts)
	writeLoop(a, each, l.kind == passes, func() {
		if l.halves {
			a.I(x86.MOV, x86.W64, x86.RDX, x86.At(x86.RDI, bytesAt))
			a.I(x86.ADD, x86.W64, x86.RDX, x86.RSI)
		}
		for _, part := range parts {
			l.body(a, part, each)
		}
	})
}

// step is the bytes of each array that the body of a loop adds.
const step = 4 * line

// body emits the loop for bytes of the arrays from an index on.
func (l loop) body(a *x86.Asm, index x86.Reg, bytes int) {
	for at := 0; l.fetch > 0 && at < bytes; at += line {
		for _, r := range []x86.Reg{x86.R8, x86.R9} {
			a.I(x86.PREFETCHT1, 0, x86.AtX(r, index, 1, int32(l.fetch+at)))
		}
	}
	n := x86.Len(8 * l.vector)
	for at := 0; at < bytes; at += l.vector {
		v := x86.Vec(at / l.vector % 8)
		a.I(x86.VMOVUPS, n, v, x86.AtX(x86.R8, index, 1, int32(at)))
		a.I(x86.VADDPS, n, v, v, x86.AtX(x86.R9, index, 1, int32(at)))
		switch to := x86.AtX(x86.R10, index, 1, int32(at)); l.kind {
		case stores:
			a.I(x86.VMOVUPS, n, to, v)
		case passes:
			a.I(x86.VMOVNTPS, n, to, v)
		}
	}
}

// install makes the code of a loop.
func install(l interface{ write(*x86.Asm) }) (*exec.Code, error) {
	a := x86.New()
	l.write(a)
	o, err := a.Finish()
	if err != nil {
		return nil, err
	}
	return exec.Install(o.Code)
}

// times returns the least time of each loop over arrays of so many bytes together, in ns
// for each byte. The loops alternate.
func times(mem []byte, bytes int, loops ...loop) ([]float64, error) {
	codes, least := make([]*exec.Code, len(loops)), make([]float64, len(loops))
	for i, l := range loops {
		c, err := install(l)
		if err != nil {
			return nil, err
		}
		defer c.Release()
		codes[i] = c
	}
	each := cmp.Or(bytes/3/block*block, bytes/3/(4*line)*(4*line))
	array := func(k, at int) unsafe.Pointer { return unsafe.Pointer(&mem[k*(each+17*line)+at]) }
	times := max(1, 1<<20/(3*each))
	repeat := rounds
	if bytes > largest/2 {
		repeat = longer
	}
	for round := range repeat {
		for i := range loops {
			start := time.Now()
			for range times {
				for at := 0; at < each; at += block {
					a := args{array(0, at), array(1, at), array(2, at), min(block, each-at)}
					if loops[i].halves {
						a.bytes /= 2
					}
					codes[i].Call(unsafe.Pointer(&a))
				}
			}
			if per := float64(time.Since(start)) / float64(times*3*each); round == 1 || round > 1 && per < least[i] { // the first round fills the caches
				least[i] = per
			}
		}
	}
	return least, nil
}

// A Result is what a probe measured, as a line of text.
type Result string

// Run probes the machine and returns the defaults with the numbers that it measured. It
// fails if the processor has no AVX2, or the process no executable memory.
func Run() (machine.Model, []Result, error) { return run(machine.Defaults()) }

// run probes the machine and replaces the numbers of m that it measured.
func run(m machine.Model) (machine.Model, []Result, error) {
	if !cpu.X86.HasAVX2 {
		return m, nil, errors.New("oneloop: there are no probes for this processor")
	}
	c := m.Caches
	small := min(largest, max(c.L2/2, 2*c.L1))
	inside := min(largest, max(c.L3/2, 4*c.L2, small)) // levels may be unknown
	beyond := min(largest, max(2*c.L3, m.Beyond(), inside))
	mem, err := hostmem.Allocate(beyond + 1<<16)
	if err != nil {
		return m, nil, err
	}
	for at := 0; at < len(mem); at += 4096 {
		mem[at] = 1
	}
	var out []Result
	each, err := elements(mem)
	if err != nil {
		return m, nil, err
	}
	m.Gathers = each[1] < margin*each[0]
	out = append(out, Result(fmt.Sprintf("elements at offsets, by loads and by gathers: %.4f and %.4f ns", each[0], each[1])))
	wide := 32
	if cpu.X86.HasAVX512F {
		wide = 64
		t, err := times(mem, small, loop{vector: 64}, loop{vector: 32})
		if err != nil {
			return m, nil, err
		}
		m.Narrow = narrow(m, t[0], t[1])
		out = append(out, Result(fmt.Sprintf("vectors of 512 and of 256 bits, from the second level: %.4f and %.4f ns/byte", t[0], t[1])))
	}
	if m.Narrow {
		wide = 32
	}
	t, lines, err := prefetches(mem, inside, wide, stores, reads)
	if err != nil {
		return m, nil, err
	}
	m.Fetch = best(sum(t[stores], t[reads]), m.Fetch)
	t, more, err := prefetches(mem, beyond, wide, stores, reads, passes)
	if err != nil {
		return m, nil, err
	}
	m.MemFetch = best(sum(t[stores], t[reads]), m.MemFetch)
	t[passes][0] = math.Inf(1) // without prefetches, a loop of seven arrays takes longer than one of three shows
	m.StreamFetch = best(t[passes], m.StreamFetch)
	m.Stream = at(t[stores], m.MemFetch) >= margin*at(t[passes], m.StreamFetch)
	return m, slices.Concat(out, lines, more), nil
}

// narrow reports whether loops that loads bound have vectors of 256 bits, from the times of a loop with vectors of 512 and of 256 bits.
// Where arithmetic binds, those of 512 bits are faster unless the processor computes them in halves: then only a gain counts.
func narrow(m machine.Model, wide, half float64) bool {
	if m.Halves {
		return wide >= margin*half
	}
	return half < margin*wide
}

// ahead has the distances of prefetches that are compared.
var ahead = [...]int{0, 512, 1024, 2048}

// prefetches returns the times of loops of some kinds over so many bytes, for all distances.
func prefetches(mem []byte, bytes, wide int, kinds ...kind) (t [passes + 1][]float64, out []Result, err error) {
	var loops []loop
	for _, k := range kinds {
		for _, d := range ahead {
			loops = append(loops, loop{wide, k, d, k != reads})
		}
	}
	all, err := times(mem, bytes, loops...)
	for i := range all {
		k := loops[i].kind
		t[k] = append(t[k], all[i])
	}
	for i, d := range ahead {
		line := fmt.Sprintf("%d MB, prefetches %4d bytes ahead:", bytes>>20, d)
		for _, k := range kinds {
			line += fmt.Sprintf(" %s %.4f", [...]string{"stores", "loads alone", "stores past the caches"}[k], t[k][i])
		}
		out = append(out, Result(line+" ns/byte"))
	}
	return t, out, err
}

// sum returns the sums of the elements of x and y.
func sum(x, y []float64) []float64 {
	out := slices.Clone(x)
	for i := range out {
		out[i] += y[i]
	}
	return out
}

// best returns the distance with the least time, or the usual one if that is about as good.
func best(t []float64, usual int) int {
	if least := slices.Index(t, slices.Min(t)); t[least] < margin*at(t, usual) {
		return ahead[least]
	}
	return usual
}

// at returns the time of a distance.
func at(t []float64, d int) float64 { return t[max(slices.Index(ahead[:], d), 0)] }

var wanted atomic.Bool

// delay is the time from the first large loop to the probes, so that they do not slow it.
const delay = 200 * time.Millisecond

// Want says that a loop is large enough for the probes to matter. The first call makes a
// goroutine that probes the machine later, unless the model in use is measured already or
// given by the environment.
func Want() {
	if wanted.Swap(true) || !machine.Probing() {
		return
	}
	time.AfterFunc(delay, func() {
		if m, _, err := Run(); err == nil {
			_ = machine.Adopt(m) // without a cache directory the next process probes again
		}
	})
}
