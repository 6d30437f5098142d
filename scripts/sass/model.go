package main

import (
	"math"
	"slices"
	"strings"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/plan/ir"
)

// A gpu is what the model knows of a GPU.
type gpu struct {
	name  string
	copy  float64 // bytes per second that a copy moves, read and written
	clock float64 // Hz
	sms   int
}

// A copy reaches nine tenths of the memory's rate: 4.3 of 4.8 TB/s was measured on an
// H200. The clock is the one with which NVIDIA states the float32 rate.
var gpus = []gpu{
	{"H100", .9 * 3.35e12, 1.98e9, 132},
	{"H200", .9 * 4.8e12, 1.98e9, 132},
}

const (
	// Of a multiprocessor of compute capability 9.0 (CUDA C++ Programming Guide).
	maxThreads   = 2048
	maxBlocks    = 32
	registerFile = 65536
	sharedMemory = 228 << 10
	blockReserve = 1 << 10 // shared memory that each block takes beside its own

	// Assumed: cycles from a load to the use of its value, under load, and the cycles
	// between two instructions of one warp.
	farCycles  = 1000
	nearCycles = 250 // second-level cache
	lineCycles = 40  // first-level cache, shared memory
	stepCycles = 3

	// Assumed: seconds between the end of a kernel and the work of the next one.
	gap = 2e-6
)

// perCycle has the results that a multiprocessor has per cycle, by class, and of all
// instructions together (CUDA C++ Programming Guide, throughput of arithmetic
// instructions, compute capability 9.0).
var perCycle = [classes]float64{float: 128, integer: 64, convert: 64, special: 16, double: 64, global: 32, shared: 32, other: 128}

const issuePerCycle = 128

// A count is what a thread does for an element, or for each iteration of a loop.
type count [classes]float64

func (c *count) add(code []instruction, weight float64) {
	for i := range code {
		c[code[i].class()] += weight
	}
}

func (c *count) total() (n float64) {
	for _, x := range c {
		n += x
	}
	return n
}

// cycles returns the cycles that a multiprocessor needs for one thread's c.
func (c *count) cycles() float64 {
	most := c.total() / issuePerCycle
	for i, x := range c {
		most = max(most, x/perCycle[i])
	}
	return most
}

// A use is what a kernel needs for each element.
type use struct {
	perElement count
	inFlight   int     // bytes of arrays that a thread loads before it waits
	latency    float64 // cycles that a thread takes for span elements
	span       float64
}

// A job is what a launch has to do.
type job struct {
	elements float64
	bytes    float64 // of arrays and scratch memory
	span     float64 // elements of a thread in an iteration of the loops around the innermost ones; 0: there are none
	trips    float64 // iterations of a loop that combines results of blocks
	warps    float64 // of a row, if several share it
	rows     float64 // rows, or groups of rows, that a thread block computes one at a time; 0: it has none
	cached   bool    // the kernel before has just stored what this one loads
}

// measure counts what a kernel does for an element.
func measure(k *kernel, source []string, elemSize int, j job) use {
	u := use{span: j.span}
	all := k.loops(source)
	hot := hotLoops(all, source, elemSize)
	for i, h := range hot {
		trips := j.span / h.elements
		switch {
		case h.tree:
			trips = j.trips
		case j.span == 0:
			trips = 1
			u.span = h.elements
		}
		weight := trips / u.span
		if h.tree && j.warps > 0 { // of a row: one warp has all results, the others skip them
			weight /= j.warps
		}
		u.perElement.add(h.code, weight)
		if h.blocks && j.warps > 0 { // a warp has a block, the other warps may have none
			trips = math.Ceil(math.Ceil(j.span*32*j.warps/ir.Block)/j.warps) * ir.Block / 32 / h.elements
		}
		far, near, bytes := waits(h.code)
		cycles := 0.
		if bytes > 0 && i == 0 {
			u.inFlight = bytes
			if cycles = farCycles; j.cached {
				cycles = nearCycles
			}
		} else if bytes > 0 {
			cycles = nearCycles
		}
		u.latency += trips * (float64(far)*cycles + float64(near)*lineCycles + float64(len(h.code))*stepCycles)
	}
	for i := range all {
		if all[i].inner || j.span == 0 {
			continue
		}
		for _, b := range all[i].blocks {
			if !copies(b, hot) {
				u.perElement.add(b, 1/j.span)
				u.latency += float64(len(b)) * stepCycles
			}
		}
	}
	return u
}

// hotLoops returns the innermost loops over elements, in order. NVRTC makes several of
// one loop of the source: the one that does most in an iteration stands for all.
func hotLoops(all []loop, source []string, elemSize int) (out []*hotLoop) {
	for i := range all {
		if !all[i].inner {
			continue
		}
		h := newHotLoop(&all[i], source, elemSize)
		same := slices.IndexFunc(out, func(o *hotLoop) bool { return o.key == h.key })
		switch {
		case h.elements == 0:
		case same < 0:
			out = append(out, h)
		case h.elements > out[same].elements:
			out[same] = h
		}
	}
	slices.SortFunc(out, func(x, y *hotLoop) int { return x.lo - y.lo })
	return out
}

