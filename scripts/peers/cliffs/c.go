package main

import (
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/failure"
	"github.com/oneloop/oneloop/scripts/peers/internal/paired"
)

// prelude begins the C file. The barrier keeps compilers from joining repetitions.
const prelude = `#include <stdint.h>
#include <math.h>
#define F(i, n) for (long i = 0; i < (n); i++)
`

var cTypes = map[dtype.Type]string{
	dtype.F32: "float", dtype.F64: "double", dtype.I8: "int8_t", dtype.U8: "uint8_t",
	dtype.I16: "int16_t", dtype.U16: "uint16_t", dtype.I32: "int32_t", dtype.U32: "uint32_t", dtype.I64: "int64_t", dtype.U64: "uint64_t", dtype.Bool: "uint8_t",
	dtype.C64: "float _Complex", dtype.C128: "double _Complex", dtype.F16: "uint16_t", dtype.BF16: "uint16_t", // of which no test in C computes
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

// A compiler is a compiler of C with the loops of all tests, in their order.
type compiler struct {
	name, version string
	loops         []loop
}

// compilers compiles the loops of all tests with each of the named compilers that is
// installed. It is an error if none is.
func compilers(tests []test, names, flags string) (out []compiler) {
	if names == "" || names == "none" {
		return nil
	}
	for name := range strings.SplitSeq(names, ",") {
		version, err := exec.Command(name, "--version").Output()
		if errors.Is(err, exec.ErrNotFound) {
			continue
		}
		failure.Check(err)
		line, _, _ := strings.Cut(string(version), "\n")
		out = append(out, compiler{name, line, build(tests, name, flags)})
	}
	if len(out) == 0 {
		failure.Check(fmt.Errorf("none of the compilers %s is installed", names))
	}
	return out
}

// build compiles the loops of all tests, and returns them in the same order.
func build(tests []test, compiler, flags string) []loop {
	text := prelude + routinesHeader
	for i := range tests {
		text += tests[i].source(fmt.Sprint("loop", i))
	}
	h := paired.Compile(compiler, text, strings.Fields(flags)...)
	loops := make([]loop, len(tests))
	for i := range loops {
		purego.RegisterLibFunc(&loops[i], h, fmt.Sprint("loop", i))
	}
	return loops
}
