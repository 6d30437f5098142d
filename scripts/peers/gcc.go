package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"
)

//go:embed c/kernels.c
var kernels []byte

// A library is the C loops compiled with certain flags.
type library uintptr

// build compiles the loops for both element types and opens the result.
func build(dir, name string, flags ...string) (library, error) {
	source := filepath.Join(dir, "kernels.c")
	if err := os.WriteFile(source, kernels, 0o600); err != nil {
		return 0, err
	}
	var objects []string
	for suffix, real := range map[string]string{"f32": "float", "f64": "double"} {
		o := filepath.Join(dir, name+"_"+suffix+".o")
		args := append([]string{"-O3", "-march=native", "-fPIC", "-c", "-DREAL=" + real, "-DNAME(x)=x##_" + suffix, "-o", o, source}, flags...)
		if err := gcc(args...); err != nil {
			return 0, err
		}
		objects = append(objects, o)
	}
	so := filepath.Join(dir, name+".so")
	if err := gcc(append([]string{"-shared", "-o", so}, append(objects, "-lm")...)...); err != nil {
		return 0, err
	}
	h, err := purego.Dlopen(so, purego.RTLD_NOW|purego.RTLD_LOCAL)
	return library(h), err
}

func gcc(args ...string) error {
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("gcc %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// A loop runs a workload reps times over r rows of c elements.
type loop func(reps, r, c uint, arrays *uintptr, scalars *float64)

func (l library) loop(symbol string) (f loop) {
	purego.RegisterLibFunc(&f, uintptr(l), symbol)
	return f
}

// compiler is the first line of gcc --version.
func compiler() string {
	out, err := exec.Command("gcc", "--version").Output()
	if err != nil {
		return "no gcc"
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}
