package engine_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// scripts/stress runs these tests for longer.
var (
	stress   = flag.Duration("stress", time.Duration(testlevel.Every(10, 10, 3))*time.Second/10, "how long TestStress runs")
	compiles = flag.Int("compiles", 5000, "how many programs TestResident compiles")
)

// distinct returns expression k of a million, each with different machine code.
func distinct(k int, x expr.Exp[float32]) expr.Exp[float32] {
	e := x
	for range 10 {
		switch k % 4 {
		case 0:
			e = op.Add(e, x)
		case 1:
			e = op.Scale(.5, e)
		case 2:
			e = op.Maximum(e, op.Neg(x))
		case 3:
			e = op.Sub(x, e)
		}
		k /= 4
	}
	return e
}

// distinctAt returns the value of expression k at x.
func distinctAt(k int, x float32) float32 {
	y := x
	for range 10 {
		switch k % 4 {
		case 0:
			y += x
		case 1:
			y = float32(y * .5) // the conversion prevents a fused multiply-add
		case 2:
			y = max(y, -x)
		case 3:
			y = x - y
		}
		k /= 4
	}
	return y
}

// TestStress runs goroutines that compile, run, share and drop programs with large
// and small arrays, while the garbage collector and the profiler run.
func TestStress(t *testing.T) {
	defer setProcessors(4)()
	if *stress > 2*time.Second {
		runtime.SetCPUProfileRate(1000) // the runtime complains when the profile starts, and keeps the rate
	}
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	ctx := context.Background()
	end := time.Now().Add(*stress)
	var shared [16]atomic.Pointer[program]
	var runs, compiled atomic.Int64
	var wg sync.WaitGroup
	for g := range 12 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 7))
			for time.Now().Before(end) {
				p, err := newProgram(rng)
				if err != nil {
					t.Error(err)
					return
				}
				compiled.Add(1)
				for range 1 + rng.IntN(5) {
					if err := p.run(ctx); err != nil {
						t.Error(err)
						return
					}
					runs.Add(1)
				}
				if other := shared[rng.IntN(len(shared))].Swap(p); other != nil {
					if err := other.run(ctx); err != nil {
						t.Error(err)
						return
					}
				}
				if g == 0 {
					runtime.GC()
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d programs compiled, %d runs in %v", compiled.Load(), runs.Load(), *stress)
}

// A program is a compiled program with its arrays and the expected result.
type program struct {
	mu   sync.Mutex
	p    *engine.Program
	y    *engine.Tensor[float32]
	want float32
}

func newProgram(rng *rand.Rand) (*program, error) {
	n := []int{1, 17, 1000, 40_000}[rng.IntN(4)]
	names := engine.Backends()
	o := engine.Options{Backend: names[rng.IntN(len(names))], Threads: 1 + rng.IntN(4)}
	v := float32(rng.IntN(100))
	x, y := engine.Zeros[float32](n), engine.Zeros[float32](n)
	for i := range x.Data() {
		x.Data()[i] = v
	}
	k := rng.IntN(1 << 20)
	p, err := engine.CompileWith(context.Background(), o, expr.Let(y, distinct(k, x)))
	return &program{p: p, y: y, want: distinctAt(k, v)}, err
}

func (p *program) run(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.y.Data())
	if err := p.p.Run(ctx); err != nil {
		return err
	}
	for i, v := range p.y.Data() {
		if v != p.want {
			return fmt.Errorf("%s: element %d is %g, want %g", p.p.Backend(), i, v, p.want)
		}
	}
	return nil
}

// TestResident compiles distinct programs and drops them. The resident memory must
// not grow.
func TestResident(t *testing.T) {
	if testlevel.Race {
		t.Skip("the race detector keeps memory of its own")
	}
	ctx := context.Background()
	x, y := engine.MustFromSlice(ramp(64)), engine.Zeros[float32](64)
	warm, before, peak := *compiles/10, 0, 0
	for k := range *compiles {
		p, err := engine.Compile(ctx, expr.Let(y, distinct(k, x)))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Run(ctx); err != nil {
			t.Fatal(err)
		}
		if k%max(*compiles/50, 1) == 0 {
			debug.FreeOSMemory() // free heap memory and the garbage of other tests do not count
			if k < warm {
				before = max(before, resident())
			} else {
				peak = max(peak, resident())
			}
		}
	}
	t.Logf("%d programs: resident memory %d MiB after a tenth of them, at most %d MiB later", *compiles, before>>20, peak>>20)
	if peak > before+16<<20 {
		t.Errorf("resident memory grew by %d bytes", peak-before)
	}
}

// resident returns the resident memory of the process in bytes, without the pages of
// files, which the system drops and reads again as it likes. It is 0 if unknown.
func resident() (bytes int) {
	data, _ := os.ReadFile("/proc/self/status")
	for _, found := range regexp.MustCompile(`(?m)^Rss(?:Anon|Shmem):\s+(\d+) kB$`).FindAllSubmatch(data, -1) {
		kb, _ := strconv.Atoi(string(found[1]))
		bytes += kb << 10
	}
	return bytes
}
