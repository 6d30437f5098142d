package dl

import "unsafe"

// Text is the C string that fn(code) returns, empty if fn is 0.
func Text(fn uintptr, code int32) string {
	if fn == 0 {
		return ""
	}
	return goString(callPointer(fn, uintptr(code)))
}

// TextOf is the C string that fn(code, &string) stores, empty if fn is 0 or
// fails.
func TextOf(fn uintptr, code int32) string {
	var p *byte
	if fn == 0 || Call(fn, uintptr(code), uintptr(unsafe.Pointer(&p))) != 0 {
		return ""
	}
	return goString(p)
}

func goString(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}
