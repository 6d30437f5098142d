package text

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/oneloop/oneloop/expr/dtype"
)

// Element returns the first element of b as a Go value.
func Element(t dtype.Type, b []byte) any {
	return reflect.NewAt(t.GoType(), unsafe.Pointer(&b[:t.Size()][0])).Elem().Interface()
}

// shortest returns the number with the fewest digits that rounds to h in the type
// of h.
func shortest(h interface{ Float32() float32 }) float64 {
	x := h.Float32()
	for digits := 1; digits < 9; digits++ {
		y, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'e', digits-1, 32), 32)
		if err != nil {
			continue
		}
		switch h := h.(type) {
		case dtype.Float16:
			if dtype.F16From(float32(y)) == h {
				return y
			}
		case dtype.BFloat16:
			if dtype.BF16From(float32(y)) == h {
				return y
			}
		}
	}
	return float64(x)
}

// numpyText returns the text of an element in the form of NumPy.
func numpyText(v any) string {
	switch v := v.(type) {
	case bool:
		return map[bool]string{false: "False", true: "True"}[v]
	case dtype.Float16:
		return numpyFloat(shortest(v), 32)
	case dtype.BFloat16:
		return numpyFloat(shortest(v), 32)
	case float32:
		return numpyFloat(float64(v), 32)
	case float64:
		return numpyFloat(v, 64)
	case complex64:
		return complexText(complex128(v), 32, numpyFloat)
	case complex128:
		return complexText(v, 64, numpyFloat)
	}
	return fmt.Sprint(v)
}

// complexText returns a complex number as NumPy writes it, such as 1+2j. number
// writes a part, of the given bits.
func complexText(v complex128, bits int, number func(v float64, bits int) string) string {
	im := number(imag(v), bits)
	if im[0] != '-' && im[0] != '+' {
		im = "+" + im
	}
	return number(real(v), bits) + im + "j"
}

// shortFloat returns the text of a float that %v prints.
func shortFloat(v float64, bits int) string {
	if bits == 32 {
		return fmt.Sprint(float32(v))
	}
	return fmt.Sprint(v)
}

// numpyFloat returns the shortest text that reads back as v. It has an exponent
// where NumPy writes one.
func numpyFloat(v float64, bits int) string {
	switch a := math.Abs(v); {
	case v != v:
		return "nan"
	case math.IsInf(v, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(v, 'g', -1, bits), "+"))
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.FormatFloat(v, 'e', -1, bits)
	}
	s := strconv.FormatFloat(v, 'f', -1, bits)
	if !slices.Contains([]byte(s), '.') {
		s += "."
	}
	return s
}
