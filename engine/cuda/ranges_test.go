package cuda

import (
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// testRanges checks the ranges that a profiler sees: those of a run, with one for each
// stage in it, and none without a profiler.
func testRanges(t *testing.T, s *standIn) {
	t.Setenv("ONELOOP_LIBNVTX", filepath.Join(s.dir, "libnvtx3interop.so.1"))
	s.find(t, "ONELOOP_LIBNVTX", "standinRanges")
	noted := func() string {
		b := make([]byte, 1<<16)
		dl.Call(s.fn["standinRanges"], uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		return string(b[:strings.IndexByte(string(b), 0)])
	}
	noted()
	for profiler, want := range map[string]int{"": 0, "the library of a profiler": 3} {
		t.Setenv("NVTX_INJECTION64_PATH", profiler)
		d := open(t)
		x, y := ramp(t, d, 4), zeros(t, d, 4)
		p, err := engine.Compile(ctx, expr.Let(y, op.Sort(op.Exp(x), 0)))
		check(t, err)
		check(t, p.Run(ctx))
		got := noted()
		if strings.Count(got, "(") < want || strings.Count(got, ")") < want || want == 0 && got != "" {
			t.Errorf("with the profiler %q: %s", profiler, got)
		}
		if want > 0 && (!strings.HasPrefix(got, "(run: ") || !strings.Contains(got, "exp") || !strings.Contains(got, "(sort") || !strings.HasSuffix(got, "))")) {
			t.Errorf("ranges %s", got)
		}
		stream, err := d.NewStream()
		check(t, err)
		p.RunAsync(stream)
		check(t, stream.Sync(ctx))
		if queued := noted(); queued != got {
			t.Errorf("ranges of a queued run %s, of a run %s", queued, got)
		}
		check(t, stream.Close())
		check(t, p.Close())
	}
}
