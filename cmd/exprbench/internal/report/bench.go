package report

import (
	"bufio"
	"fmt"
	"io"

	"github.com/oneloop/oneloop/cmd/exprbench/internal/bench"
)

// writeBench writes a line for every round, which are the samples that
// benchstat works with. MB/s counts the bytes that the fused program has to
// move, whatever the way, so that rates compare as times do; %limit is the part
// of the machine's limit that the round has reached.
func writeBench(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	m := r.Machine
	fmt.Fprintf(b, "goos: %s\ngoarch: %s\npkg: github.com/oneloop/oneloop/cmd/exprbench\ncpu: %s\n", m.OS, m.Arch, m.CPU)
	fmt.Fprintf(b, "go: %s\nbackend: %s\nthreads: %d\n", m.Go, r.Backend, r.Threads)
	for _, x := range r.Results {
		for _, i := range bench.Impls() {
			for _, t := range x.Times[i.String()] {
				fmt.Fprintf(b, "Benchmark%s/impl=%s/dtype=%s/n=%d \t1\t%.1f ns/op\t%.2f MB/s", x.Name, i, x.Type, x.N, t, float64(x.Bytes)/t*1e3)
				if x.Bound != nil {
					fmt.Fprintf(b, "\t%.2f %%limit", 100*x.Bound.Total/t)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.Flush()
}
