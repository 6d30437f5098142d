package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/lower"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// A writer writes a random kernel.
type writer struct {
	r     *rand.Rand
	cases []primCase
	decl  strings.Builder
	body  strings.Builder
	vals  map[dtype.Type][]int
	next  int
	bufs  int
	shape [][]int
	n     []int // extents
	types []dtype.Type
	depth int
}

func (w *writer) name() int { w.next++; return w.next - 1 }

// value returns a value of type t: an old one, or a new one from an array, a scalar
// or a constant.
func (w *writer) value(t dtype.Type) int {
	if v := w.vals[t]; len(v) > 0 && w.r.IntN(8) != 0 {
		if w.r.IntN(2) == 0 {
			return v[len(v)-1-w.r.IntN(min(len(v), 3))]
		}
		return v[w.r.IntN(len(v))]
	}
	id := w.name()
	pad := strings.Repeat(" ", 4)
	switch w.r.IntN(5) {
	case 0:
		fmt.Fprintf(&w.body, "%s%%%d = const %s %#x\n", pad, id, t.Short(), randir.MemoryBits(w.r, t)&1|randir.MemoryBits(w.r, t)*frame.Bit(t != dtype.Bool)&(1<<(8*t.Size()-1)-1))
	case 1:
		fmt.Fprintf(&w.body, "%s%%%d = load %s b%d[i0]\n", pad, id, t.Short(), w.buf(t, "in", 1))
	default:
		fmt.Fprintf(&w.body, "%s%%%d = load %s b%d[i0, i1]\n", pad, id, t.Short(), w.buf(t, "in", 2))
	}
	w.vals[t] = append(w.vals[t], id)
	return id
}

func (w *writer) buf(t dtype.Type, mode string, rank int) int {
	mem := t
	if t == dtype.F32 {
		mem = []dtype.Type{dtype.F32, dtype.F32, dtype.F16, dtype.BF16}[w.r.IntN(4)]
	}
	fmt.Fprintf(&w.decl, "buf b%d %s %s %d\n", w.bufs, mem.Short(), mode, rank)
	w.shape = append(w.shape, w.n[:rank])
	w.bufs++
	return w.bufs - 1
}

func (w *writer) step() {
	if w.depth == 0 && w.r.IntN(12) == 0 {
		w.cold()
		return
	}
	c := &w.cases[w.r.IntN(len(w.cases))]
	for _, t := range append([]dtype.Type{c.typ}, c.args...) {
		ok := false
		for _, u := range w.types {
			ok = ok || t == u
		}
		if !ok {
			return
		}
	}
	var args []any
	for _, t := range c.args {
		args = append(args, fmt.Sprintf("%%%d", w.value(t)))
	}
	id := w.name()
	fmt.Fprintf(&w.body, "    %%%d = %s\n", id, fmt.Sprintf(c.text, args...))
	w.vals[c.typ] = append(w.vals[c.typ], id)
}

func (w *writer) cold() {
	t := w.types[w.r.IntN(len(w.types))]
	p, fast := w.value(dtype.Bool), w.value(t)
	id := w.name()
	fmt.Fprintf(&w.body, "    %%%d = cold %s %%%d %%%d {\n", id, t.Short(), p, fast)
	saved := map[dtype.Type][]int{}
	for t, v := range w.vals {
		saved[t] = append([]int{}, v...)
	}
	w.depth++
	for range 1 + w.r.IntN(12) {
		w.step()
	}
	fmt.Fprintf(&w.body, "      yield %%%d\n    }\n", w.value(t))
	w.depth--
	w.vals = saved
	w.vals[t] = append(w.vals[t], id)
}

// plainCases returns the primitives whose results have the same bits on all back ends.
func plainCases() (cases []primCase) {
	for _, c := range primCases() {
		if c.pre == "" && !(strings.HasPrefix(c.text, "bitcast") && c.args[0].IsFloat()) { // the bits of a NaN may differ
			cases = append(cases, c)
		}
	}
	return cases
}

