package interp_test

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestSteadyState checks that a run of a bound kernel does not allocate.
func TestSteadyState(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for name, c := range testlevel.InOrder(randir.Texts) {
		k := parse(t, testdata(t, name))
		e, p, shapes := c(r)
		for slices.Contains(e, 0) { // the shapes belong to the extents
			e, p, shapes = c(r)
		}
		if k.Params == 0 {
			p = nil
		}
		s := newSetup(r, k, e, p, shapes, false)
		code, err := interp.New().Compile(k)
		if err != nil {
			t.Fatal(err)
		}
		inst, err := code.Bind(s.b)
		if err != nil {
			t.Fatal(err)
		}
		w := inst.NewWorker()
		n, _, _ := inst.Units()
		if got := testlevel.Allocs(10, func() {
			inst.Begin()
			w.Run(0, n)
			inst.Finish(w)
		}); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

// TestWorkers runs chunks on several goroutines at once, for the race detector. It
// changes the arrays and scalars between runs.
func TestWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for name, c := range testlevel.InOrder(randir.Texts) {
		k := parse(t, testdata(t, name))
		for range 3 {
			e, p, shapes := c(r)
			if k.Params == 0 {
				p = nil
			}
			s := newSetup(r, k, e, p, shapes, false)
			code, err := interp.New().Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			bind := *s.b
			bind.Bufs = append([]ir.BufBind{}, s.b.Bufs...)
			inst, err := code.Bind(&bind)
			if err != nil {
				t.Fatal(err)
			}
			var ws []backend.Worker
			for range 4 {
				ws = append(ws, inst.NewWorker())
			}
			for run := range 3 {
				if run > 0 { // move the arrays and change the scalars
					for i, a := range s.arrs {
						if a == nil {
							continue
						}
						moved := newArray(a.t, s.total[i])
						copy(moved.mem, a.mem)
						moved.set(s.base[i], memoryBits(r, a.t))
						s.arrs[i] = moved
						bind.Bufs[i].Ptr = addr(moved, s.base[i])
						s.b.Bufs[i].Ptr = bind.Bufs[i].Ptr
					}
					for i, t := range k.Scalars {
						bind.Scalars[i] = tame(r, t)
					}
				}
				before := s.snapshot()
				ref := newReference(k, s.b, s.arrs, s.base)
				ref.region(0)
				want := s.snapshot()
				s.restore(before)

				inst.Begin()
				n, grain, _ := inst.Units()
				var mu sync.Mutex
				next := 0
				var wg sync.WaitGroup
				for _, w := range ws {
					wg.Go(func() {
						for {
							mu.Lock()
							lo := next
							next += grain
							mu.Unlock()
							if lo >= n {
								return
							}
							w.Run(lo, min(lo+grain, n))
						}
					})
				}
				wg.Wait()
				if f := inst.Finish(ws[run]); f != ref.fault {
					t.Fatalf("%s: fault %v, want %v", name, f, ref.fault)
				}
				for i, a := range s.arrs {
					if a == nil {
						continue
					}
					w := &array{a.t, want[i]}
					for j := range s.total[i] {
						if !sameBits(a.t.Register(), fromMemory(a.t, a.get(j)), fromMemory(a.t, w.get(j))) {
							t.Fatalf("%s run %d: %s[%d] = %#x, want %#x", name, run, k.Bufs[i].Name, j, a.get(j), w.get(j))
						}
					}
				}
			}
		}
	}
}

// TestOverlap runs a kernel with one array as input and output. A value loaded
// before a store must not change.
func TestOverlap(t *testing.T) {
	code := compile(t, `kernel overlap
axis i0
buf x f32 in 1
buf y f32 out 1
buf z f32 out 1
{
  vec i0 {
    %0 = load f32 x[i0]
    %1 = add f32 %0 %0
    store f32 y[i0] %1
    %2 = mul f32 %0 %1
    store f32 z[i0] %2
  }
}`)
	const n = 1300
	x, z := newArray(dtype.F32, n), newArray(dtype.F32, n)
	for i := range n {
		x.set(i, fromF(x.t, float64(i)))
	}
	inst, err := code.Bind(&ir.Binding{Extents: []int{n}, Bufs: []ir.BufBind{vector(x, n), vector(x, n), vector(z, n)}})
	if err != nil {
		t.Fatal(err)
	}
	runAll(inst)
	for i := range n {
		v := float64(i)
		if x.get(i) != fromF(x.t, 2*v) || z.get(i) != fromF(x.t, float64(float32(2*v*v))) {
			t.Fatalf("%d: %#x %#x", i, x.get(i), z.get(i))
		}
	}
}

// TestTiles checks loops that run in tiles.
func TestTiles(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	k := parse(t, testdata(t, "transposed_add"))
	for _, e := range [][]int{{512, 512}, {1000, 300}, {64, 4100}, {1000, 1000}} {
		s := newSetup(r, k, e, nil, [][]int{e, {e[1], e[0]}, e}, true)
		differ(t, r, s)
	}
}

// TestOverlapLate loads from an array after computing a value that is stored to the
// same memory later. The load must see the old value.
func TestOverlapLate(t *testing.T) {
	code := compile(t, `kernel late
axis i0
buf x f32 in 1
buf y f32 out 1
buf z f32 out 1
{
  vec i0 {
    %0 = load f32 x[i0]
    %1 = add f32 %0 %0
    %2 = load f32 x[i0+0]
    %3 = mul f32 %2 %1
    store f32 y[i0] %1
    store f32 z[i0] %3
  }
}`)
	const n = 700
	x, z := newArray(dtype.F32, n), newArray(dtype.F32, n)
	for i := range n {
		x.set(i, fromF(x.t, float64(i)))
	}
	inst, err := code.Bind(&ir.Binding{Extents: []int{n}, Bufs: []ir.BufBind{vector(x, n), vector(x, n), vector(z, n)}})
	if err != nil {
		t.Fatal(err)
	}
	runAll(inst)
	for i := range n {
		v := float64(i)
		if x.get(i) != fromF(x.t, 2*v) || z.get(i) != fromF(x.t, 2*v*v) {
			t.Fatalf("%d: %#x %#x", i, x.get(i), z.get(i))
		}
	}
}

// TestFillDies loads with a fill value whose last use is the load. The result must
// not share memory with the fill value.
func TestFillDies(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	k := parse(t, `kernel fill
axis i0
buf x f32 in 1
buf y f32 in 1
buf z f32 out 1
{
  vec i0 {
    %0 = load f32 x[i0]
    %1 = neg f32 %0
    %2 = load f32 y[i0*2-5] else %1
    store f32 z[i0] %2
  }
}`)
	for range 20 {
		n := randir.Size(r)
		differ(t, r, newSetup(r, k, []int{n}, nil, [][]int{{n}, {n}, {n}}, true))
	}
}

// TestFmaSubnormal checks for double rounding. z is subnormal and x*y is just below
// half a unit of z: rounding the sum to float64 first would give a tie.
func TestFmaSubnormal(t *testing.T) {
	x, y := float32(0x1.0001p-75), float32(0x1.fffep-76)
	for mask := range 8 {
		for _, k := range []int{1<<22 + 1, 1<<22 + 3, 1<<21 + 1, 1<<22 + 2} {
			z := float32(float64(k) * 0x1p-149)
			kern := opKernel(cellOp{prim.Fma, []dtype.Type{dtype.F32, dtype.F32, dtype.F32}, dtype.F32}, mask)
			code, err := interp.New().Compile(kern)
			if err != nil {
				t.Fatal(err)
			}
			b := &ir.Binding{Extents: []int{3}}
			for _, v := range []float32{x, y, z} {
				a := newArray(dtype.F32, 3)
				for i := range 3 {
					a.set(i, fromF(a.t, float64(v)))
				}
				b.Scalars = append(b.Scalars, fromF(a.t, float64(v)))
				b.Bufs = append(b.Bufs, vector(a, 3))
			}
			out := newArray(dtype.F32, 3)
			b.Bufs = append(b.Bufs, vector(out, 3))
			inst, err := code.Bind(b)
			if err != nil {
				t.Fatal(err)
			}
			runAll(inst)
			if got := out.get(1); got != uint64(k) { // the sum is below the tie, so it rounds down to z
				t.Errorf("mask %d: fma(%v, %v, %v) = %#x, want %#x", mask, x, y, z, got, k)
			}
		}
	}
}

// TestWideRows runs a narrow seq loop in rows. The remaining positions of a row must
// not leave a register that points at an input: the runs of the next row would
// write to the input.
func TestWideRows(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	k := parse(t, `kernel widerows
axis i0 i1 i2
buf x f32 in 2
buf w f32 in 1
buf y f32 out 2
{
  par i0 {
    vec i1 {
      %0 = load f32 w[i1]
      %1 = mul f32 %0 %0
      seq i2 {
        %2 = load f32 x[i2, i1]
        %3 = load f32 w[i1]
        %4 = mul f32 %2 %1
        %5 = add f32 %4 %3
        %6 = reduce sum f32 %5
        %7 = reduce max f32 %5
      }
      %8 = add f32 %6 %7
      store f32 y[i0, i1] %8
    }
  }
}`)
	for _, m := range []int{1, 2, 7, 64, 200, 256, 257} {
		for _, n := range []int{191, 192, 193, 650, 5000} {
			if m*n > 200000 {
				continue
			}
			e := []int{3, m, n}
			differ(t, r, newSetup(r, k, e, nil, [][]int{{n, m}, {m}, {3, m}}, true))
		}
	}
}
