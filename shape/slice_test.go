package shape

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"testing"
)

// python returns the result of slice.indices and range, written as CPython
// documents them. It finds the selected positions one by one.
func python(sl Slice, n int) (start int, picked []int) {
	step := sl.Step.or(1)
	in := func(x int) bool { return x >= 0 && x < n }
	def := func(b Bound, fallback int) int {
		if !b.given {
			return fallback
		}
		v := b.at
		if v < 0 {
			v += n
		}
		if step > 0 {
			return max(0, min(v, n))
		}
		return max(-1, min(v, n-1))
	}
	var stop int
	if step > 0 {
		start, stop = def(sl.Start, 0), def(sl.Stop, n)
		for i := start; i < stop; i += step {
			picked = append(picked, i)
		}
	} else {
		start, stop = def(sl.Start, n-1), def(sl.Stop, -1)
		for i := start; i > stop; i += step {
			picked = append(picked, i)
		}
	}
	for _, p := range picked {
		if !in(p) {
			panic("reference is wrong")
		}
	}
	return start, picked
}

func TestSliceAgainstPython(t *testing.T) {
	for n := 0; n <= 5; n++ {
		for step := -6; step <= 6; step++ {
			for a := -8; a <= 8; a++ {
				for b := -8; b <= 8; b++ {
					sl := Slice{Bound{a, a != -8}, Bound{b, b != 8}, Bound{step, step != 0}}
					wantStart, want := python(sl, n)
					start, count, st, err := sl.Resolve(n)
					var got []int
					for i := range count {
						got = append(got, start+i*st)
					}
					if err != nil || start != wantStart || !slices.Equal(got, want) {
						t.Fatalf("%+v.Resolve(%d) = %d, %d, %d, %v: %v, want %v", sl, n, start, count, st, err, got, want)
					}
				}
			}
		}
	}
}

func TestSliceEdges(t *testing.T) {
	for _, tt := range []struct {
		sl                 Slice
		n                  int
		start, count, step int
	}{
		{Slice{}, 5, 0, 5, 1},
		{Slice{}, 0, 0, 0, 1},
		{Slice{Step: At(-1)}, 5, 4, 5, -1},
		{Slice{Step: At(math.MaxInt)}, 5, 0, 1, math.MaxInt},
		{Slice{Step: At(math.MinInt)}, 5, 4, 1, -math.MaxInt},
		{Slice{Start: At(math.MinInt), Stop: At(math.MaxInt)}, 5, 0, 5, 1},
		{Slice{Start: At(math.MaxInt), Stop: At(math.MinInt), Step: At(-1)}, 5, 4, 5, -1},
		{Slice{Start: At(5)}, 5, 5, 0, 1},
		{Slice{Start: At(-9), Step: At(-1)}, 5, -1, 0, -1},
		{Slice{}, math.MaxInt, 0, math.MaxInt, 1},
	} {
		start, count, step, err := tt.sl.Resolve(tt.n)
		if err != nil || start != tt.start || count != tt.count || step != tt.step {
			t.Errorf("%+v.Resolve(%d) = %d, %d, %d, %v", tt.sl, tt.n, start, count, step, err)
		}
	}
	_, _, _, err := Slice{}.Resolve(-1)
	wantErr(t, err, "slice of negative extent -1")
	_, _, _, err = Slice{Step: At(0)}.Resolve(3)
	wantErr(t, err, "the step of a slice is 0")
}

// TestSliceJSON checks that slices keep their bounds as JSON and in package gob.
func TestSliceJSON(t *testing.T) {
	for _, want := range []Slice{{}, Range(-1, 0), By(From(3), -2)} {
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := Range(7, 8)
		if err := json.Unmarshal(text, &got); err != nil || got != want {
			t.Errorf("%s: %v and %v, want %v", text, got, err, want)
		}
		var w bytes.Buffer
		got = Slice{}
		if err := errors.Join(gob.NewEncoder(&w).Encode(want), gob.NewDecoder(&w).Decode(&got)); err != nil || got != want {
			t.Errorf("gob: %v and %v, want %v", got, err, want)
		}
	}
	var b Bound
	if err := b.UnmarshalText([]byte("1.5")); !errors.Is(err, Err) {
		t.Error(err)
	}
	if err := (*Bound)(nil).UnmarshalText(nil); !errors.Is(err, Err) {
		t.Error(err)
	}
}
