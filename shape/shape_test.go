package shape

import (
	"errors"
	"math"
	"slices"
	"testing"
)

// wantErr checks the type, the sentinel and the text of an error.
func wantErr(t *testing.T, err error, msg string) {
	t.Helper()
	if err == nil || err.Error() != msg {
		t.Errorf("error %v, want %q", err, msg)
		return
	}
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, Err) {
		t.Errorf("%q is not an *Error that matches Err", err)
	}
}

func TestNew(t *testing.T) {
	const m = math.MaxInt / 8
	for _, tt := range []struct {
		dims []int
		ok   bool
		size int
	}{
		{nil, true, 1},
		{[]int{}, true, 1},
		{[]int{0}, true, 0},
		{[]int{3, 4}, true, 12},
		{[]int{m}, true, m},
		{[]int{1, m, 1}, true, m},
		{[]int{m + 1}, false, 0},
		{[]int{m/2 + 1, 2}, false, 0},
		{[]int{m, m, m}, false, 0},
		{[]int{math.MaxInt, math.MaxInt}, false, 0},
		{[]int{0, m}, true, 0},
		{[]int{0, m, 2}, false, 0}, // as in NumPy, a zero extent does not relax the limit
		{[]int{m, 2, 0}, false, 0},
		{[]int{3, -1}, false, 0},
		{[]int{0, -1}, false, 0},
		{[]int{math.MinInt}, false, 0},
		{slices.Repeat([]int{1}, MaxRank), true, 1},
		{slices.Repeat([]int{1}, MaxRank+1), false, 0},
	} {
		s, err := New(tt.dims...)
		if (err == nil) != tt.ok {
			t.Errorf("New(%v): %v", tt.dims, err)
		}
		if tt.ok && (s.Size() != tt.size || !slices.Equal(s, tt.dims) || s.Rank() != len(tt.dims)) {
			t.Errorf("New(%v) = %v of size %d", tt.dims, s, s.Size())
		}
		if !tt.ok && !errors.Is(err, Err) {
			t.Errorf("New(%v): error %v does not match Err", tt.dims, err)
		}
	}
	_, err := New(2, -3)
	wantErr(t, err, "shape [2 -3] has negative extent -3 in dimension 1")
	_, err = New(slices.Repeat([]int{2}, 65)...)
	wantErr(t, err, "rank 65 is above the largest, 64")
	if err := (Shape{math.MaxInt, 2, -1}).Check(); err == nil || errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
	dims := []int{2, 3}
	s, _ := New(dims...)
	dims[0] = 9
	if s[0] != 2 {
		t.Error("New keeps its argument")
	}
}

func TestTooMany(t *testing.T) {
	big := math.MaxInt
	err := Shape{big, 2}.Check()
	wantErr(t, err, "shape "+Shape{big, 2}.String()+" has too many elements")
	_, err = Broadcast(Shape{big / 8, 1}, Shape{2})
	wantErr(t, err, "shape "+Shape{big / 8, 2}.String()+" has too many elements")
}

func TestShape(t *testing.T) {
	s := Shape{2, 3, 4}
	if got := s.Count(1, 3); got != 12 {
		t.Error(got)
	}
	if got := s.Count(2, 2); got != 1 {
		t.Error(got)
	}
	c := s.Clone()
	c[0] = 7
	if s[0] != 2 || s.Equal(c) || !s.Equal(Shape{2, 3, 4}) || s.Equal(Shape{2, 3}) || !Shape(nil).Equal(Shape{}) {
		t.Error("Clone or Equal")
	}
	if s.String() != "[2 3 4]" || Shape(nil).String() != "[]" {
		t.Error(s.String(), Shape(nil).String())
	}
}

func TestOffset(t *testing.T) {
	s := Shape{2, 3, 4}
	n := 0
	each(s, func(ix []int) {
		if got, err := s.Offset(ix...); got != n || err != nil {
			t.Errorf("Offset(%v) = %d, %v, want %d", ix, got, err, n)
		}
		n++
	})
	if got, err := (Shape{}).Offset(); got != 0 || err != nil {
		t.Error(got, err)
	}
	_, err := s.Offset(1, 2)
	wantErr(t, err, "index [1 2] and shape [2 3 4] differ in length")
	_, err = s.Offset(1, 3, 0)
	wantErr(t, err, "index [1 3 0] is out of range for shape [2 3 4]")
	_, err = s.Offset(1, -1, 0)
	wantErr(t, err, "index [1 -1 0] is out of range for shape [2 3 4]")
	_, err = Shape{0}.Offset(0)
	wantErr(t, err, "index [0] is out of range for shape [0]")
}

func TestInferReshape(t *testing.T) {
	for _, tt := range []struct {
		size int
		dims []int
		want Shape
		err  string
	}{
		{12, []int{3, 4}, Shape{3, 4}, ""},
		{12, []int{3, -1}, Shape{3, 4}, ""},
		{12, []int{-1}, Shape{12}, ""},
		{1, nil, Shape{}, ""},
		{1, []int{-1, 1}, Shape{1, 1}, ""},
		{0, []int{-1, 3}, Shape{0, 3}, ""},
		{0, []int{0, 3}, Shape{0, 3}, ""},
		{0, []int{0, -1}, nil, "0 elements do not reshape to [0 -1]"},
		{12, []int{5, -1}, nil, "12 elements do not reshape to [5 -1]"},
		{12, []int{5}, nil, "12 elements do not reshape to [5]"},
		{2, nil, nil, "2 elements do not reshape to []"},
		{12, []int{-1, -1}, nil, "shape [-1 -1] has more than one -1"},
		{12, []int{-2, 6}, nil, "shape [-2 6] has negative extent -2 in dimension 0"},
	} {
		got, err := InferReshape(tt.size, tt.dims)
		if tt.err != "" {
			wantErr(t, err, tt.err)
		} else if err != nil || !got.Equal(tt.want) {
			t.Errorf("InferReshape(%d, %v) = %v, %v, want %v", tt.size, tt.dims, got, err, tt.want)
		}
	}
	if _, err := InferReshape(math.MaxInt, []int{-1}); !errors.Is(err, Err) {
		t.Error(err)
	}
	dims := []int{-1, 2}
	if _, err := InferReshape(4, dims); err != nil || dims[0] != -1 {
		t.Error("InferReshape changes its argument")
	}
}