// A hotLoop is an innermost loop over elements.
type hotLoop struct {
	key      string // the source lines of its accesses
	lo       int
	code     []instruction
	elements float64 // of a thread in an iteration
	tree     bool    // it combines results of blocks
	blocks   bool    // a warp takes a block of 4096 positions
}

func newHotLoop(l *loop, source []string, elemSize int) *hotLoop {
	h := &hotLoop{lo: l.lo}
	type access struct {
		line int
		op   string
	}
	bytes := map[access]int{}
	arrays := false // it accesses some; else only shared memory, whose values have 4 bytes or more
	for _, b := range l.blocks {
		h.code = append(h.code, b...)
		for _, in := range b {
			if n := in.width(); n > 0 && !strings.HasPrefix(in.op, "LDL") && !strings.HasPrefix(in.op, "STL") {
				bytes[access{in.line, in.op[:3]}] += n
				arrays = arrays || in.class() == global
			}
		}
	}
	var key []string
	for a, n := range bytes {
		text := source[a.line-1]
		key = append(key, text)
		switch inShared := strings.HasSuffix(a.op, "S"); {
		case !inShared:
			h.elements = max(h.elements, float64(n)/float64(elemSize))
		case !arrays:
			h.elements = max(h.elements, float64(n)/float64(max(elemSize, 4)))
		}
		h.tree = h.tree || strings.Contains(text, "red::tree") || strings.Contains(text, "red::across")
		h.blocks = h.blocks || strings.Contains(text, "red::block<")
	}
	slices.Sort(key)
	key = slices.Compact(key)
	h.key = strings.Join(key, "\n")
	return h
}

// copies reports whether a block outside the innermost loops does a part of an iteration
// of one of them: what is left after unrolling.
func copies(block []instruction, hot []*hotLoop) bool {
	return slices.ContainsFunc(hot, func(h *hotLoop) bool {
		inside := func(in instruction) bool {
			return slices.ContainsFunc(h.code, func(x instruction) bool { return x.line == in.line })
		}
		return !h.tree && !slices.ContainsFunc(block, func(in instruction) bool { return !inside(in) })
	})
}

// waits returns how often a thread that runs code waits for loads of arrays, and for
// loads of shared memory alone, and the most bytes of arrays that it loads before it
// waits.
func waits(code []instruction) (far, near, most int) {
	pending := map[int]bool{} // registers
	bytes := 0
	wait := func() {
		switch {
		case bytes > 0:
			far++
		case len(pending) > 0:
			near++
		}
		clear(pending)
		bytes = 0
	}
	for _, in := range code {
		if slices.ContainsFunc(in.reads, func(r int) bool { return pending[r] }) {
			wait()
		}
		if strings.HasPrefix(in.op, "LDG") || strings.HasPrefix(in.op, "LDS") {
			for _, r := range in.to {
				pending[r] = true
			}
			if in.op[2] == 'G' {
				bytes += in.width()
				most = max(most, bytes)
			}
		}
	}
	wait()
	return far, near, most
}

// resident returns how many blocks of a launch a multiprocessor runs at once.
func resident(k *kernel, l cudagen.Launch) int {
	threads := int(l.Block[0])
	warps := (threads + 31) / 32
	perWarp := (32*k.registers + 255) / 256 * 256
	n := min(maxThreads/(32*warps), maxBlocks)
	n = min(n, registerFile/max(perWarp, 256)/warps)
	if room := int(l.Shared) + blockReserve; room > 0 {
		n = min(n, sharedMemory/room)
	}
	return max(n, 1)
}

// An estimate is the model's answer for a launch.
type estimate struct {
	memory, issue, latency float64 // seconds
	seconds                float64
}

// estimate returns the time of a launch that moves bytes and computes elements. The
// times of the memory and of the instructions are added as their fourth powers: they
// overlap, but not fully where they are near each other.
func (u *use) estimate(k *kernel, l cudagen.Launch, j job, g *gpu) (e estimate) {
	e.memory = j.bytes / g.copy
	e.issue = j.elements * u.perElement.cycles() / float64(g.sms) / g.clock
	busy := math.Pow(math.Pow(e.memory, 4)+math.Pow(e.issue, 4), .25)
	// Blocks run in waves, or the rows of the blocks if all blocks run at once. While all
	// slots are taken, a wave takes as long as the slowest of the three. The last one has
	// what is left, and cannot be faster than its loads.
	units, slots := float64(l.Grid[0]), float64(resident(k, l)*g.sms)
	if units <= slots && j.rows > 0 {
		units, slots = j.rows, units
	}
	perElement := u.latency / math.Max(u.span, 1) / g.clock // seconds
	wait := j.elements / units / float64(l.Block[0]) * perElement
	full, left := math.Floor(units/slots), math.Mod(units, slots)
	e.latency = math.Ceil(units/slots) * wait
	e.seconds = full * math.Max(wait, busy/units*slots)
	if left > 0 {
		e.seconds += math.Max(wait, busy/units*left)
	}
	return e
}
