package cudagen_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

var h200 = cudagen.Device{SMs: 132, Shared: 227 << 10}

// vectors binds n elements to each of the buffers of k, a mebibyte apart.
func vectors(k *ir.Kernel, n int) (*ir.Binding, []uint64) {
	b := &ir.Binding{Extents: []int{n}, Params: make([]int, k.Params), Scalars: make([]uint64, len(k.Scalars))}
	var addresses []uint64
	for i := range k.Bufs {
		b.Bufs = append(b.Bufs, ir.BufBind{Strides: []int{1}, Extents: []int{n}})
		addresses = append(addresses, uint64(i+1)<<20)
	}
	return b, addresses
}

func generate(t *testing.T, k *ir.Kernel, b *ir.Binding, addresses []uint64) (cudagen.Layout, *cudagen.Source) {
	t.Helper()
	l, err := cudagen.LayoutOf(k, b, addresses, h200)
	if err != nil {
		t.Fatal(err)
	}
	return l, cudagen.Generate(k, l)
}

// TestLayouts checks which changes of a binding change the layout, and with it the
// source.
func TestLayouts(t *testing.T) {
	k := parse(t, "adam")
	b, at := vectors(k, 1000)
	l, s := generate(t, k, b, at)
	for _, c := range []struct {
		name   string
		change func(b *ir.Binding, at []uint64)
		same   bool
		want   string // in the source
	}{
		{"as before", func(*ir.Binding, []uint64) {}, true, "pack<f32, 4>"},
		{"other addresses", func(_ *ir.Binding, at []uint64) { at[2] += 4096 }, true, "pack<f32, 4>"},
		{"more elements", func(b *ir.Binding, _ []uint64) { setExtent(b, 2000) }, true, "pack<f32, 4>"},
		{"elements left over", func(b *ir.Binding, _ []uint64) { setExtent(b, 1001) }, false, "if (at > a.e0 - 4)"},
		{"alignment of 8", func(_ *ir.Binding, at []uint64) { at[0] += 8 }, false, "pack<f32, 2>"},
		{"alignment of 4", func(_ *ir.Binding, at []uint64) { at[0] += 4 }, false, "const ix d0 = i;"},
		{"strides", func(b *ir.Binding, _ []uint64) { b.Bufs[3].Strides = []int{2} }, false, "d0*a.g_0_d0"},
		{"broadcast", func(b *ir.Binding, _ []uint64) { b.Bufs[3].Strides = []int{0} }, false, "a.g_0[0]"},
		{"many elements", func(b *ir.Binding, _ []uint64) { setExtent(b, 1<<30) }, false, "typedef i64 ix;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, at := vectors(k, 1000)
			c.change(b, at)
			l2, s2 := generate(t, k, b, at)
			if same := l.String() == l2.String(); same != c.same {
				t.Errorf("the layouts are equal: %t\n%v\n%v", same, l, l2)
			}
			if same := s.Code == s2.Code; same != c.same {
				t.Errorf("the sources are equal: %t", same)
			}
			if !strings.Contains(strings.TrimPrefix(s2.Code, cudagen.Prelude), c.want) {
				t.Errorf("no %q in\n%s", c.want, strings.TrimPrefix(s2.Code, cudagen.Prelude))
			}
			// Bind returns an error for the numbers of another layout. It does not
			// check the alignment of addresses; the caller is responsible for that.
			_, err := s.Bind(b, h200)
			if aligned := !strings.HasPrefix(c.name, "alignment"); aligned && (err == nil) != c.same {
				t.Errorf("binding it to the first source: %v", err)
			}
			if _, err := s2.Bind(b, h200); err != nil {
				t.Error(err)
			}
		})
	}
}

func setExtent(b *ir.Binding, n int) {
	b.Extents[0] = n
	for i := range b.Bufs {
		b.Bufs[i].Extents = []int{n}
	}
}

