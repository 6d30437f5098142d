package jit

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// isas returns the back ends for the instruction sets that this machine has.
func isas(t testing.TB) (out []backend.Backend) {
	for _, name := range ISAs {
		b, err := New(name)
		if err != nil {
			continue
		}
		out = append(out, b)
	}
	if len(out) == 0 {
		t.Skip("no machine code here")
	}
	return out
}

func parse(t testing.TB, text string) *ir.Kernel {
	t.Helper()
	k, err := ir.Parse(text)
	if err == nil {
		err = ir.Check(k)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return k
}

// A setup is a kernel with random data in arrays of random layout.
type setup struct {
	k    *ir.Kernel
	b    *ir.Binding
	mem  [][]byte // by buffer
	free []func()
}

// newSetup returns a setup with arrays of the given extents; plain ones are contiguous.
// Each array touches an inaccessible page, at its end or at its beginning.
func newSetup(t testing.TB, r *rand.Rand, k *ir.Kernel, extents, params []int, shapes [][]int, plain bool) *setup {
	s := &setup{k: k, b: &ir.Binding{Extents: extents, Params: params}}
	for _, t := range k.Scalars {
		s.b.Scalars = append(s.b.Scalars, randir.ScalarBits(r, t))
	}
	for i, d := range k.Bufs {
		if d.Mode == ir.Row {
			s.mem = append(s.mem, nil)
			s.b.Bufs = append(s.b.Bufs, ir.BufBind{})
			continue
		}
		strides, lo, total := randir.Layout(r, &d, shapes[i], plain)
		size := d.Type.Size()
		m, free := allocate(t, total*size, r.IntN(2) == 0)
		s.free = append(s.free, free)
		randir.Fill(m, d.Type, func(t dtype.Type) uint64 { return randir.MemoryBits(r, t) })
		s.mem = append(s.mem, m)
		s.b.Bufs = append(s.b.Bufs, ir.BufBind{Ptr: unsafe.Add(unsafe.Pointer(&m[0]), -lo*size), Strides: strides, Extents: shapes[i]})
	}
	return s
}

// allocate returns the memory of an array and a function that frees it.
var allocate = guarded

func (s *setup) release() {
	for _, f := range s.free {
		f()
	}
}

// instance returns the kernel, compiled by a back end and bound to its arrays.
func (s *setup) instance(t testing.TB, be backend.Backend) backend.Instance {
	t.Helper()
	code, err := be.Compile(s.k)
	if err != nil {
		t.Fatal(err)
	}
	inst, err := code.Bind(s.b)
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

func runAll(inst backend.Instance) ir.FaultKind {
	inst.Begin()
	w := inst.NewWorker()
	n, _, _ := inst.Units()
	w.Run(0, n)
	return inst.Finish(w)
}

// runChunks runs an instance in random chunks on several workers, one after the other.
func runChunks(r *rand.Rand, inst backend.Instance, workers int) ir.FaultKind {
	inst.Begin()
	ws := make([]backend.Worker, workers)
	for i := range ws {
		ws[i] = inst.NewWorker()
	}
	n, grain, _ := inst.Units()
	type chunk struct{ lo, hi int }
	var chunks []chunk
	for lo := 0; lo < n; {
		hi := min(n, lo+grain*(1+r.IntN(4)))
		if r.IntN(4) == 0 {
			hi = n
		}
		chunks = append(chunks, chunk{lo, hi})
		lo = hi
	}
	r.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
	for _, c := range chunks {
		ws[r.IntN(workers)].Run(c.lo, c.hi)
	}
	return inst.Finish(ws[r.IntN(workers)])
}

type codeKey struct {
	be string
	k  *ir.Kernel
}

var codes = map[codeKey]backend.Code{}

// compiled returns the code of k: the same for all bindings, as in a program's cache.
func compiled(be backend.Backend, k *ir.Kernel) (backend.Code, error) {
	key := codeKey{be.Name(), k}
	if c, ok := codes[key]; ok {
		return c, nil
	}
	c, err := be.Compile(k)
	codes[key] = c
	return c, err
}

// forget drops the code of kernels that no later test uses.
func forget() { clear(codes) }

// differ compares machine code with the interpreter: of each target, or of one where tests are not wide, which skip a third of the tries too.
func differ(t *testing.T, r *rand.Rand, s *setup) {
	t.Helper()
	defer s.release()
	if r.IntN(2) == 0 { // caches that nothing fits in
		m := defaultsWith(cpucache.Sizes{L1: 64, L2: 128, L3: 192})
		m.Narrow, m.Stream, m.Gathers = r.IntN(3) > 0, r.IntN(3) > 0, r.IntN(3) > 0
		m.Fetch, m.MemFetch, m.StreamFetch = 256*r.IntN(9), 256*r.IntN(9), 256*r.IntN(9)
		defer useModel(m)()
	}
	var before, want [][]byte
	for _, m := range s.mem {
		before = append(before, slices.Clone(m))
	}
	restore := func() {
		for i, m := range s.mem {
			copy(m, before[i])
		}
	}
	fault := runAll(s.instance(t, interp.New()))
	for _, m := range s.mem {
		want = append(want, slices.Clone(m))
	}
	r = rand.New(rand.NewPCG(r.Uint64(), 1)) // so that cases do not depend on how many targets and tries there are
	for _, be := range testlevel.One(isas(t), r.IntN) {
		code, err := compiled(be, s.k)
		if err != nil {
			t.Fatalf("%v\n%v", err, s.k)
		}
		inst, err := code.Bind(s.b)
		if err != nil {
			t.Fatalf("%v\n%v", err, s.k)
		}
		if why := code.(backend.Fallback).Fallback(); why != "" {
			t.Fatalf("%s: left to the interpreter: %s\n%v", be.Name(), why, s.k)
		}
		whole := inst.NewWorker().(backend.Whole)
		skipped := -1
		if !testlevel.Wide() {
			skipped = r.IntN(3)
		}
		for try := range 6 {
			if try%3 == skipped {
				continue
			}
			restore()
			var got ir.FaultKind
			switch try {
			case 0:
				got = runAll(inst)
			case 1, 2:
				got = runChunks(r, inst, 1+r.IntN(3))
			case 5: // after a run of some units
				n, grain, _ := inst.Units()
				inst.Begin()
				whole.Run(0, n/2/max(grain, 1)*max(grain, 1))
				restore()
				got = whole.RunAll(true)
			default:
				got = whole.RunAll(try > 3)
			}
			if got != fault {
				t.Fatalf("%s: fault %v, want %v\n%v", be.Name(), got, fault, s.k)
			}
			for i, m := range s.mem {
				if m == nil {
					continue
				}
				typ := s.k.Bufs[i].Type
				if j := randir.Differ(typ, m, want[i]); j >= 0 {
					at := func(mem []byte) uint64 { return randir.Get(mem[j*typ.Size():], typ.Size()) }
					t.Fatalf("%s, try %d: %s[%d] = %#x, want %#x (was %#x)\nextents %v strides %v params %v\n%v", be.Name(), try, s.k.Bufs[i].Name, j, at(m), at(want[i]),
						at(before[i]), s.b.Extents, s.b.Bufs[i].Strides, s.b.Params, s.k)
				}
			}
		}
	}
}

// TestDiffer sees to it that the comparison of all these tests finds each element.
func TestDiffer(t *testing.T) {
	for _, typ := range dtype.Real() {
		size := typ.Size()
		for _, n := range []int{0, 1, 31, 32, 33, 255, 256, 257, 600} {
			x, y := make([]byte, n*size), make([]byte, n*size)
			for i := range n {
				if typ.IsFloat() { // NaNs of two kinds
					randir.Put(x[i*size:], size, randir.FloatBits(typ, math.NaN()))
					randir.Put(y[i*size:], size, randir.FloatBits(typ, math.NaN())^1)
				}
			}
			if at := randir.Differ(typ, x, y); at != -1 {
				t.Errorf("%s: element %d of %d equal ones differs", typ, at, n)
			}
			for i := range n {
				y := slices.Clone(y)
				y[i*size] ^= 1
				if typ.IsFloat() {
					randir.Put(y[i*size:], size, randir.FloatBits(typ, 1))
				}
				if at := randir.Differ(typ, x, y); at != i {
					t.Errorf("%s: element %d of %d differs, not %d", typ, at, n, i)
				}
			}
		}
	}
}

// TestTexts compares every kernel of testdata/ir with the interpreter.
func TestTexts(t *testing.T) {
	files, _ := filepath.Glob("../../../testdata/ir/*.ir")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".ir")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			k := parse(t, string(text))
			c, ok := randir.Texts[name]
			if !ok {
				t.Fatal("no way to bind it here")
			}
			r := rand.New(rand.NewPCG(3, 4))
			for i := range 30 {
				e, p, shapes := c(r)
				if k.Params == 0 {
					p = nil
				}
				differ(t, r, newSetup(t, r, k, e, p, shapes, i%2 == 0))
			}
		})
	}
}

var specialExtremes = []float64{0, math.Copysign(0, -1), math.NaN(), 1, -1, math.Inf(1), math.Inf(-1)}
