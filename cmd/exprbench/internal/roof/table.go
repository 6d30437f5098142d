package roof

import (
	"cmp"

	"github.com/oneloop/oneloop/engine/inspect"
	"github.com/oneloop/oneloop/engine/inspect/limits"
	"github.com/oneloop/oneloop/expr/dtype"
)

// A Table has the limits of a machine: with one thread, and with all.
type Table struct {
	Probes  string  `json:"probes"` // what they are made of: avx512, avx2, Go
	Threads []int   `json:"threads"`
	Levels  []Level `json:"levels"`
	Flops32 []Rate  `json:"f32_flops"`
	Flops64 []Rate  `json:"f64_flops"`
}

// A Rate is bytes or flops in a second.
type Rate float64

// A Level is the bandwidth of one level of memory, by the number of threads.
type Level struct {
	Name  string `json:"name"`
	Bytes int    `json:"working_set"` // of one thread; of all in the levels that they share
	Read  []Rate `json:"read"`
	Copy  []Rate `json:"copy"`
	Triad []Rate `json:"triad"`
}

// Table measures the limits.
func (r *Roof) Table() *Table {
	t := &Table{Probes: r.m.How(), Threads: []int{1}}
	if r.threads > 1 {
		t.Threads = append(t.Threads, r.threads)
	}
	l1, l2, l3 := inspect.Caches()
	for _, l := range levels(l1, l2, l3, r.largest) {
		for _, n := range t.Threads {
			bytes := l.Bytes
			if l.Name == "L1" || l.Name == "L2" {
				bytes *= n
			}
			l.Read = append(l.Read, Rate(r.bandwidth(limits.Read, bytes, n)))
			l.Copy = append(l.Copy, Rate(r.bandwidth(limits.Copy, bytes, n)))
			l.Triad = append(l.Triad, Rate(r.bandwidth(limits.Triad, bytes, n)))
		}
		t.Levels = append(t.Levels, l)
	}
	for _, n := range t.Threads {
		t.Flops32 = append(t.Flops32, Rate(r.m.Flops(dtype.F32, n)))
		t.Flops64 = append(t.Flops64, Rate(r.m.Flops(dtype.F64, n)))
	}
	return t
}

// levels are working sets that lie well within a level, and outside the one
// before.
func levels(l1, l2, l3, most int) []Level {
	l1, l2 = cmp.Or(l1, 32<<10), cmp.Or(l2, 512<<10)
	out := []Level{{Name: "L1", Bytes: l1 / 2}, {Name: "L2", Bytes: l2 / 2}}
	if l3 >= 4*l2 {
		out = append(out, Level{Name: "L3", Bytes: min(l3/2, 16<<20)})
	}
	return append(out, Level{Name: "memory", Bytes: most})
}
