package formula

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// maxDigits bounds integer literals, as Python does (at 4300).
const maxDigits = 1000

// parseNumber reads a Python number: 12, 1_000, 0x1F, 0o17, 0b11, 1., .5, 1e-3.
func parseNumber(s string) (scalar, error) {
	if len(s) > maxDigits {
		return scalar{}, errors.New("the number has too many digits")
	}
	lower := strings.ToLower(s)
	prefixed := len(s) > 1 && s[0] == '0' && (lower[1] == 'x' || lower[1] == 'o' || lower[1] == 'b')
	if !prefixed && strings.HasSuffix(lower, "j") {
		return scalar{}, errors.New("complex numbers are not supported")
	}
	if !underscores(s, prefixed) {
		return scalar{}, errors.New("an underscore must stand between two digits")
	}
	plain := strings.ReplaceAll(lower, "_", "")
	if !prefixed && strings.ContainsAny(plain, ".e") {
		v, err := strconv.ParseFloat(plain, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || strings.ContainsAny(plain, "xpinf") {
			return scalar{}, errors.New("this is no number")
		}
		return pyFloat(v), nil // 1e999 is inf, as in Python
	}
	if !prefixed && len(plain) > 1 && plain[0] == '0' && strings.Trim(plain, "0") != "" {
		return scalar{}, errors.New("an integer does not begin with 0")
	}
	base := 10
	if prefixed {
		base = 0
	}
	if v, ok := new(big.Int).SetString(plain, base); ok {
		return scalar{kind: kInt, i: v}, nil
	}
	return scalar{}, errors.New("this is no number")
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

// shortNumber is formatNumber for messages: of a long integer it shows the ends.
func shortNumber(s scalar) string {
	t := formatNumber(s)
	if n := len(t); n > 40 {
		return fmt.Sprintf("%s...%s (%d digits)", t[:12], t[n-4:], len(strings.TrimPrefix(t, "-")))
	}
	return t
}

// formatNumber writes a scalar so that parseNumber reads it back.
func formatNumber(s scalar) string {
	switch s.kind {
	case kBool:
		if s.truth() {
			return "True"
		}
		return "False"
	case kInt:
		return s.i.String()
	}
	switch {
	case math.IsInf(s.f, 1):
		return "1e999"
	case math.IsInf(s.f, -1):
		return "-1e999"
	case math.IsNaN(s.f):
		return "nan"
	}
	t := strconv.FormatFloat(s.f, 'g', -1, 64)
	if !strings.ContainsAny(t, ".e") {
		t += ".0"
	}
	return t
}
