package dtype

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strconv"
	"testing"
)

// The two halves, as one table.
var halves = []struct {
	name    string
	bits    func(float32) uint16
	value   func(uint16) float32
	inf     uint16
	mantBit uint
}{
	{"float16", F16Bits, F16Value, 0x7c00, 10},
	{"bfloat16", BF16Bits, BF16Value, 0x7f80, 7},
}

// Every value comes back, and between two neighbours the middle goes to the even
// one, what lies to its sides to the nearer one.
func TestHalves(t *testing.T) {
	for _, h := range halves {
		t.Run(h.name, func(t *testing.T) {
			check := func(x float32, want uint16) {
				t.Helper()
				if got := h.bits(x); got != want {
					t.Errorf("%g: bits %#04x, want %#04x", x, got, want)
				}
				if got := h.bits(-x); got != want|0x8000 {
					t.Errorf("%g: bits %#04x, want %#04x", -x, got, want|0x8000)
				}
			}
			for b := uint16(0); b < h.inf; b++ {
				x := h.value(b)
				check(x, b)
				next := float64(h.value(b + 1))
				if b+1 == h.inf { // where the next value would be
					next = 2*float64(x) - float64(h.value(b-1))
				}
				mid := float32((float64(x) + next) / 2)
				check(mid, b+b&1)
				check(math.Nextafter32(mid, 0), b)
				check(math.Nextafter32(mid, math.MaxFloat32), b+1)
			}
			check(float32(math.Inf(1)), h.inf)
			check(math.MaxFloat32, h.inf)
			for b := uint32(h.inf) + 1; b < 0x8000; b++ {
				for _, sign := range []uint16{0, 0x8000} {
					x := h.value(uint16(b) | sign)
					if x == x {
						t.Errorf("%#04x is %g, want NaN", uint16(b)|sign, x)
					}
					if got := h.bits(x); got&0x7fff <= h.inf {
						t.Errorf("NaN %#04x becomes %#04x", uint16(b)|sign, got)
					}
				}
			}
			for _, nan := range []uint32{0x7f800001, 0xff800001, 0x7fffffff} {
				if got := h.bits(math.Float32frombits(nan)); got&0x7fff <= h.inf {
					t.Errorf("NaN %#08x becomes %#04x", nan, got)
				}
			}
		})
	}
}

// The values themselves, by their definition.
func TestHalfValues(t *testing.T) {
	for _, h := range halves {
		for b := uint16(0); b < h.inf; b++ {
			e, m := int(b>>h.mantBit), float64(b&(1<<h.mantBit-1))
			bias := int(h.inf>>h.mantBit) / 2
			if e > 0 {
				m += math.Ldexp(1, int(h.mantBit))
			} else {
				e = 1
			}
			want := math.Ldexp(m, e-bias-int(h.mantBit))
			if got := float64(h.value(b)); got != want {
				t.Fatalf("%s %#04x: %g, want %g", h.name, b, got, want)
			}
		}
	}
}

func TestHalfText(t *testing.T) {
	for b := range uint16(0x7c00) {
		h := F16FromBits(b)
		x, err := strconv.ParseFloat(h.String(), 32)
		if err != nil || F16From(float32(x)) != h {
			t.Fatalf("%#04x prints as %s", b, h)
		}
	}
	for b := range uint16(0x7f80) {
		h := BF16FromBits(b)
		x, err := strconv.ParseFloat(h.String(), 32)
		if err != nil || BF16From(float32(x)) != h {
			t.Fatalf("%#04x prints as %s", b, h)
		}
	}
}

// TestHalfMarshal checks that halves keep their bits as JSON and in package gob.
func TestHalfMarshal(t *testing.T) {
	type pair struct {
		F []Float16
		B []BFloat16
	}
	var want pair
	for b := range uint16(0x7f81) {
		if b <= 0x7c00 {
			want.F = append(want.F, F16FromBits(b), F16FromBits(b|0x8000))
		}
		want.B = append(want.B, BF16FromBits(b), BF16FromBits(b|0x8000))
	}
	want.B = want.B[:len(want.B)-2] // the last ones are NaN
	text, err := json.Marshal(want)
	var got pair
	if err := errors.Join(err, json.Unmarshal(text, &got)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("json: %v", err)
	}
	var w bytes.Buffer
	got = pair{}
	if err := errors.Join(gob.NewEncoder(&w).Encode(want), gob.NewDecoder(&w).Decode(&got)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("gob: %v", err)
	}
	var h Float16
	if err := json.Unmarshal([]byte(`"NaN"`), &h); err != nil || h.Float32() == h.Float32() {
		t.Errorf("NaN: %v, %v", h, err)
	}
	for text, want := range map[string]float32{
		`"1.00048828125001"`: 1.0009765625, // of float32 it is the middle between two halves
		`"65519.9999999"`:    65504,
		`"-Inf"`:             float32(math.Inf(-1)),
	} {
		if err := json.Unmarshal([]byte(text), &h); err != nil || h.Float32() != want {
			t.Errorf("%s is read as %v, %v", text, h, err)
		}
	}
	if err := json.Unmarshal([]byte(`"65520"`), &h); err == nil {
		t.Errorf("65520 is read as %v", h)
	}
	for _, text := range []string{`"x"`, `""`, `"1e39"`, `1.5`} {
		if err := json.Unmarshal([]byte(text), &got.B[0]); err == nil {
			t.Errorf("%s is read as %v", text, got.B[0])
		}
	}
	if (*Float16)(nil).UnmarshalText([]byte("1")) == nil {
		t.Error("a nil half is read")
	}
}
