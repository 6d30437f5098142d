package jit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/plan/ir"
)

// TestOncePerRow tests that a sum of columns and a row has narrow vectors where these are as fast: stores bound it, as the load of
// the column is once for a row.
func TestOncePerRow(t *testing.T) {
	m := defaultsWith(cpucache.Sizes{L1: 32 << 10, L2: 1 << 20, L3: 16 << 20})
	m.Narrow = true
	defer useModel(m)()
	r := rand.New(rand.NewPCG(27, 41))
	for _, typ := range []string{"f32", "f64", "i32", "i16"} {
		k := parse(t, fmt.Sprintf("kernel outer\naxis i0 i1\nbuf c %[1]s in 1\nbuf r %[1]s in 1\nbuf y %[1]s out 2\n{\n  vec i0 i1 {\n    %%0 = load %[1]s c[i0]\n    %%1 = load %[1]s r[i1]\n    %%2 = add %[1]s %%0 %%1\n    store %[1]s y[i0, i1] %%2\n  }\n}", typ))
		e := []int{151, 333}
		s := newSetup(t, r, k, e, nil, [][]int{{e[0]}, {e[1]}, e}, true)
		for _, be := range isas(t) {
			if in := s.instance(t, be).(*instance); be.Name() == "avx512" && !in.phases[0].Narrow {
				t.Errorf("%s: wide vectors", typ)
			}
		}
		differ(t, r, s)
		forget()
	}
}

// TestAhead tests that a stencil prefetches only its leading row: it loaded the others
// one row earlier. The leading row has the highest address, or the lowest if the stride
// is negative. Its address may be in a register or in memory.
func TestAhead(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 64, L2: 1 << 20, L3: 192}))()
	const n = 1000
	u, v := make([]float32, n*n), make([]float32, n*n)
	for _, c := range []struct{ rows, step, leads int }{{3, n, 2}, {9, n, 8}, {3, -n, 0}, {9, -n, 0}} {
		text := "kernel rows\naxis i0 i1\n"
		b := &ir.Binding{Extents: []int{n - 10, n}}
		bind := func(name, mode string, p []float32, row int) {
			text += fmt.Sprintf("buf %s f32 %s 2\n", name, mode)
			if c.step < 0 {
				row += n - 11
			}
			b.Bufs = append(b.Bufs, ir.BufBind{Ptr: unsafe.Pointer(&p[row*n]), Strides: []int{c.step, 1}, Extents: b.Extents})
		}
		loop := "{\n  vec i0 i1 {\n"
		for k := range c.rows {
			bind(fmt.Sprint("u", k), "in", u, k)
			loop += fmt.Sprintf("    %%%d = load f32 u%d[i0, i1]\n", k, k)
		}
		for k := range c.rows - 1 {
			loop += fmt.Sprintf("    %%%d = add f32 %%%d %%%d\n", c.rows+k, max(0, c.rows+k-1)*min(k, 1), k+1)
		}
		bind("v", "out", v, 0)
		k := parse(t, text+loop+fmt.Sprintf("    store f32 v[i0, i1] %%%d\n  }\n}", 2*c.rows-2))
		for _, be := range isas(t) {
			code, err := be.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			in, err := code.Bind(b)
			if err != nil {
				t.Fatal(err)
			}
			for i := range c.rows {
				s := &in.(*instance).phases[0].Sites[i]
				if lead := int(s.Buf) == c.leads; s.Trails == lead {
					t.Errorf("%s, %d rows of %d: trails of row %d: %v", be.Name(), c.rows, c.step, s.Buf, s.Trails)
				}
			}
			fns, err := in.(backend.Native).Listing()
			if err != nil {
				t.Fatal(err)
			}
			bases, added := map[string]bool{}, "" // the instruction before, which adds base and index
			for _, l := range fns[0].Lines {
				switch op, arg, _ := strings.Cut(l.Text, " "); op {
				case "prefetcht1":
					bases[arg[:strings.Index(arg, "+")]] = true
				case "prfm":
					bases["of "+strings.Split(added, ",")[1]] = true
				}
				added = l.Text
			}
			if len(bases) != 1 {
				t.Errorf("%s, %d rows of %d: asks for the lines of %v", be.Name(), c.rows, c.step, bases)
			}
		}
	}
}