// straight compares one random loop, long enough to spill, with the interpreter.
func straight(t *testing.T, seed uint64, cases []primCase) {
	types := [][]dtype.Type{
		registers,
		{dtype.Bool, dtype.F32, dtype.I32},
		{dtype.Bool, dtype.F32},
		{dtype.Bool, dtype.F64, dtype.I64},
		{dtype.Bool, dtype.F32, dtype.I32, dtype.U32, dtype.U8, dtype.I8},
		{dtype.Bool, dtype.I16, dtype.U16, dtype.I8, dtype.I32},
	}
	straightOf(t, seed, cases, types[seed%6], true)
}

// straightOf is straight with values of some types, and with cold regions or without. It
// returns the instances that it compared.
func straightOf(t *testing.T, seed uint64, cases []primCase, types []dtype.Type, cold bool) (instances []backend.Instance) {
	defer naming(t, seed)
	r := rand.New(rand.NewPCG(seed, 11))
	w := &writer{r: r, cases: cases, vals: map[dtype.Type][]int{}, n: []int{1 + r.IntN(5), 1 + r.IntN(200)}}
	w.types = types
	if !cold {
		w.depth = 1
	}
	rows := r.IntN(3) == 0
	for range 5 + r.IntN(120) {
		w.step()
	}
	var end strings.Builder
	for _, t := range w.types {
		for _, v := range w.vals[t] {
			if r.IntN(4) == 0 {
				fmt.Fprintf(&w.body, "    store %s b%d[i0, i1] %%%d\n", t.Short(), w.buf(t, "out", 2), v)
			}
		}
		if v := w.vals[t]; len(v) > 0 && rows {
			id := w.name()
			op := "sum"
			if t == dtype.Bool {
				op = "any"
			}
			fmt.Fprintf(&w.body, "    %%%d = reduce %s %s %%%d\n", id, op, t.Short(), v[len(v)-1])
			fmt.Fprintf(&end, "    store %s b%d[i0] %%%d\n", t.Short(), w.buf(t, "out", 1), id)
		}
	}
	open := "  vec i0 i1 {\n"
	if rows {
		open = "  par i0 {\n  vec i1 {\n"
		end.WriteString("  }\n")
	}
	k := parse(t, "kernel random\naxis i0 i1\n"+w.decl.String()+"{\n"+open+w.body.String()+"  }\n"+end.String()+"}\n")
	s := newSetup(t, r, k, w.n, nil, w.shape, r.IntN(2) == 0)
	for _, be := range isas(t) {
		instances = append(instances, s.instance(t, be))
	}
	differ(t, r, s)
	forget()
	return instances
}

// TestNarrowLanes compares random loops over integers of 8 and of 16 bits and predicates with
// the interpreter. Most of them run in lanes of this size.
func TestNarrowLanes(t *testing.T) {
	for size, types := range map[int][]dtype.Type{
		1: {dtype.Bool, dtype.I8, dtype.U8},
		2: {dtype.Bool, dtype.I8, dtype.U8, dtype.I16, dtype.U16},
	} {
		t.Run(fmt.Sprint(8*size), func(t *testing.T) { narrowLanes(t, size, types) })
	}
}

func narrowLanes(t *testing.T, size int, types []dtype.Type) {
	cases := slices.DeleteFunc(plainCases(), func(c primCase) bool { return strings.HasPrefix(c.name, "div") || strings.HasPrefix(c.name, "rem") })
	rounds := 1000
	if !testlevel.Deep() {
		rounds = 60
	}
	narrow, all := 0, 0
	for seed := range rounds {
		for _, in := range straightOf(t, uint64(seed), cases, types, false) {
			for _, bp := range in.(*instance).phases {
				if bp.Lowered.Kind == lower.MapPhase {
					all++
					narrow += int(frame.Bit(bp.LaneSize == size))
				}
			}
		}
	}
	if narrow < all/4 {
		t.Errorf("lanes of %d bits run %d phases of %d", 8*size, narrow, all)
	}
}

// TestRandom compares random loops with the interpreter.
func TestRandom(t *testing.T) {
	cases := plainCases()
	rounds := uint64(600)
	if !testlevel.Deep() {
		rounds = 20
	}
	for seed := range rounds {
		straight(t, seed, cases)
	}
}

// FuzzStraight is TestRandom with seeds from the fuzzer.
func FuzzStraight(f *testing.F) {
	cases := plainCases()
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { straight(t, seed, cases) })
}
