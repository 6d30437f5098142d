package bench

import (
	"context"
	"errors"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
)

var ctx = context.Background()

// Every way of every workload agrees, and the fused program is one loop where
// that can be.
func TestWorkloads(t *testing.T) {
	for _, w := range Workloads() {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64} {
			for _, n := range []int{9, 1600} {
				c, err := NewCase(ctx, engine.Options{Threads: 2}, w, typ, n)
				if err != nil {
					t.Fatalf("%s: %v", w.Name, err)
				}
				for range 2 { // from another state too, and with both kinds of temporaries again
					if err := c.verify(ctx); err != nil {
						t.Error(err)
					}
					if err := c.run[Fused](ctx); err != nil {
						t.Error(err)
					}
				}
				if passes := len(c.program.Plan().Stages); passes != 1 && w.cost != cubic {
					t.Errorf("%s: %d passes", w.Name, passes)
				}
			}
		}
	}
}

func TestNaiveCounts(t *testing.T) {
	vec := func(name string) Spec { return Spec{name, dtype.F32, []int{50}} }
	mat := Spec{"m", dtype.F32, []int{5, 6}}
	for _, c := range []struct {
		text          string
		specs         []Spec
		passes, temps int
	}{
		{"a + b", []Spec{vec("a"), vec("b")}, 1, 0},
		{"y = a*b; y + b", []Spec{vec("a"), vec("b")}, 3, 1}, // y is computed, once for itself and once for _
		{"a -= 2*(a + b)", []Spec{vec("a"), vec("b")}, 3, 2},
		{"m.T + m.T", []Spec{{"m", dtype.F32, []int{6, 6}}}, 1, 0},
		{"m[1:] - m[:-1]", []Spec{mat}, 1, 0},
		{"m - max(m, axis=-1, keepdims=True)", []Spec{mat}, 2, 1},
		{"a*(2*3 + 1)", []Spec{vec("a")}, 1, 0},
		{"a = a + 1; a = a + 1", []Spec{vec("a")}, 2, 0},
		{"h*h + h", []Spec{{"h", dtype.F16, []int{40}}}, 2, 1},
		{"where(a > b, a, b)", []Spec{vec("a"), vec("b")}, 2, 1},
	} {
		k, err := NewFormula(ctx, engine.Options{}, c.text, c.specs, map[string]*tree.Node{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if k.naive.passes != c.passes || len(k.naive.temps) != c.temps {
			t.Errorf("%s: %d passes and %d temporaries, want %d and %d", c.text, k.naive.passes, len(k.naive.temps), c.passes, c.temps)
		}
		if err := k.verify(ctx); err != nil {
			t.Error(err)
		}
	}
}

// Temporaries that are not needed at the same time share memory.
func TestNaiveMemory(t *testing.T) {
	k, err := NewFormula(ctx, engine.Options{}, "y = sqrt(exp(abs(sin(cos(a + 1)))))", []Spec{{"a", dtype.F64, []int{100}}}, map[string]*tree.Node{})
	if err != nil {
		t.Fatal(err)
	}
	distinct := map[*byte]bool{}
	for _, x := range k.naive.temps {
		distinct[&x.kept[0]] = true
	}
	if len(k.naive.temps) != 5 || len(distinct) != 2 {
		t.Errorf("%d temporaries in %d pieces of memory", len(k.naive.temps), len(distinct))
	}
}

func TestMismatch(t *testing.T) {
	c, err := NewCase(ctx, engine.Options{}, Workloads()[2], dtype.F32, 100)
	if err != nil {
		t.Fatal(err)
	}
	run := c.run[Loop]
	c.run[Loop] = func(ctx context.Context) error {
		err := run(ctx)
		dtype.Slice[float32](c.written[0].Memory().Bytes())[7] *= 1.001
		return err
	}
	var m *MismatchError
	if _, err = c.Measure(ctx, Limits{MinRounds: 1}, nil); !errors.As(err, &m) {
		t.Errorf("a wrong result gives %v", err)
	}
	c.run[Loop] = run
	c.run[Naive] = func(context.Context) error { return nil }
	if _, err = c.Measure(ctx, Limits{MinRounds: 1}, nil); !errors.As(err, &m) {
		t.Errorf("a missing result gives %v", err)
	}
}

func TestMeasure(t *testing.T) {
	c, err := NewCase(ctx, engine.Options{}, Workloads()[0], dtype.F64, 1000)
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Measure(ctx, Limits{MinRounds: 7, MaxRounds: 7}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range Impls() {
		if n := len(r.Times[i.String()]); n != 7 {
			t.Errorf("%v: %d rounds", i, n)
		}
	}
	if r.Bytes != 3*8*1000 || r.FusedPasses != 1 || r.NaivePasses != 4 || r.NaiveTemps != 3 || r.FusedTemps != 0 || r.Warm <= 0 {
		t.Errorf("%+v", r)
	}
	if q := r.Ratios["naive"]; !(q.Lo <= q.Median && q.Median <= q.Hi) {
		t.Errorf("%+v", q)
	}
	stop, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Measure(stop, Limits{MinRounds: 7}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