// TestAheadOfWindows tests that a loop over windows with steps prefetches the lines that no other site has read: of windows of three
// rows by steps of two the last two rows, once for all columns. Rows that are written out have their prefetches too, and a loop over
// an array that the second level holds, or over windows whose columns are neighbours, has none.
func TestAheadOfWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	for _, c := range []struct {
		n, l2, step int
		typ         string
		leads       []int
	}{
		{54, 1 << 13, 2, "f32", []int{5, 8}},
		{54, 1 << 20, 2, "f32", nil},
		{54, 1 << 13, 1, "f32", nil},
		{400, 1 << 13, 2, "f32", []int{5, 8}},
		{120, 1 << 13, 2, "f64", []int{5, 8}},
		{120, 1 << 13, 1, "f64", nil},
		{2000, 1 << 13, 2, "f64", nil},
	} {
		undo := useModel(defaultsWith(cpucache.Sizes{L1: 64, L2: c.l2, L3: 1 << 25}))
		const rows = 20
		e := []int{rows, c.n / 2}
		text, loop := "kernel windows\naxis i0 i1\n", "{\n  vec i0 i1 {\n"
		extents := [][]int{}
		for k := range 9 {
			text += fmt.Sprintf("buf u%d %s in 2\n", k, c.typ)
			loop += fmt.Sprintf("    %%%d = load %s u%d[i0, i1]\n", k, c.typ, k)
			extents = append(extents, e)
		}
		for k := range 8 {
			loop += fmt.Sprintf("    %%%d = add %s %%%d %%%d\n", 9+k, c.typ, max(0, 8+k)*min(k, 1), k+1)
		}
		k := parse(t, text+"buf v "+c.typ+" out 2\n"+loop+fmt.Sprintf("    store %s v[i0, i1] %%16\n  }\n}", c.typ))
		s := newSetup(t, r, k, e, nil, append(extents, e), true)
		row, typ := c.n+2, k.Bufs[0].Type
		image := make([]byte, (2*rows+2)*row*typ.Size())
		randir.Fill(image, typ, func(t dtype.Type) uint64 { return randir.MemoryBits(r, t) })
		for at := range 9 {
			b := &s.b.Bufs[at]
			b.Ptr, b.Strides = unsafe.Pointer(&image[(at/3*row+at%3)*typ.Size()]), []int{2 * row, c.step}
		}
		for _, be := range isas(t) {
			in := s.instance(t, be).(*instance)
			var leads []int
			for i := range in.phases[0].Sites {
				if x := &in.phases[0].Sites[i]; x.Buf < 9 && !x.Trails && in.phases[0].Fetch {
					leads = append(leads, int(x.Buf))
				}
			}
			if slices.Sort(leads); !slices.Equal(leads, c.leads) {
				t.Errorf("%s, rows of %d by steps of %d: prefetches for sites %v, want %v", be.Name(), c.n, c.step, leads, c.leads)
			}
			fns, err := backend.Native(in).Listing()
			if err != nil {
				t.Fatal(err)
			}
			for part, asks := range prefetches(fns[0].Lines) {
				if asks != (c.leads != nil) {
					t.Errorf("%s, rows of %d, %s: has prefetches: %v", be.Name(), c.n, part, asks)
				}
			}
		}
		differ(t, r, s)
		forget()
		undo()
	}
}

