package syntax

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/oneloop/oneloop/internal/zero"
)

// A Class is the rank of a Python scalar type.
type Class uint8

// The classes of numbers, the lower ones first.
const (
	NoNumber Class = iota
	Bool
	Int
	Float
	Complex
)

// A Number is a Python scalar: a bool, an integer of any size, a float64, or an
// imaginary number.
type Number struct {
	Class Class
	I     *big.Int // of an Int; 0 or 1 of a Bool
	F     float64  // of a Float; of a Complex the imaginary part
}

// BoolNumber returns True or False.
func BoolNumber(b bool) Number {
	n := Number{Class: Bool, I: new(big.Int)}
	if b {
		n.I.SetInt64(1)
	}
	return n
}

// IntNumber returns i as an Int.
func IntNumber(i int) Number { return Number{Class: Int, I: big.NewInt(int64(i))} }

// FloatNumber returns f as a Float.
func FloatNumber(f float64) Number { return Number{Class: Float, F: f} }

// integer returns I, which is nil in the zero Number.
func (n Number) integer() *big.Int { return zero.IfNil(n.I) }

// Truth returns bool(n).
func (n Number) Truth() bool {
	if n.Class >= Float {
		return n.F != 0
	}
	return n.integer().Sign() != 0
}

// Float64 returns float(n). An integer beyond float64 is an error.
func (n Number) Float64() (float64, error) {
	switch n.Class {
	case Float:
		return n.F, nil
	case Complex:
		return 0, errors.New("a complex number is no float")
	}
	f, _ := new(big.Float).SetInt(n.integer()).Float64()
	if math.IsInf(f, 0) {
		return 0, errors.New("the integer is too large for a float")
	}
	return f, nil
}

// Small returns the value of an integer that fits an int.
func (n Number) Small() (int, bool) {
	if n.Class >= Float || !n.integer().IsInt64() {
		return 0, false
	}
	i := n.integer().Int64()
	return int(i), int64(int(i)) == i
}

// maxDigits bounds integer literals. Python's bound is 4300.
const maxDigits = 1000

// parseNumber reads a Python number: 12, 1_000, 0x1F, 0o17, 0b11, 1., .5, 1e-3, 2j.
func parseNumber(s string) (Number, error) {
	if len(s) > maxDigits {
		return Number{}, errors.New("the number has too many digits")
	}
	lower := strings.ToLower(s)
	prefixed := len(s) > 1 && s[0] == '0' && (lower[1] == 'x' || lower[1] == 'o' || lower[1] == 'b')
	if !prefixed && strings.HasSuffix(lower, "j") {
		return parseImaginary(s[:len(s)-1])
	}
	if !underscores(s, prefixed) {
		return Number{}, errors.New("an underscore must stand between two digits")
	}
	plain := strings.ReplaceAll(lower, "_", "")
	if !prefixed && strings.ContainsAny(plain, ".e") {
		v, err := strconv.ParseFloat(plain, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(plain, "xpinf") {
			return Number{}, errors.New("this is no number")
		}
		return FloatNumber(v), nil // 1e999 is inf, as in Python
	}
	if !prefixed && len(plain) > 1 && plain[0] == '0' && strings.Trim(plain, "0") != "" {
		return Number{}, errors.New("an integer does not begin with 0")
	}
	base := 10
	if prefixed {
		base = 0
	}
	if v, ok := new(big.Int).SetString(plain, base); ok {
		return Number{Class: Int, I: v}, nil
	}
	return Number{}, errors.New("this is no number")
}

// parseImaginary reads the number before the j: digits, which may begin with 0, or a
// float.
func parseImaginary(s string) (Number, error) {
	if !strings.ContainsAny(s, ".eE") {
		s += ".0"
	}
	n, err := parseNumber(s)
	return Number{Class: Complex, F: n.F}, err
}

// underscores reports whether every underscore stands between digits.
func underscores(s string, prefixed bool) bool {
	digit := func(i int) bool {
		if i < 0 || i >= len(s) {
			return false
		}
		c := s[i] | 0x20
		return isDigit(s[i]) || prefixed && (c >= 'a' && c <= 'f' || i == 1)
	}
	for i := range s {
		if s[i] == '_' && (!digit(i-1) || !digit(i+1)) {
			return false
		}
	}
	return true
}

// String returns the number as a formula writes it.
func (n Number) String() string {
	switch n.Class {
	case Bool:
		if n.Truth() {
			return "True"
		}
		return "False"
	case Int:
		return n.I.String()
	case Complex:
		return FloatNumber(n.F).String() + "j"
	}
	switch {
	case math.IsInf(n.F, 1):
		return "1e999"
	case math.IsInf(n.F, -1):
		return "-1e999"
	case math.IsNaN(n.F):
		return "nan"
	}
	t := strconv.FormatFloat(n.F, 'g', -1, 64)
	if !strings.ContainsAny(t, ".e") {
		t += ".0"
	}
	return t
}

// Short returns the number for messages. Of a long integer it shows the ends.
func (n Number) Short() string {
	t := strings.Replace(n.String(), "1e999", "inf", 1)
	if d := len(t); d > 40 {
		return fmt.Sprintf("%s...%s (%d digits)", t[:12], t[d-4:], len(strings.TrimPrefix(t, "-")))
	}
	return t
}