// TestRereads checks that a loop has no vectors if two of its arrays are the same
// memory: a load after a store must see the stored value.
func TestRereads(t *testing.T) {
	k, err := ir.Parse(`kernel rereads
axis i0
buf x f32 in 1
buf y f32 out 1
buf z f32 out 1
{
  vec i0 {
    %0 = load f32 x[i0]
    %1 = neg f32 %0
    store f32 y[i0] %1
    %2 = load f32 x[i0]
    store f32 z[i0] %2
  }
}`)
	if err != nil {
		t.Fatal(err)
	}
	b, at := vectors(k, 64)
	if _, s := generate(t, k, b, at); !strings.Contains(s.Code, "pack<f32, 4> x") {
		t.Error("no vectors")
	}
	at[1] = at[0]
	if _, s := generate(t, k, b, at); strings.Contains(s.Code, "pack<f32, 4> x") {
		t.Error("vectors, although x and y are one array")
	}
}

// TestGrids checks that each thread of a light loop has one vector, and that a loop with a
// long body has a grid of a limited size.
func TestGrids(t *testing.T) {
	for _, c := range []struct {
		adds int
		grid uint32
	}{{20, 97657}, {30, 64 * 132}} {
		var w strings.Builder
		w.WriteString("kernel adds\naxis i0\nbuf x f32 in 1\nbuf y f32 out 1\n{\n  vec i0 {\n    %0 = load f32 x[i0]\n")
		for i := range c.adds {
			fmt.Fprintf(&w, "    %%%d = add f32 %%%d %%0\n", i+1, i)
		}
		fmt.Fprintf(&w, "    store f32 y[i0] %%%d\n  }\n}", c.adds)
		k, err := ir.Parse(w.String())
		if err != nil {
			t.Fatal(err)
		}
		b, _ := vectors(k, 1e8)
		_, s := generate(t, k, b, []uint64{1 << 30, 1 << 31})
		bound, err := s.Bind(b, h200)
		if err != nil {
			t.Fatal(err)
		}
		if got := bound.Launches[0].Grid[0]; got != c.grid {
			t.Errorf("%d additions: %d blocks, want %d", c.adds, got, c.grid)
		}
	}
}

// TestShifted checks the vectors of rows that begin between aligned addresses, and where there
// are none.
func TestShifted(t *testing.T) {
	const text = `kernel shifted
axis i0 i1
buf x f32 in 2
buf y f32 in 2
buf z f32 out 2
{
  vec i0 i1 {
    %0 = load f32 x[i0, i1]
    %1 = load f32 y[i0, i1]
    %2 = add f32 %0 %1
    store f32 z[i0, i1] %2
  }
}`
	mixed := strings.NewReplacer("buf y f32", "buf y i32", "load f32 y[i0, i1]", "load i32 y[i0, i1]\n    %3 = cvt f32 %1", "%0 %1", "%0 %3").Replace(text)
	for _, c := range []struct {
		name            string
		n, stride, y, z int // the row length; the stride of rows; where y and z begin, in elements
		want            string
	}{
		{"whole rows", 128, 132, 0, 0, "x0 = *(const pack<f32, 4> *)"},
		{"before rows", 128, 132, 3, 3, "*4 - 3;"},
		{"after rows", 129, 132, 4, 4, "if (at > a.e1 - 4)"},
		{"beside", 128, 132, 1, 0, "const int k = j + 1;"},
		{"beside integers", 128, 132, 1, 0, "prim::load(a.y_0["},
		{"far beside", 128, 132, 4, 0, "x1 = *(const pack<f32, 4> *)"},
		{"pairs", 128, 130, 1, 1, "*2 - 1;"},
		{"odd rows", 128, 131, 1, 1, "for (ix one"},
		{"short rows", 100, 132, 3, 3, "*2 - 1;"},
		{"shorter rows", 60, 132, 3, 3, "for (ix one"},
	} {
		text := text
		if c.name == "beside integers" {
			text = mixed
		}
		k, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		at := []uint64{1 << 20, 1 << 20, 1 << 22}
		at[0] += uint64(4 * c.z) // x is aligned as z is
		at[1] += uint64(4 * c.y)
		at[2] += uint64(4 * c.z)
		b := &ir.Binding{Extents: []int{9, c.n}}
		for range k.Bufs {
			b.Bufs = append(b.Bufs, ir.BufBind{Strides: []int{c.stride, 1}, Extents: []int{9, c.n}})
		}
		_, s := generate(t, k, b, at)
		if _, err := s.Bind(b, h200); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if !strings.Contains(s.Code, c.want) {
			t.Errorf("%s: no %q in\n%s", c.name, c.want, strings.TrimPrefix(s.Code, cudagen.Prelude))
		}
	}
}

