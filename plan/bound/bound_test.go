package bound_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/prim"
	"github.com/oneloop/oneloop/plan/bound"
	"github.com/oneloop/oneloop/plan/ir"
)

var update = flag.Bool("update", false, "rewrite the files of testdata")

// parseBinding returns the binding that a text describes, with lines like
//
//	extents 300 400
//	params 3
//	x 300 400 strides 1 300
//
// Arrays without strides are contiguous.
func parseBinding(t *testing.T, k *ir.Kernel, text string) *ir.Binding {
	t.Helper()
	b := &ir.Binding{Scalars: make([]uint64, len(k.Scalars)), Bufs: make([]ir.BufBind, len(k.Bufs))}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		var lists [2][]int
		at := 0
		for _, word := range words[1:] {
			if word == "strides" {
				at = 1
				continue
			}
			x, err := strconv.Atoi(word)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			lists[at] = append(lists[at], x)
		}
		switch words[0] {
		case "extents":
			b.Extents = lists[0]
			continue
		case "params":
			b.Params = lists[0]
			continue
		}
		for i := range k.Bufs {
			if k.Bufs[i].Name == words[0] {
				b.Bufs[i] = ir.BufBind{Extents: lists[0], Strides: lists[1]}
				if at == 0 {
					b.Bufs[i].Strides = contiguous(lists[0])
				}
			}
		}
	}
	return b
}

func contiguous(extents []int) []int {
	strides, n := make([]int, len(extents)), 1
	for d := len(extents) - 1; d >= 0; d-- {
		strides[d] = n
		n *= extents[d]
	}
	return strides
}

func kernel(t *testing.T, name string) *ir.Kernel {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../testdata/ir", name+".ir"))
	if err != nil {
		t.Fatal(err)
	}
	k, err := ir.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestGolden compares the analysis of bound kernels with the goldens. A file has
// the binding, a line, and the analysis.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/bound/*.txt")
	if len(files) < 10 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			binding, want, _ := strings.Cut(string(text), "---\n")
			name, _, _ := strings.Cut(name, "-") // the name of the kernel, which may have several bindings
			k := kernel(t, name)
			n, err := bound.New(k, parseBinding(t, k, binding), true)
			if err != nil {
				t.Fatal(err)
			}
			got := n.String()
			if *update {
				if err := os.WriteFile(file, []byte(binding+"---\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != want {
				t.Errorf("%s differs (go test -run Golden -update rewrites it):\n%s", file, got)
			}
		})
	}
}

// value returns the value of an expression at positions on the axes, with the given
// values of instructions.
func value(k *ir.Kernel, b *ir.Binding, ix prim.Ix, pos []int, values int) int {
	n := k.Index.At(ix)
	switch n.Op {
	case prim.IxConst:
		return int(n.K)
	case prim.IxParam:
		return b.Params[n.K]
	case prim.IxAxis:
		return pos[n.K]
	case prim.IxValue:
		return values
	}
	x, y := value(k, b, n.A, pos, values), value(k, b, n.B, pos, values)
	switch n.Op {
	case prim.IxAdd:
		return x + y
	case prim.IxMul:
		return x * y
	case prim.IxDiv:
		return bound.FloorDiv(x, y)
	}
	return x - y*bound.FloorDiv(x, y)
}

// at returns the value of a form at positions on the axes.
func at(n *bound.Kernel, f bound.Form, pos []int) int {
	v := f.C
	for d, k := range f.Coef {
		x := n.Digits[d]
		v += k * (pos[x.Axis] / x.Weight % max(x.Extent, 1))
	}
	return v
}

