package roof

import (
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/inspect/limits"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/plan"
)

// planOf plans a formula on arrays of 40 x 50, on row, of 50, and on the matrices p, q and m of a
// product.
func planOf(t *testing.T, text string) *plan.Plan {
	t.Helper()
	env := map[string]*tree.Node{}
	add := func(name string, t dtype.Type, shape ...int) {
		a, err := engine.NewArray(t, shape...)
		if err != nil {
			panic(err)
		}
		env[name] = a.Named(name).Node()
	}
	for _, name := range []string{"a", "b", "c", "w"} {
		add(name, dtype.F32, 40, 50)
	}
	add("row", dtype.F32, 50)
	add("d", dtype.F64, 40, 50)
	add("p", dtype.F32, 640, 800)
	add("q", dtype.F32, 640, 800)
	add("m", dtype.F32, 640, 640)
	src, err := formula.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	unit, err := src.BuildFor(env, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Compile(t.Context(), unit.Statements)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTraffic(t *testing.T) {
	for _, c := range []struct {
		text string
		want limits.Traffic
	}{
		{"a = b + c", limits.Triad},
		{"a = b", limits.Copy},
		{"w -= .5*(a + w)", limits.Update},
		{"a = b*row + row", limits.Copy}, // the row stays in a cache
		{"a = b + b.T.T*b[::-1]", limits.Copy},
		{"w += a; b = w*c", limits.Traffic{Reads: 2, Updates: 1, Writes: 1}},
	} {
		s := planOf(t, c.text).Stages[0]
		if got := trafficOf(s); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.text, got, c.want)
		}
	}
}

func TestProgram(t *testing.T) {
	r, err := New(1, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	const n = 40 * 50
	b := r.Program(planOf(t, "a = b*c + b"))
	if b.Bytes != 12*n || b.Flops != 2*n || b.Footprint != 12*n || !(b.Memory > 0) || !(b.Compute > 0) || b.Total != max(b.Memory, b.Compute) {
		t.Errorf("%+v", b)
	}
	again := r.Program(planOf(t, "a = b*c + b"))
	if again != b {
		t.Errorf("not the same limits: %+v, %+v", b, again)
	}
	if w := r.Program(planOf(t, "d = d + 1")); w.Bytes != 16*n || w.Flops != n {
		t.Errorf("float64: %+v", w)
	}
	m := planOf(t, "m = p @ q.T")
	for _, c := range []struct {
		flops    float64 // each second, in place of what a probe measures
		byMemory bool
	}{{1, false}, {1e30, true}} {
		r.flops[dtype.F32] = c.flops
		if b := r.Program(m); b.Flops != 2*640*640*800 || b.ByMemory() != c.byMemory {
			t.Errorf("a matrix product at %g flops a second: %+v", c.flops, b)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, c := range []struct {
		l1, l2, l3 int
		n          int
	}{{0, 0, 0, 3}, {48 << 10, 2 << 20, 32 << 20, 4}} {
		list := levels(c.l1, c.l2, c.l3, Large)
		if len(list) != c.n {
			t.Errorf("%+v: %d levels", c, len(list))
		}
		for i := 1; i < len(list); i++ {
			if list[i].Bytes <= list[i-1].Bytes {
				t.Errorf("%+v: %s is not larger than %s", c, list[i].Name, list[i-1].Name)
			}
		}
	}
}