// recount loads the elements of a row in two loops; the second stores a row buffer.
const recount = `kernel recount
axis i0 i1
buf x i32 in 2
buf e %[1]s row [i1]
buf z %[1]s out 2
{
  par i0 {
    vec i1 {
      %%0 = load i32 x[i0, i1]
      %%1 = reduce max i32 %%0
    }
    vec i1 {
      %%2 = load i32 x[i0, i1]
      %%3 = sub i32 %%2 %%1
      %%4 = cvt %[1]s %%3
      store %[1]s e[i1] %%4
      %%5 = reduce sum %[1]s %%4
    }
    vec i1 {
      %%6 = load %[1]s e[i1]
      %%7 = add %[1]s %%6 %%5
      store %[1]s z[i0, i1] %%7
    }
  }
}`

// TestCopyTypes checks that a copy has the memory of a row buffer only if that has the same
// type: a compiler may let a store pass a load of another type.
func TestCopyTypes(t *testing.T) {
	for typ, shared := range map[string]bool{"u32": false, "f32": false, "i32": true} {
		text := fmt.Sprintf(recount, typ)
		if typ == "i32" {
			text = strings.Replace(text, "cvt i32 %3", "neg i32 %3", 1)
		}
		k, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		b := &ir.Binding{Extents: []int{1000, 1024}, Bufs: make([]ir.BufBind, 3)}
		b.Bufs[0] = ir.BufBind{Strides: []int{1024, 1}, Extents: []int{1000, 1024}}
		b.Bufs[2] = b.Bufs[0]
		_, s := generate(t, k, b, []uint64{1 << 33, 0, 1 << 34})
		if !strings.Contains(s.Code, "copy_0") || strings.Contains(s.Code, "copy_0 = (i32 *)row_e") != shared {
			t.Errorf("%s: %s", typ, strings.TrimPrefix(s.Code, cudagen.Prelude))
		}
	}
}

// pairwise reduces rows of operands that are broadcast.
const pairwise = `kernel pairwise
axis i0 i1
buf x f32 in 1
buf y f32 in 1
buf z f32 out 1
{
  par i0 {
    %0 = load f32 x[i0]
    vec i1 {
      %1 = load f32 y[i1]
      %2 = mul f32 %1 %0
      %3 = reduce sum f32 %2
    }
    store f32 z[i0] %3
  }
}`

// TestManyBlocks checks that rows are not split into more blocks than an index counts, or
// than arrays of such rows would have.
func TestManyBlocks(t *testing.T) {
	k, err := ir.Parse(pairwise)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows, width int
		split       bool
	}{
		{1 << 14, 1 << 17, true},
		{1 << 18, 1 << 17, false},
		{1 << 27, 1 << 17, false}, // 2^32 blocks
		{8, 1 << 28, true},
	} {
		b := &ir.Binding{Extents: []int{c.rows, c.width}}
		for _, n := range []int{c.rows, c.width, c.rows} {
			b.Bufs = append(b.Bufs, ir.BufBind{Strides: []int{1}, Extents: []int{n}})
		}
		_, s := generate(t, k, b, []uint64{1 << 33, 1 << 34, 1 << 35})
		bound, err := s.Bind(b, h200)
		if err != nil {
			t.Fatal(err)
		}
		if split := len(s.Entries) == 2; split != c.split || bound.Scratch > 64<<20 {
			t.Errorf("%d rows of %d: split %t, %d bytes of scratch memory", c.rows, c.width, split, bound.Scratch)
		}
	}
}

