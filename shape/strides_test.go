package shape

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// each calls f with every index of s in row-major order.
func each(s Shape, f func(ix []int)) {
	ix := make([]int, len(s))
	for n := s.Size(); n > 0; n-- {
		f(ix)
		for i := len(s) - 1; i >= 0; i-- {
			if ix[i]++; ix[i] < s[i] {
				break
			}
			ix[i] = 0
		}
	}
}

// positions returns the positions of the elements, in row-major order.
func positions(s Shape, st Strides) []int {
	var out []int
	each(s, func(ix []int) {
		p := 0
		for i, x := range ix {
			p += x * st[i]
		}
		out = append(out, p)
	})
	return out
}

func randomShape(r *rand.Rand, maxRank int, extents ...int) Shape {
	s := make(Shape, r.IntN(maxRank+1))
	for i := range s {
		s[i] = extents[r.IntN(len(extents))]
	}
	return s
}

// randomStrides returns strides of views as programs make them: contiguous,
// permuted, sliced, flipped and broadcast.
func randomStrides(r *rand.Rand, s Shape) Strides {
	perm := r.Perm(len(s))
	if r.IntN(2) == 0 {
		slices.Sort(perm)
	}
	st, n := make(Strides, len(s)), 1
	for i := len(perm) - 1; i >= 0; i-- {
		p := perm[i]
		st[p] = n
		n *= max(s[p], 1)
		switch r.IntN(12) {
		case 0:
			st[p] = 0
		case 1:
			st[p] = -st[p]
		case 2:
			n *= 2
		case 3:
			if s[p] == 1 {
				st[p] = 77
			}
		}
	}
	return st
}

func TestStrides(t *testing.T) {
	for _, tt := range []struct {
		s    Shape
		c, f Strides
	}{
		{nil, Strides{}, Strides{}},
		{Shape{5}, Strides{1}, Strides{1}},
		{Shape{2, 3, 4}, Strides{12, 4, 1}, Strides{1, 2, 6}},
		{Shape{2, 0, 4}, Strides{4, 4, 1}, Strides{1, 2, 2}},
	} {
		if got := tt.s.Strides(); !slices.Equal(got, tt.c) {
			t.Errorf("%v.Strides() = %v", tt.s, got)
		}
		if got := tt.s.FortranStrides(); !slices.Equal(got, tt.f) {
			t.Errorf("%v.FortranStrides() = %v", tt.s, got)
		}
	}
}

func TestBroadcast(t *testing.T) {
	for _, tt := range []struct {
		in   []Shape
		want Shape
		err  string
	}{
		{nil, Shape{}, ""},
		{[]Shape{{3, 4}, {}}, Shape{3, 4}, ""},
		{[]Shape{{3, 1}, {4}}, Shape{3, 4}, ""},
		{[]Shape{{0}, {1}}, Shape{0}, ""},
		{[]Shape{{2, 0}, {2, 1}, {1, 0}}, Shape{2, 0}, ""},
		{[]Shape{{0}, {2}}, nil, "shapes [0] and [2] do not broadcast"},
		{[]Shape{{3, 4}, {5}}, nil, "shapes [3 4] and [5] do not broadcast"},
		{[]Shape{{}, {1, 4}, {3, 4}, {2, 1}}, nil, "shapes [3 4] and [2 1] do not broadcast"},
	} {
		got, err := Broadcast(tt.in...)
		if tt.err != "" {
			wantErr(t, err, tt.err)
		} else if err != nil || !got.Equal(tt.want) {
			t.Errorf("Broadcast(%v) = %v, %v, want %v", tt.in, got, err, tt.want)
		}
	}
}

// pairwise returns the broadcast of two shapes, by the rule for one dimension.
func pairwise(a, b Shape) (Shape, bool) {
	for len(a) < len(b) {
		a = append(Shape{1}, a...)
	}
	for len(b) < len(a) {
		b = append(Shape{1}, b...)
	}
	out := make(Shape, len(a))
	for i := range a {
		switch {
		case a[i] == b[i], b[i] == 1:
			out[i] = a[i]
		case a[i] == 1:
			out[i] = b[i]
		default:
			return nil, false
		}
	}
	return out, true
}

func TestBroadcastRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	good := 0
	for range 20000 {
		shapes := make([]Shape, 1+r.IntN(4))
		want, ok := Shape{}, true
		for i := range shapes {
			shapes[i] = randomShape(r, 3, 0, 1, 1, 1, 3, 3, 3, 4)
			if ok {
				want, ok = pairwise(want, shapes[i])
			}
		}
		got, err := Broadcast(shapes...)
		if (err == nil) != ok || !got.Equal(want) {
			t.Fatalf("Broadcast(%v) = %v, %v, want %v", shapes, got, err, want)
		}
		if !ok {
			continue
		}
		good++
		for _, s := range shapes {
			st := randomStrides(r, s)
			bst, err := st.BroadcastTo(s, got)
			if err != nil {
				t.Fatal(err)
			}
			var want []int
			each(got, func(ix []int) {
				p := 0
				for i, x := range ix[len(got)-len(s):] {
					p += x % s[i] * st[i]
				}
				want = append(want, p)
			})
			if g := positions(got, bst); !slices.Equal(g, want) {
				t.Fatalf("%v.BroadcastTo(%v, %v) = %v", st, s, got, bst)
			}
		}
	}
	if good < 2000 {
		t.Errorf("only %d cases broadcast", good)
	}
}

func TestBroadcastTo(t *testing.T) {
	st, err := Strides{9, 5}.BroadcastTo(Shape{1, 2}, Shape{3, 1, 2})
	if err != nil || !slices.Equal(st, Strides{0, 9, 5}) {
		t.Error(st, err)
	}
	_, err = Strides{1}.BroadcastTo(Shape{3}, Shape{4})
	wantErr(t, err, "shape [3] does not broadcast to [4]")
	_, err = Strides{1}.BroadcastTo(Shape{3}, Shape{1}) // not both ways
	wantErr(t, err, "shape [3] does not broadcast to [1]")
	_, err = Strides{1, 1}.BroadcastTo(Shape{1, 1}, Shape{1})
	wantErr(t, err, "shape [1 1] does not broadcast to [1]")
}

func TestIsContiguous(t *testing.T) {
	for _, tt := range []struct {
		s    Shape
		st   Strides
		want bool
	}{
		{nil, nil, true},
		{Shape{2, 3}, Strides{3, 1}, true},
		{Shape{2, 3}, Strides{1, 2}, false},
		{Shape{3}, Strides{-1}, false},
		{Shape{3}, Strides{0}, false},
		{Shape{1, 3, 1}, Strides{7, 1, 9}, true},
		{Shape{1}, Strides{0}, true},
		{Shape{0, 3}, Strides{5, 7}, true},
		{Shape{3, 0}, Strides{5, 7}, true},
	} {
		if got := IsContiguous(tt.s, tt.st); got != tt.want {
			t.Errorf("IsContiguous(%v, %v) = %v", tt.s, tt.st, got)
		}
	}
}

func TestCollapse(t *testing.T) {
	for _, tt := range []struct {
		s    Shape
		sts  []Strides
		want Shape
		outs []Strides
	}{
		{nil, []Strides{{}}, Shape{}, []Strides{{}}},
		{Shape{1, 1}, []Strides{{4, 9}}, Shape{}, []Strides{{}}},
		{Shape{2, 3}, nil, Shape{6}, nil},
		{Shape{2, 3, 4}, []Strides{{12, 4, 1}}, Shape{24}, []Strides{{1}}},
		{Shape{2, 3, 4}, []Strides{{12, 4, 1}, {0, 4, 1}}, Shape{2, 12}, []Strides{{12, 1}, {0, 1}}},
		{Shape{2, 1, 4}, []Strides{{4, 99, 1}, {0, -5, 0}}, Shape{8}, []Strides{{1}, {0}}},
		{Shape{2, 3}, []Strides{{-3, -1}}, Shape{6}, []Strides{{-1}}},
		{Shape{2, 0, 3}, []Strides{{5, 6, 7}, {1, 2, 3}}, Shape{0}, []Strides{{1}, {1}}},
	} {
		got, outs := Collapse(tt.s, tt.sts...)
		if !got.Equal(tt.want) || !slices.EqualFunc(outs, tt.outs, slices.Equal) {
			t.Errorf("Collapse(%v, %v) = %v, %v", tt.s, tt.sts, got, outs)
		}
	}
}

func TestCollapseRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		s := randomShape(r, 5, 1, 1, 2, 2, 3, 4)
		if r.IntN(50) == 0 && len(s) > 0 {
			s[r.IntN(len(s))] = 0
		}
		sts := make([]Strides, r.IntN(4))
		for j := range sts {
			sts[j] = randomStrides(r, s)
		}
		got, outs := Collapse(s, sts...)
		for j := range sts {
			if !slices.Equal(positions(s, sts[j]), positions(got, outs[j])) {
				t.Fatalf("Collapse(%v, %v) = %v, %v: array %d moves", s, sts, got, outs, j)
			}
		}
		for i, d := range got { // no dimension can be dropped or merged
			mergeable := i > 0
			for _, st := range outs {
				mergeable = mergeable && st[i-1] == d*st[i]
			}
			if d == 1 || mergeable {
				t.Fatalf("Collapse(%v, %v) = %v, %v is not minimal", s, sts, got, outs)
			}
		}
	}
}

func TestReshape(t *testing.T) {
	for _, tt := range []struct {
		s    Shape
		st   Strides
		to   Shape
		want Strides
		ok   bool
	}{
		{nil, nil, nil, Strides{}, true},
		{nil, nil, Shape{1, 1}, Strides{1, 1}, true},
		{Shape{1}, Strides{5}, nil, Strides{}, true},
		{Shape{12}, Strides{2}, Shape{3, 4}, Strides{8, 2}, true},
		{Shape{3, 4}, Strides{1, 3}, Shape{12}, nil, false},
		{Shape{3, 4}, Strides{1, 3}, Shape{3, 2, 2}, Strides{1, 6, 3}, true},
		{Shape{2, 6}, Strides{10, 1}, Shape{4, 3}, nil, false},
		{Shape{2, 6}, Strides{10, 1}, Shape{3, 4}, nil, false},
		{Shape{6}, Strides{-1}, Shape{2, 3}, Strides{-3, -1}, true},
		{Shape{6}, Strides{0}, Shape{2, 3}, Strides{0, 0}, true},
		{Shape{2, 3}, Strides{3, 1}, Shape{7}, nil, false},
		{Shape{2, 0}, Strides{8, 8}, Shape{0, 5}, Strides{5, 1}, true},
	} {
		got, ok := Reshape(tt.s, tt.st, tt.to)
		if ok != tt.ok || !slices.Equal(got, tt.want) {
			t.Errorf("Reshape(%v, %v, %v) = %v, %v", tt.s, tt.st, tt.to, got, ok)
		}
	}
}

// findStrides searches for strides by comparing positions. The only candidates
// are the steps to the first neighbour along each dimension.
func findStrides(to Shape, pos []int) bool {
	st, c := make(Strides, len(to)), to.Strides()
	for i, d := range to {
		if d > 1 {
			st[i] = pos[c[i]] - pos[0]
		}
	}
	return slices.Equal(positions(to, st), pos)
}

func TestReshapeRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	yes, no := 0, 0
	for range 20000 {
		s := randomShape(r, 4, 1, 2, 3, 4, 6)
		st := randomStrides(r, s)
		to := Shape{} // a random factorization of the size
		for n := s.Size(); n > 1 || r.IntN(3) == 0; {
			d := 1 + r.IntN(n)
			for n%d != 0 {
				d--
			}
			to = append(to, d)
			n /= d
		}
		pos := positions(s, st)
		got, ok := Reshape(s, st, to)
		if ok && !slices.Equal(positions(to, got), pos) {
			t.Fatalf("Reshape(%v, %v, %v) = %v moves elements", s, st, to, got)
		}
		if want := findStrides(to, pos); ok != want {
			t.Fatalf("Reshape(%v, %v, %v) = %v, %v, want %v", s, st, to, got, ok, want)
		}
		if IsContiguous(s, st) && !slices.Equal(got, to.Strides()) {
			t.Fatalf("Reshape(%v, %v, %v) = %v is not contiguous", s, st, to, got)
		}
		if ok {
			yes++
		} else {
			no++
		}
	}
	if yes < 1000 || no < 1000 {
		t.Errorf("%d reshapes and %d refusals", yes, no)
	}
}

func TestRange(t *testing.T) {
	if lo, hi := Bounds(nil, nil, 5); lo != 5 || hi != 5 {
		t.Error(lo, hi)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		s := randomShape(r, 4, 0, 1, 2, 3, 4, 5, 6)
		st := randomStrides(r, s)
		lo, hi := Bounds(s, st, 100)
		pos := positions(s, st)
		if len(pos) == 0 {
			if lo <= hi {
				t.Fatalf("Range of empty %v = %d, %d", s, lo, hi)
			}
		} else if lo != 100+slices.Min(pos) || hi != 100+slices.Max(pos) {
			t.Fatalf("Bounds(%v, %v) = %d, %d", s, st, lo, hi)
		}
	}
}