// prefetches returns which parts of code for whole vectors, by their heads, have prefetches.
func prefetches(lines []listing.Line) map[string]bool {
	parts, at := map[string]bool{}, ""
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l.Text, "main loop") || strings.HasPrefix(l.Text, "rows of"):
			at = l.Text
			parts[at] = false
		case strings.HasPrefix(l.Text, "tail"):
			at = ""
		case at != "" && (strings.HasPrefix(l.Text, "prefetch") || strings.HasPrefix(l.Text, "prfm")):
			parts[at] = true
		}
	}
	return parts
}

// TestStreamsWhatWaits tests that the stores of a loop pass the caches only if the loop waits for memory.
// A cold region does not count as arithmetic.
func TestStreamsWhatWaits(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 64, L2: 1 << 10, L3: 1 << 11}))()
	const n = 1000
	x, y := make([]float32, n), make([]float32, n)
	cold := "    %1 = const f32 1\n    %2 = lt bool %1 %0\n    %3 = cold f32 %2 %0 {\n" + adds(4, 100, 0) + "      yield %103\n    }\n    store f32 y[i0] %3\n"
	for name, c := range map[string]struct {
		loop    string
		streams bool
	}{
		"one addition":      {adds(1, 1, 0) + "    store f32 y[i0] %1\n", true},
		"a hundred":         {adds(1, 100, 0) + "    store f32 y[i0] %100\n", false},
		"a hundred, rarely": {cold, true},
	} {
		k := parse(t, "kernel k\naxis i0\nbuf x f32 in 1\nbuf y f32 out 1\n{\n  vec i0 {\n    %0 = load f32 x[i0]\n"+c.loop+"  }\n}")
		b := &ir.Binding{Extents: []int{n}, Bufs: []ir.BufBind{
			{Ptr: unsafe.Pointer(&x[0]), Strides: []int{1}, Extents: []int{n}}, {Ptr: unsafe.Pointer(&y[0]), Strides: []int{1}, Extents: []int{n}},
		}}
		for _, be := range isas(t) {
			code, err := be.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			in, err := code.Bind(b)
			if err != nil {
				t.Fatal(err)
			}
			if streams := in.(*instance).phases[0].streamed != nil; streams != c.streams {
				t.Errorf("%s, %s: streams is %v", be.Name(), name, streams)
			}
		}
	}
}

// TestStreamsOnce tests that the stores of a part of a chain pass the caches only if it stores to an element once: the next part reads
// the block of a temporary, which the next block overwrites.
func TestStreamsOnce(t *testing.T) {
	defer useModel(defaultsWith(cpucache.Sizes{L1: 64, L2: 1 << 10, L3: 1 << 11}))()
	const blocks, n = 10, 1000
	x, y := make([]float32, blocks*n), make([]float32, blocks*n)
	for at, strides := range map[string][]int{"block, i0": {n, 1}, "i0": {1}} {
		k := parse(t, fmt.Sprintf("kernel k\naxis block i0\nbuf x f32 in 2\nbuf y f32 out %d\n{\n  vec block i0 {\n    %%0 = load f32 x[block, i0]\n    store f32 y[%s] %%0\n  }\n}", len(strides), at))
		k.InOrder = true
		extents := []int{blocks, n}
		for _, be := range isas(t) {
			code, err := be.Compile(k)
			if err != nil {
				t.Fatal(err)
			}
			in, err := code.Bind(&ir.Binding{Extents: extents, Bufs: []ir.BufBind{
				{Ptr: unsafe.Pointer(&x[0]), Strides: []int{n, 1}, Extents: extents}, {Ptr: unsafe.Pointer(&y[0]), Strides: strides, Extents: extents[2-len(strides):]},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if streams := in.(*instance).phases[0].streamed != nil; streams != (len(strides) == 2) {
				t.Errorf("%s, store to [%s]: streams is %v", be.Name(), at, streams)
			}
		}
	}
}

// adds returns the text of n additions to the value number last, numbered from first on.
func adds(first, n, last int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "    %%%d = add f32 %%%d %%0\n", first+i, last)
		last = first + i
	}
	return text.String()
}
