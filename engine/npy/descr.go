package npy

import (
	"fmt"
	"strings"

	"github.com/oneloop/oneloop/expr/dtype"
)

// descr returns the descr that is written for an element type.
func descr(t dtype.Type) string {
	if t.Size() == 1 {
		return "|" + t.Code()
	}
	return "<" + t.Code()
}

// codes maps a descr without its byte order to the type.
var codes = func() map[string]dtype.Type {
	m := map[string]dtype.Type{"?": dtype.Bool}
	for _, t := range dtype.All() {
		m[t.Code()] = t
	}
	return m
}()

// parseDescr reads a descr such as "<f4"; why is empty if it is supported.
func parseDescr(d string) (t dtype.Type, big bool, why string) {
	if d == dtype.BF16.String() {
		return dtype.BF16, false, ""
	}
	order, code := byte('='), d
	if d != "" && strings.IndexByte("<>=|", d[0]) >= 0 {
		order, code = d[0], d[1:]
	}
	if code == "O" || code == "O4" || code == "O8" {
		return dtype.Invalid, false, pickled(d)
	}
	t, ok := codes[code]
	if !ok {
		return dtype.Invalid, false, fmt.Sprintf("descr %s is not a supported element type; astype converts to bool, int8 to int64, uint8 to uint64, float16, float32, float64, complex64 or complex128", excerpt(d))
	}
	if order == '|' && t.Size() > 1 && t != dtype.BF16 {
		return dtype.Invalid, false, fmt.Sprintf("descr %s has no byte order for elements of %d bytes", excerpt(d), t.Size())
	}
	big = order == '>' && t.Size() > 1
	if big && t == dtype.BF16 {
		return dtype.Invalid, false, fmt.Sprintf("descr %s: big-endian bfloat16 is not supported", excerpt(d))
	}
	return t, big, ""
}

// structured explains the refusal of a descr that is a list of fields.
func structured(text []byte) string {
	for _, q := range []string{`'O'`, `"O"`, `'|O'`, `"|O"`} {
		if strings.Contains(string(text), q) {
			return pickled(string(text))
		}
	}
	return fmt.Sprintf("descr %s: structured types are not supported", excerpt(text))
}

func pickled(d string) string {
	return fmt.Sprintf("descr %s holds Python objects: pickled objects are not loaded", excerpt(d))
}
