package paired

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"
)

// A Process is another program that answers requests, in JSON, on its standard input and output.
type Process struct {
	Dir     string // for files that both read and write
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers *json.Decoder
}

// Start starts a program, which errors call name, with more variables in its environment.
func Start(name string, env []string, program string, args ...string) (p *Process, err error) {
	p = &Process{name: name, cmd: exec.Command(program, args...)}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), env...), os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.answers = json.NewDecoder(out)
	if p.Dir, err = os.MkdirTemp("", "paired"); err != nil {
		return nil, err
	}
	if err = p.cmd.Start(); err != nil {
		os.RemoveAll(p.Dir)
		return nil, err
	}
	return p, nil
}

// Close ends the process.
func (p *Process) Close() {
	p.in.Close()
	p.cmd.Wait() //nolint:errcheck // it has nothing more to say
	os.RemoveAll(p.Dir)
}

// PID returns the number of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ask sends a request, and reads the answer.
func (p *Process) Ask(request, answer any) error {
	if err := json.NewEncoder(p.in).Encode(request); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return p.Read(answer)
}

// Read reads an answer that no request precedes.
func (p *Process) Read(answer any) error {
	if err := p.answers.Decode(answer); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	return nil
}

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
