// Command peers compares compiled programs with the same loops in C, compiled
// with gcc -O3 -march=native: one thread and its CPU time, the same arrays, in turns
// in one process. It is a module of its own, so that nobody else needs purego.
//
//	go run . [-match adam] [-types f32] [-n 100000] [-backend avx2] [-budget 2s]
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/oneloop/oneloop/expr/dtype"
)

func main() {
	match := flag.String("match", "", "only workloads that match this expression")
	types := flag.String("types", "f32,f64", "element types")
	sizes := flag.String("n", "100000,32000000", "elements; matrices are squares of about so many, 4096x4096 at most")
	backend := flag.String("backend", "", "backend; default: the preferred one")
	budget := flag.Duration("budget", 2*time.Second, "time for each row")
	flag.Parse()
	log.SetFlags(0)
	if err := run(*match, *types, *sizes, *backend, *budget); err != nil {
		log.Fatal(err)
	}
}

func run(match, types, sizes, backend string, budget time.Duration) error {
	want, err := regexp.Compile("(?i)" + match)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	libs := map[string]library{}
	for i := range workloads {
		f := workloads[i].flag
		if _, ok := libs[f]; ok || !want.MatchString(workloads[i].title()) {
			continue
		}
		if libs[f], err = build(dir, "kernels"+f, strings.Fields(f)...); err != nil {
			return err
		}
	}
	runtime.LockOSThread()
	ctx := context.Background()
	fmt.Printf("%s, %s; ns/element, medians; ratio: gcc / oneloop with its interval of 95 %%\n\n", compiler(), runtime.Version())
	fmt.Println("| workload | type | elements | oneloop | gcc | ratio | interval | rounds |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	for i := range workloads {
		w := &workloads[i]
		if !want.MatchString(w.title()) {
			continue
		}
		for _, n := range strings.Split(sizes, ",") {
			for _, name := range strings.Split(types, ",") {
				var size int
				if _, err := fmt.Sscan(n, &size); err != nil {
					return fmt.Errorf("size %q: %w", n, err)
				}
				t := dtype.F32
				if name == "f64" {
					t = dtype.F64
				}
				c, err := newContest(ctx, w, t, size, libs[w.flag], backend)
				if err != nil {
					return err
				}
				r, err := c.measure(ctx, budget, time.Millisecond)
				if err != nil {
					return err
				}
				fmt.Printf("| %s | %s | %d | %.4f | %.4f | %.3f | %.3f..%.3f | %d |\n", w.title(), name, c.r*c.c, r.ours, r.peer, r.ratio, r.lo, r.hi, r.rounds)
				c.release()
			}
		}
	}
	return nil
}
