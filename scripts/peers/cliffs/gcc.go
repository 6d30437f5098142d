package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/oneloop/oneloop/expr/dtype"
)

// prelude begins the C file. The barrier keeps gcc from joining repetitions.
const prelude = `#include <stdint.h>
#include <math.h>
#define F(i, n) for (long i = 0; i < (n); i++)
`

var cTypes = map[dtype.Type]string{
	dtype.F32: "float", dtype.F64: "double", dtype.I8: "int8_t", dtype.U8: "uint8_t",
	dtype.I32: "int32_t", dtype.I64: "int64_t", dtype.Bool: "uint8_t",
}

// functions are the calls of functions in the loops, which get a suffix for float.
var functions = regexp.MustCompile(`\b[A-Z][A-Z0-9]+\(`)

// source returns test t as a C function.
func (t *test) source(name string) string {
	var b strings.Builder
	suffix := ""
	if t.typ == dtype.F32 {
		suffix = "f"
	}
	body := functions.ReplaceAllStringFunc(t.c, func(call string) string {
		return strings.ToLower(strings.TrimSuffix(call, "(")) + suffix + "("
	})
	fmt.Fprintf(&b, "void %s(uint64_t reps, void **at) {\n\ttypedef %s T;\n", name, cTypes[t.typ])
	for _, e := range t.extents {
		fmt.Fprintf(&b, "\tenum { %s = %s };\n", e[0], e[1])
	}
	for i, a := range t.arrays {
		fmt.Fprintf(&b, "\t%s *restrict %s = at[%d];\n", cTypes[a.typ], a.name, i)
	}
	fmt.Fprintf(&b, "\twhile (reps--) {\n\t\t%s\n\t\t__asm__ volatile(\"\" ::: \"memory\");\n\t}\n}\n", body)
	return b.String()
}

// A loop runs the C code of a test reps times.
type loop func(reps uint, arrays *unsafe.Pointer)

// build compiles the loops of all tests, and returns them in the same order.
func build(tests []test, flags string) ([]loop, error) {
	dir, err := os.MkdirTemp("", "cliffs")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text := prelude
	for i := range tests {
		text += tests[i].source(fmt.Sprint("loop", i))
	}
	file, so := filepath.Join(dir, "loops.c"), filepath.Join(dir, "loops.so")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	args := append(strings.Fields(flags), "-shared", "-fPIC", "-o", so, file, "-lm")
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("gcc %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	h, err := purego.Dlopen(so, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	loops := make([]loop, len(tests))
	for i := range loops {
		purego.RegisterLibFunc(&loops[i], h, fmt.Sprint("loop", i))
	}
	return loops, nil
}
