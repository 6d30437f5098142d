package cu

import (
	"testing"

	"github.com/oneloop/oneloop/engine/cuda/internal/dl"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// TestRanges checks what NVTX gets, and that without a profiler it is not opened.
func TestRanges(t *testing.T) {
	path := stub(t, "libnvtx3interop.so.1", nil, map[string]string{
		"nvtxRangePushA": "(const char *s) { extern int level; if (!strcmp(s, \"a loop\")) level++; return 0; }\nint level",
		"nvtxRangePop":   "() { extern int level; level = -level; return 0; }",
		"levels":         "() { extern int level; return level; }",
	})
	use(t, &nvtx, path)
	t.Setenv(injection, "")
	if RangesWanted() || nvtx.opened != nil {
		t.Error("without a profiler the library is opened")
	}
	t.Setenv(injection, "the library of a profiler")
	if !RangesWanted() {
		t.Fatal("ranges are not wanted with a profiler")
	}
	level := func() int32 {
		fn, err := dl.Symbol(nvtx.opened.Handle, "levels")
		if err != nil {
			t.Fatal(err)
		}
		return dl.Call(fn)
	}
	name := NewRangeName("a loop")
	if n := testlevel.Allocs(10, name.Push); n != 0 {
		t.Errorf("a range allocates %v times", n)
	}
	if level() != 101 {
		t.Errorf("%d ranges begun, not 101", level())
	}
	RangePop()
	if level() != -101 {
		t.Error("the range is not ended")
	}
	use(t, &nvtx, path+".missing")
	if RangesWanted() {
		t.Error("ranges are wanted without the library")
	}
	name.Push()
	RangePop()
}
