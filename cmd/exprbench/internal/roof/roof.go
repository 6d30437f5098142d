// Package roof says how fast programs can run at most on this machine: at the
// measured bandwidth of memory, or at the measured rate of arithmetic.
package roof

import (
	"math"
	"slices"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/machine"
	"github.com/oneloop/oneloop/engine/inspect/limits"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan"
)

// A Roof measures each limit at its first use, and keeps it.
type Roof struct {
	m       *limits.Machine
	threads int
	largest int
	rates   map[rateKey]float64
	flops   map[dtype.Type]float64
}

type rateKey struct {
	traffic limits.Traffic
	bytes   int
	threads int
}

// Working sets for New.
const (
	Large = 256 << 20 // outside most caches
	Small = 64 << 20  // outside many; takes less time
)

// New is a roof for programs that run on so many threads. Of larger working sets
// than size it is assumed that they move at the same rate.
func New(threads, size int) (*Roof, error) {
	for size > 1<<20 && machine.Room(4*size) != nil {
		size /= 2
	}
	m, err := limits.New(size)
	if err != nil {
		return nil, err
	}
	return &Roof{m: m, threads: threads, largest: size, rates: map[rateKey]float64{}, flops: map[dtype.Type]float64{}}, nil
}

// Close gives the memory of the probes back.
func (r *Roof) Close() { r.m.Close() }

// A Bound is the least time that a program can take, in nanoseconds.
type Bound struct {
	Bytes     int     `json:"bytes"`
	Flops     int     `json:"flops"`
	Footprint int     `json:"footprint_bytes"` // of the arrays, which decides the bandwidth
	Memory    float64 `json:"memory_ns"`       // for the bytes, at the measured bandwidth
	Compute   float64 `json:"compute_ns"`      // for the flops, at the measured peak
	Total     float64 `json:"bound_ns"`        // the larger of the two, stage by stage
}

// ByMemory reports whether bandwidth is what binds.
func (b *Bound) ByMemory() bool { return b.Memory >= b.Compute }

// Program is the bound of a program: what its stages must move and calculate at
// least.
func (r *Roof) Program(p *plan.Plan) Bound {
	b := Bound{Footprint: p.Footprint()}
	for _, s := range p.Stages {
		x := r.Stage(s, b.Footprint)
		b.Bytes += x.Bytes
		b.Flops += x.Flops
		b.Memory += x.Memory
		b.Compute += x.Compute
		b.Total += x.Total
	}
	return b
}

// Stage is the bound of one stage of a program that has such a footprint.
func (r *Roof) Stage(s *plan.Stage, footprint int) Bound {
	b := Bound{Bytes: s.Bytes(), Flops: s.Flops(), Footprint: footprint}
	if b.Bytes > 0 {
		b.Memory = float64(b.Bytes) / r.bandwidth(trafficOf(s), footprint, r.threads) * 1e9
	}
	if b.Flops > 0 {
		b.Compute = float64(b.Flops) / r.peak(typeOf(s)) * 1e9
	}
	b.Total = max(b.Memory, b.Compute)
	return b
}

// held is the working set up to which one thread may measure more than several
// of which some are held up, on a machine that others use.
const held = 16 << 20

// bandwidth is the rate, in bytes a second, for a working set, to the nearest
// half power of two; with the stores that are faster.
func (r *Roof) bandwidth(t limits.Traffic, bytes, threads int) float64 {
	bytes = min(int(math.Exp2(math.Round(2*math.Log2(float64(max(bytes, 1))))/2)), r.largest)
	k := rateKey{t, bytes, threads}
	x, ok := r.rates[k]
	if !ok {
		x = r.m.Bandwidth(t, bytes, threads)
		if t.Stream = bytes >= 1<<20; t.Stream && t.Writes > 0 { // they never pay in the inner caches
			x = max(x, r.m.Bandwidth(t, bytes, threads))
		}
		if t.Stream = false; threads > 1 && bytes <= held {
			x = max(x, r.bandwidth(t, bytes, 1))
		}
		r.rates[k] = x
	}
	return x
}

// peak is the number of flops in a second.
func (r *Roof) peak(t dtype.Type) float64 {
	x, ok := r.flops[t]
	if !ok {
		x = max(r.m.Flops(t, 1), r.m.Flops(t, r.threads)) // the others may have been held up
		r.flops[t] = x
	}
	return x
}

// trafficOf is the probe that does to memory what a stage does. Arrays of less
// than an eighth of the largest stay in a cache, and do not count.
func trafficOf(s *plan.Stage) limits.Traffic {
	type memory struct {
		mem  any
		temp int
	}
	size := map[memory]int{}
	reads, writes := map[memory]bool{}, map[memory]bool{}
	note := func(arrays []*plan.Array, in map[memory]bool) {
		for _, a := range arrays {
			m := memory{a.Mem, a.Temp}
			n := a.Type.Size()
			for i, d := range a.Shape {
				if a.Strides[i] != 0 {
					n *= d
				}
			}
			size[m] = max(size[m], n)
			in[m] = true
		}
	}
	note(s.Reads, reads)
	note(s.Writes, writes)
	most := 0
	for _, n := range size {
		most = max(most, n)
	}
	var t limits.Traffic
	for m, n := range size {
		switch {
		case n < most/8:
		case reads[m] && writes[m]:
			t.Updates++
		case writes[m]:
			t.Writes++
		default:
			t.Reads++
		}
	}
	return t
}

// typeOf is the wider of the floating-point types that a stage calculates in.
func typeOf(s *plan.Stage) dtype.Type {
	switch {
	case s.Kind == plan.Chain && slices.ContainsFunc(s.Parts, func(p *plan.Stage) bool { return typeOf(p) == dtype.F64 }),
		s.Kernel != nil && slices.Contains(s.Kernel.Types, dtype.F64):
		return dtype.F64
	case s.Kind != plan.Chain && s.Kernel == nil:
		return s.Out.Type.Register()
	}
	return dtype.F32
}