// TestAddresses compares the analysis of small bindings with the coordinates of all
// accesses at all positions: offsets, bounds, what is proven, and the lines of
// loops.
func TestAddresses(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/bound/*.txt")
	direct := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txt"), "-")
		k := kernel(t, name)
		binding, _, _ := strings.Cut(string(text), "---\n")
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, 2))
			b := parseBinding(t, k, binding)
			for i := range b.Extents { // small enough to visit all positions
				for b.Extents[i] > 8 {
					b.Extents[i] = (b.Extents[i] + 1) / 2
				}
			}
			for i := range b.Bufs {
				for d := range b.Bufs[i].Extents {
					b.Bufs[i].Extents[d] = 1 + r.IntN(9)
				}
			}
			n, err := bound.New(k, b, seed%2 == 0)
			if err != nil {
				t.Fatal(err)
			}
			direct += checkAccesses(t, n, b, fmt.Sprintf("%s, seed %d", name, seed))
		}
	}
	if direct < 1000 {
		t.Errorf("only %d coordinates were compared", direct)
	}
}

// checkAccesses compares every access at all positions, and counts the coordinates.
func checkAccesses(t *testing.T, n *bound.Kernel, b *ir.Binding, what string) (compared int) {
	t.Helper()
	k := n.IR
	for i := range n.Access {
		a := &n.Access[i]
		inside := true // the access is inside the array at all positions
		for pos := range positions(n.Extents) {
			offset := 0
			for d := range a.Dims {
				dim := &a.Dims[d]
				v := value(k, b, dim.Ix, pos, 3)
				if v < dim.Lo || v > dim.Hi {
					t.Fatalf("%s: coordinate %d of access %d is %d at %v, not in %d..%d", what, d, i, v, pos, dim.Lo, dim.Hi)
				}
				if dim.Affine && at(n, dim.Form, pos) != v {
					t.Fatalf("%s: coordinate %d of access %d is %d at %v, the form %d", what, d, i, v, pos, at(n, dim.Form, pos))
				}
				out := v < 0 || v >= dim.Extent
				if out && dim.Proven() {
					t.Fatalf("%s: coordinate %d of access %d is %d at %v, outside %d", what, d, i, v, pos, dim.Extent)
				}
				if dim.Direct() {
					offset += v * dim.Stride
				}
				inside = inside && !out
				compared++
			}
			if at(n, a.Offset, pos) != offset {
				t.Fatalf("%s: the offset of access %d is %d at %v, not %d", what, i, at(n, a.Offset, pos), pos, offset)
			}
		}
		if !inside && a.Proven() {
			t.Fatalf("%s: access %d is not proven", what, i)
		}
		for l := range k.Loops {
			checkLine(t, n, a.Offset, k.Loops[l].Axes, what)
		}
	}
	return compared
}

// checkLine compares the line of a form with the form at all positions of a loop.
// The positions of the other axes are 1.
func checkLine(t *testing.T, n *bound.Kernel, f bound.Form, axes []int32, what string) {
	t.Helper()
	digits := n.Order(axes)
	for d, k := range f.Coef {
		if k != 0 && len(n.OfAxis[n.Digits[d].Axis]) > 1 {
			return // a line takes positions outside the loop by axis, not by digit
		}
	}
	l := n.Lines(digits, f)[0]
	pos := make([]int, len(n.Extents))
	for i := range pos {
		pos[i] = min(1, max(n.Extents[i]-1, 0))
	}
	inner := make([]int, len(axes))
	for i, a := range axes {
		inner[i] = n.Extents[a]
	}
	p := 0
	for at0 := range positions(inner) {
		for i, a := range axes {
			pos[a] = at0[i]
		}
		v, _ := bound.Inner(l.Spans, p)
		if got, want := l.At(pos)+v, at(n, f, pos); got != want {
			t.Fatalf("%s: the line has %d at %v, the form %d", what, got, pos, want)
		}
		p++
	}
}

// positions iterates over all positions, in row-major order.
func positions(extents []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		total := 1
		for _, e := range extents {
			total *= e
		}
		pos := make([]int, len(extents))
		for p := range total {
			for i, q := len(extents)-1, p; i >= 0; i-- {
				pos[i] = q % extents[i]
				q /= extents[i]
			}
			if !yield(pos) {
				return
			}
		}
	}
}

// TestForward compares the offsets of the accesses of a map at all positions before and after its stores were turned: the same
// ones together. A map that uses its positions, or may read outside an array, keeps them.
func TestForward(t *testing.T) {
	for text, turned := range map[string]bool{
		"%0 = load f32 x[i0, i1]\nstore f32 y[i0, 4-i1] %0":                              true,
		"%0 = load f32 x[i0, 4-i1]\nstore f32 y[2-i0, 4-i1] %0":                          true,
		"%0 = load f32 x[i0, i1]\nstore f32 y[2-i0, i1] %0":                              false,
		"%0 = load f32 x[i0, i1]\nstore f32 y[i0, 4-i1] %0\nstore f32 z[i0, i1] %0":      false,
		"%0 = load f32 x[i0, i1+1] clamp\nstore f32 y[i0, 4-i1] %0":                      false,
		"%1 = index i1\n%0 = cvt f32 %1\nstore f32 y[i0, 4-i1] %0":                       false,
		"%0 = load f32 x[i0, i1]\nstore f32 y[i0, 4-i1] %0\nstore f32 z[2-i0, 4-i1] %0":  true,
		"%0 = load f32 x[i0, i1]\n%1 = load f32 y[i0, 4-i1]\nstore f32 y[i0, 4-i1] %0\n": true,
	} {
		k, err := ir.Parse("kernel map\naxis i0 i1\nbuf x f32 in 2\nbuf y f32 inout 2\nbuf z f32 out 2\n{\nvec i0 i1 {\n" + text + "\n}\n}\n")
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		offsets := func(turn bool) (all []string, step int) {
			n, err := bound.New(k, parseBinding(t, k, "extents 3 5\nx 3 5\ny 3 5\nz 3 5\n"), false)
			if err != nil {
				t.Fatal(err)
			}
			if turn {
				n.Forward()
			}
			for pos := range positions(n.Extents) {
				var of []int
				for i := range n.Access {
					of = append(of, at(n, n.Access[i].Offset, pos))
				}
				all = append(all, fmt.Sprint(of))
			}
			slices.Sort(all)
			for _, a := range n.Access {
				if n.IR.Bufs[a.Buf].Name == "y" {
					step = a.Offset.Coef[1]
				}
			}
			return all, step
		}
		before, was := offsets(false)
		after, is := offsets(true)
		if !slices.Equal(before, after) || (is != was) != turned {
			t.Errorf("%s: the steps of the store are %d and %d, want a turn: %v; the offsets %v and %v", text, was, is, turned, before, after)
		}
	}
}

func TestClip(t *testing.T) {
	for c := -9; c <= 9; c++ {
		for k := -3; k <= 3; k++ {
			for extent := range 8 {
				lo, hi := bound.Clip(2, 12, c, k, extent)
				for i := 2; i < 12; i++ {
					inside := c+k*i >= 0 && c+k*i < extent
					if got := i >= lo && i < hi; got != inside {
						t.Fatalf("%d + %d*%d of %d: inside %v, clipped %d..%d", c, k, i, extent, inside, lo, hi)
					}
				}
			}
		}
	}
}

func TestUnits(t *testing.T) {
	for name, want := range map[string]bound.UnitKind{
		"adam": bound.ElementUnits, "fullsum": bound.BlockUnits, "softmax": bound.RowUnits, "colsum": bound.ElementUnits,
	} {
		if got, _ := bound.UnitsOf(kernel(t, name)); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestNewRefuses checks that New returns errors for numbers that do not fit.
func TestNewRefuses(t *testing.T) {
	k := kernel(t, "im2col")
	b := &ir.Binding{Extents: []int{4, 4}, Params: make([]int, 6), Bufs: []ir.BufBind{
		{Extents: []int{1, 1, 1, 1}, Strides: make([]int, 4)}, {Extents: []int{4, 4}, Strides: []int{4, 1}},
	}}
	if _, err := bound.New(k, b, true); err == nil {
		t.Error("division by parameters that are 0 is no error")
	}
	if _, err := bound.New(k, &ir.Binding{}, true); err == nil {
		t.Error("a binding without extents is no error")
	}
}