// TestSetArgs checks that the argument struct has the addresses and scalars.
func TestSetArgs(t *testing.T) {
	k := parse(t, "masks") // reads x backwards, from its last element
	b, at := vectors(k, 100)
	b.Params[0] = 100
	b.Bufs[3], b.Bufs[4] = ir.BufBind{}, ir.BufBind{}
	_, s := generate(t, k, b, at)
	bound, err := s.Bind(b, h200)
	if err != nil {
		t.Fatal(err)
	}
	scalars, scratch := []uint64{0x3f800000}, uint64(7)<<40
	bound.SetArgs(at, scalars, scratch, 0)
	var words []uint64
	for i := 0; i+8 <= len(bound.Args); i += 8 {
		words = append(words, binary.LittleEndian.Uint64(bound.Args[i:]))
	}
	for _, w := range append(slices.Clone(at[1:]), at[0]+4*99, scalars[0], scratch) {
		if !slices.Contains(words, w) {
			t.Errorf("no %#x in %#x", w, words)
		}
	}
	if n := testlevel.Allocs(10, func() { bound.SetArgs(at, scalars, scratch, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if bound.Scratch == 0 || len(bound.Launches) != len(s.Entries) {
		t.Errorf("%d bytes of scratch memory, %d launches of %d entries", bound.Scratch, len(bound.Launches), len(s.Entries))
	}
}

// TestManyArguments checks that a launch passes large arguments by address.
func TestManyArguments(t *testing.T) {
	for arrays, indirect := range map[int]bool{150: false, 300: true} {
		var head, body strings.Builder
		for i := range arrays {
			fmt.Fprintf(&head, "buf x%d f32 in 2\n", i)
			fmt.Fprintf(&body, "    %%%d = load f32 x%d[i0, i1]\n", i, i)
		}
		k, err := ir.Parse("kernel big\naxis i0 i1\n" + head.String() + "buf y f32 out 2\n{\n  vec i0 i1 {\n" + body.String() + "    store f32 y[i0, i1] %0\n  }\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		b := &ir.Binding{Extents: []int{4, 4}}
		for i := range k.Bufs {
			b.Bufs = append(b.Bufs, ir.BufBind{Strides: []int{i + 5, 2}, Extents: []int{4, 4}})
		}
		_, s := generate(t, k, b, make([]uint64, len(k.Bufs)))
		bound, err := s.Bind(b, h200)
		if err != nil {
			t.Fatal(err)
		}
		large := len(bound.Args) > 4096
		if s.Indirect != indirect || large != indirect || strings.Contains(s.Code, "const values *at;") != indirect {
			t.Errorf("%d arrays: %d bytes of arguments, indirect %t, in\n%s", arrays, len(bound.Args), s.Indirect, strings.TrimPrefix(s.Code, cudagen.Prelude))
		}
	}
}

// TestBindErrors checks the errors for bindings that do not fit the kernel.
func TestBindErrors(t *testing.T) {
	k := parse(t, "adam")
	for name, change := range map[string]func(b *ir.Binding, at *[]uint64){
		"no extents":      func(b *ir.Binding, _ *[]uint64) { b.Extents = nil },
		"a negative one":  func(b *ir.Binding, _ *[]uint64) { b.Extents[0] = -1 },
		"a buffer less":   func(b *ir.Binding, _ *[]uint64) { b.Bufs = b.Bufs[:3] },
		"another rank":    func(b *ir.Binding, _ *[]uint64) { b.Bufs[1].Strides = []int{1, 2} },
		"an address less": func(_ *ir.Binding, at *[]uint64) { *at = (*at)[:2] },
	} {
		b, at := vectors(k, 10)
		change(b, &at)
		if _, err := cudagen.LayoutOf(k, b, at, h200); err == nil || !strings.HasPrefix(err.Error(), "cudagen: adam: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestRaised checks the fault that Raised reads from the fault words.
func TestRaised(t *testing.T) {
	for _, c := range []struct {
		divide, index uint32
		want          ir.FaultKind
	}{{0, 0, ir.NoFault}, {1, 0, ir.DivideFault}, {0, 1, ir.IndexFault}, {1, 1, ir.DivideFault}} {
		words := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, c.divide), c.index)
		if got := cudagen.Raised(words); got != c.want || len(words) != cudagen.FaultBytes {
			t.Errorf("%v: %v, want %v", words, got, c.want)
		}
	}
}
