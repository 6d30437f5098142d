package exec

import (
	"bytes"
	"flag"
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
	"unsafe"

	"github.com/oneloop/oneloop/internal/testlevel"
)

var (
	stress = flag.Duration("stress", time.Second, "how long TestStress runs")
	cycles = flag.Int("cycles", 100_000, "how many programs TestCycles installs")
)

// sumCode adds n numbers of a sumBlock, multiplies the sum by factor, and stores it. It overwrites a
// vector register.
//
//	mov rsi, [rdi]; mov rcx, [rdi+8]; xor eax, eax
//	loop: add rax, [rsi]; add rsi, 8; dec rcx; jne loop
//	imul rax, rax, factor; mov [rdi+16], rax; pcmpeqd xmm15, xmm15; ret
func sumCode(factor uint32) []byte {
	if runtime.GOARCH == "arm64" {
		return words(
			0xf9400001,                  // ldr x1, [x0]
			0xf9400402,                  // ldr x2, [x0, 8]
			0xd2800003,                  // mov x3, 0
			0xf8408424,                  // loop: ldr x4, [x1], 8
			0x8b040063,                  // add x3, x3, x4
			0xf1000442,                  // subs x2, x2, 1
			0x54ffffa1,                  // b.ne loop
			0x52800005|factor&0xffff<<5, // movz w5, factor
			0x72a00005|factor>>16<<5,    // movk w5, factor >> 16, lsl 16
			0x9b057c63,                  // mul x3, x3, x5
			0xf9000803,                  // str x3, [x0, 16]
			0x6f00040f,                  // mvni v15.4s, 0
			0xd65f03c0,                  // ret
		)
	}
	return []byte{
		0x48, 0x8b, 0x37,
		0x48, 0x8b, 0x4f, 0x08,
		0x31, 0xc0,
		0x48, 0x03, 0x06,
		0x48, 0x83, 0xc6, 0x08,
		0x48, 0xff, 0xc9,
		0x75, 0xf4,
		0x48, 0x69, 0xc0, byte(factor), byte(factor >> 8), byte(factor >> 16), byte(factor >> 24),
		0x48, 0x89, 0x47, 0x10,
		0x66, 0x45, 0x0f, 0x76, 0xff, // pcmpeqd xmm15, xmm15: Go wants zero there
		0xc3,
	}
}

type sumBlock struct {
	data unsafe.Pointer
	n    int
	sum  uint64
}

// TestStress calls code from many goroutines whose stacks move, on data that
// only the argument block refers to, under a collector that never stops and
// profiling signals, while programs are installed and released all the time.
func TestStress(t *testing.T) {
	install(t, nothing()).Release()
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	if *stress > 2*time.Second {
		runtime.SetCPUProfileRate(1000) // the runtime complains when the profile starts, and keeps the rate
	}
	var profile bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err == nil {
		defer pprof.StopCPUProfile()
	}
	deadline := time.Now().Add(*stress)
	var calls atomic.Int64
	var wg sync.WaitGroup
	var shared [8]atomic.Pointer[Code]
	for g := range 32 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			rng := rand.New(rand.NewPCG(uint64(g), 1))
			for time.Now().Before(deadline) {
				factor := uint32(rng.IntN(1 << 20))
				c, err := Install(sumCode(factor))
				if err != nil {
					t.Error(err)
					return
				}
				for range 20 {
					n := 1 + rng.IntN(3000)
					if !deepCall(rng.IntN(60), c, uint64(factor), n) {
						t.Errorf("wrong sum for %d numbers", n)
						return
					}
					calls.Add(1)
				}
				// Leave the code to whoever comes next, and take that of
				// whoever was before.
				if old := shared[rng.IntN(len(shared))].Swap(c); old != nil {
					var x [1]uint64
					b := sumBlock{data: unsafe.Pointer(&x), n: 1}
					old.Call(unsafe.Pointer(&b))
					old.Release()
				}
				if g == 0 {
					runtime.GC()
				}
			}
		}()
	}
	wg.Wait()
	for i := range shared {
		if c := shared[i].Load(); c != nil {
			c.Release()
		}
	}
	t.Logf("%d calls in %v", calls.Load(), *stress)
}

// deepCall calls c some frames further down, so that stacks grow.
//
//go:noinline
func deepCall(depth int, c *Code, factor uint64, n int) bool {
	var pad [128]byte
	if depth > 0 {
		ok := deepCall(depth-1, c, factor, n)
		return ok && pad[depth&127] == 0
	}
	want := uint64(n) * uint64(n+1) / 2 * factor
	b := sumBlock{data: fresh(n), n: n}
	c.Call(unsafe.Pointer(&b))
	return b.sum == want
}

// fresh is an array of 1 to n that nothing else refers to.
//
//go:noinline
func fresh(n int) unsafe.Pointer {
	x := make([]uint64, n)
	for i := range x {
		x[i] = uint64(i + 1)
	}
	return unsafe.Pointer(&x[0])
}

// TestCycles compiles and evicts distinct programs and measures what stays. The race
// detector keeps memory of its own, so there the size does not count.
func TestCycles(t *testing.T) {
	install(t, nothing()).Release()
	if testing.Short() {
		*cycles /= 20
	}
	var keep [200]*Code
	rng := rand.New(rand.NewPCG(1, 2))
	var before int
	for i := range *cycles {
		if i == 1000 {
			debug.FreeOSMemory() // what is free in the heap does not stay
			before = resident()
		}
		code := append(answer(uint32(i)), make([]byte, rng.IntN(8000))...)
		k := rng.IntN(len(keep))
		if keep[k] != nil {
			keep[k].Release()
		}
		var err error
		if keep[k], err = Install(code); err != nil {
			t.Fatal(err)
		}
		var x uint64
		if keep[k].Call(unsafe.Pointer(&x)); x != uint64(i) {
			t.Fatalf("program %d answers %d", i, x)
		}
	}
	for _, c := range keep {
		if c != nil {
			c.Release()
		}
	}
	debug.FreeOSMemory()
	grown := resident() - before
	t.Logf("%d programs: resident memory grew by %d KiB", *cycles, grown>>10)
	if grown > 16<<20 && !testlevel.Race {
		t.Errorf("resident memory grew by %d bytes", grown)
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
