package interp_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/plan/ir"
)

// runAll runs an instance with one worker and returns its fault.
func runAll(inst backend.Instance) ir.FaultKind {
	w := inst.NewWorker()
	inst.Begin()
	n, _, _ := inst.Units()
	if n > 0 {
		w.Run(0, n)
	}
	return inst.Finish(w)
}

// runChunks runs an instance in random chunks and returns its fault. Each chunk goes
// to a random worker.
func runChunks(r *rand.Rand, inst backend.Instance, workers int) ir.FaultKind {
	n, grain, _ := inst.Units()
	var ws []backend.Worker
	for range workers {
		ws = append(ws, inst.NewWorker())
	}
	type chunk struct{ lo, hi int }
	var chunks []chunk
	for lo := 0; lo < n; {
		hi := min(n, lo+grain*(1+r.IntN(5)))
		chunks = append(chunks, chunk{lo, hi})
		lo = hi
	}
	r.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	inst.Begin()
	for _, c := range chunks {
		ws[r.IntN(workers)].Run(c.lo, c.hi)
	}
	return inst.Finish(ws[r.IntN(workers)])
}

func parse(t testing.TB, text string) *ir.Kernel {
	t.Helper()
	k, err := ir.Parse(text)
	if err == nil {
		err = ir.Check(k)
	}
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func compile(t testing.TB, text string) backend.Code {
	t.Helper()
	code, err := interp.New().Compile(parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../testdata/ir", name+".ir"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func addr(a *array, i int) unsafe.Pointer { return unsafe.Add(a.ptr(), i*a.t.Size()) }
