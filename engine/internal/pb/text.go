package pb

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// MarshalText returns the text form of the struct that x points to: one line for
// each value, messages in braces, as protobuf's TextFormat prints them. What
// [UnmarshalText] does not take for its size is an error.
func MarshalText(x any) ([]byte, error) {
	v := structOf(x)
	if err := newBudget().check(v); err != nil {
		return nil, err
	}
	var w strings.Builder
	writeMessage(&w, v, "")
	return []byte(w.String()), nil
}

func writeMessage(w *strings.Builder, v reflect.Value, indent string) {
	for _, f := range messageOf(v.Type()).fields {
		x := v.Field(f.index)
		switch {
		case x.Kind() == reflect.Slice:
			for i := range x.Len() {
				f.write(w, pointed(x.Index(i)), indent)
			}
		case x.IsZero():
		default:
			f.write(w, reflect.Indirect(x), indent)
		}
	}
}

func (f *field) write(w *strings.Builder, v reflect.Value, indent string) {
	if v.Kind() == reflect.Struct {
		fmt.Fprintf(w, "%s%s {\n", indent, f.name)
		writeMessage(w, v, indent+"  ")
		fmt.Fprintf(w, "%s}\n", indent)
		return
	}
	fmt.Fprintf(w, "%s%s: %s\n", indent, f.name, scalarText(v))
}

func scalarText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return quote(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Float32, reflect.Float64:
		text := strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits()) // or NaN, +Inf, -Inf
		return strings.ToLower(strings.TrimPrefix(text, "+"))
	}
	if v.CanUint() {
		return strconv.FormatUint(v.Uint(), 10)
	}
	return strconv.FormatInt(v.Int(), 10)
}

// quote returns s in quotation marks. Bytes that are not printable ASCII are octal
// numbers, because a string may hold any bytes.
func quote(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '"' || c == '\'' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c > '~':
			b = fmt.Appendf(b, `\%03o`, c)
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
