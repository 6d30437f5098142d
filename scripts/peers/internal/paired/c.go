package paired

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"
)

// Compile compiles a file in C as a shared library, and opens it.
func Compile(compiler, source string, flags ...string) (uintptr, error) {
	dir, err := os.MkdirTemp("", "paired")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	file, so := filepath.Join(dir, "source.c"), filepath.Join(dir, "library.so")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		return 0, err
	}
	args := append(flags, "-shared", "-fPIC", "-o", so, file, "-lm")
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%s %s: %w\n%s", compiler, strings.Join(args, " "), err, out)
	}
	return purego.Dlopen(so, purego.RTLD_NOW|purego.RTLD_LOCAL)
}
