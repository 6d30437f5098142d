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

	"github.com/oneloop/oneloop/internal/failure"
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
func Start(name string, env []string, program string, args ...string) *Process {
	p := &Process{name: name, cmd: exec.Command(program, args...)}
	p.cmd.Env, p.cmd.Stderr = append(os.Environ(), env...), os.Stderr
	p.in = failure.Must(p.cmd.StdinPipe())
	p.answers = json.NewDecoder(failure.Must(p.cmd.StdoutPipe()))
	p.Dir = failure.Must(os.MkdirTemp("", "paired"))
	if err := p.cmd.Start(); err != nil {
		os.RemoveAll(p.Dir)
		failure.Check(err)
	}
	return p
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
func (p *Process) Ask(request, answer any) {
	defer failure.In(p.name)
	failure.Check(json.NewEncoder(p.in).Encode(request))
	failure.Check(p.answers.Decode(answer))
}

// Read reads an answer that no request precedes.
func (p *Process) Read(answer any) {
	defer failure.In(p.name)
	failure.Check(p.answers.Decode(answer))
}

// Compile compiles a file in C as a shared library, and opens it.
func Compile(compiler, source string, flags ...string) uintptr {
	dir := failure.Must(os.MkdirTemp("", "paired"))
	defer os.RemoveAll(dir)
	file, so := filepath.Join(dir, "source.c"), filepath.Join(dir, "library.so")
	failure.Check(os.WriteFile(file, []byte(source), 0o600))
	args := append(flags, "-shared", "-fPIC", "-o", so, file, "-lm")
	if out, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		failure.Check(fmt.Errorf("%s %s: %w\n%s", compiler, strings.Join(args, " "), err, out))
	}
	return failure.Must(purego.Dlopen(so, purego.RTLD_NOW|purego.RTLD_LOCAL))
}
