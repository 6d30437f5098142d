// Command products compares matrix products with those of BLAS libraries, such as
// the OpenBLAS of a distribution or of NumPy's wheel. All sides alternate in one
// process on the same arrays.
//
//	go run ./products -lib libopenblas.so.0[,another.so] [-match 1024 | -shapes 2x1000x1000nt] [-types f32] [-threads 1,2] [-rounds 15]
//
// With one thread the times are processor times of the thread, with several they
// are those of the clock. Then each side begins when the threads of the side before it
// have ceased to spin. Without libraries (-lib "") oneloop runs alone. The command needs gcc.
package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/engine/inspect/limits"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/failure"
)

func main() {
	defer failure.Exit()
	libs := flag.String("lib", "libopenblas.so.0", "shared libraries, separated by commas; empty: none")
	match := flag.String("match", "", "only shapes that match this expression")
	shapes := flag.String("shapes", usual, "shapes, as 2x1000x1000nt or 100*8x8x8nn, separated by commas")
	types := flag.String("types", "f32,f64", "element types")
	threads := flag.String("threads", "1", "numbers of threads")
	backend := flag.String("backend", "", "back end; default: the preferred one")
	rounds := flag.Int("rounds", 15, "rounds of each row; medians count")
	flag.Parse()
	run(parse(*shapes, *match), *libs, *types, *threads, *backend, *rounds)
}

func run(cases []product, libs, types, threads, backend string, rounds int) {
	shim := buildShim()
	var peers []*library
	for _, path := range strings.FieldsFunc(libs, func(r rune) bool { return r == ',' }) {
		l := open(path)
		peers = append(peers, l)
		fmt.Printf("%s: %s\n", path, l.config())
	}
	runtime.LockOSThread()
	machine := failure.Must(limits.New(1 << 20))
	defer machine.Close()
	fmt.Printf("%s; GFLOP/s, medians of %d rounds; ratio: peer's time / oneloop's\n\n", runtime.Version(), rounds)
	fmt.Println("| product | type | threads | oneloop | of the peak |" + strings.Repeat(" peer | ratio | range |", len(peers)))
	fmt.Println("|---|---|---|---|---|" + strings.Repeat("---|---|---|", len(peers)))
	for _, c := range cases {
		for _, name := range strings.Split(types, ",") {
			typ := map[string]dtype.Type{"f32": dtype.F32, "f64": dtype.F64}[name]
			for _, s := range strings.Split(threads, ",") {
				if c.layer && s != "1" { // the pass of the peers has one thread
					continue
				}
				n, err := strconv.Atoi(s)
				if err != nil || !typ.IsFloat() {
					failure.Check(fmt.Errorf("threads %q, type %q", s, name))
				}
				c.row(context.Background(), contest{shim, peers, typ, n, backend, rounds, machine})
			}
		}
	}
}
