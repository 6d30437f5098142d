package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr/dtype"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"exprbench": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		// No probe decides how loops run, and no files of other runs are read.
		Setup: func(e *testscript.Env) error {
			e.Setenv("ONELOOP_MACHINE", "defaults")
			e.Setenv("ONELOOP_CACHE", filepath.Join(e.WorkDir, ".cache"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"mknpy":  mknpy,
			"rawnpy": rawnpy,
			"repeat": repeat,
			"oneerr": oneerr,

			"exitcode": exitcode,
			"bounded":  bounded,
			"browse":   browse(t),
			"painted":  painted,
			"full":     full,

			"repeatarg": repeatArgument,
			"events":    events,
		},
		Condition: func(cond string) (bool, error) {
			if path, ok := strings.CutPrefix(cond, "exists:"); ok {
				_, err := os.Stat(path)
				return err == nil, nil
			}
			name, ok := strings.CutPrefix(cond, "backend:")
			if !ok {
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return slices.Contains(engine.Backends(), name), nil
		},
		RequireExplicitExec: true,
	})
}

// mknpy FILE DTYPE SHAPE [-fortran] VALUE... writes an array; SHAPE is 3x4 or
// scalar. Values are given in the order of memory and are repeated as needed;
// "iota" stands for 0, 1, 2 ...
func mknpy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: mknpy file dtype shape [-fortran] value...")
	}
	t, err := dtype.Parse(args[1])
	ts.Check(err)
	a := &npy.Array{Type: t, Shape: []int{}}
	n := 1
	if args[2] != "scalar" {
		for _, d := range strings.Split(args[2], "x") {
			k, err := strconv.Atoi(d)
			ts.Check(err)
			a.Shape = append(a.Shape, k)
			n *= k
		}
	}
	values := args[3:]
	if len(values) > 0 && values[0] == "-fortran" {
		a.Fortran, values = true, values[1:]
	}
	a.Data = make([]byte, n*t.Size())
	for i := range n {
		x := float64(i)
		if values[0] != "iota" {
			x, err = strconv.ParseFloat(values[i%len(values)], 64)
			ts.Check(err)
		}
		put(t, a.Data[i*t.Size():], x)
	}
	ts.Check(npy.WriteFile(ts.MkAbs(args[0]), a))
}

func put(t dtype.Type, b []byte, x float64) {
	switch t {
	case dtype.F64:
		dtype.Slice[float64](b)[0] = x
	case dtype.F32:
		dtype.Slice[float32](b)[0] = float32(x)
	case dtype.F16:
		binary.LittleEndian.PutUint16(b, dtype.F16From(float32(x)).Bits())
	case dtype.BF16:
		binary.LittleEndian.PutUint16(b, dtype.BF16From(float32(x)).Bits())
	default:
		u := uint64(int64(x))
		for i := range t.Size() {
			b[i] = byte(u >> (8 * i))
		}
	}
}

// rawnpy FILE HEADER BYTES writes a .npy file with any header and a number of
// zero bytes after it.
func rawnpy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: rawnpy file header bytes")
	}
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	b := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(b[8:], uint16(len(args[1])+1))
	b = append(append(b, args[1]...), '\n')
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), append(b, make([]byte, n)...), 0o666))
}

// repeat FILE N HEAD UNIT MIDDLE UNIT writes HEAD, the first unit N times,
// MIDDLE, and the second unit N times.
func repeat(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 6 {
		ts.Fatalf("usage: repeat file n head unit middle unit")
	}
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	text := args[2] + strings.Repeat(args[3], n) + args[4] + strings.Repeat(args[5], n)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// exitcode N PROGRAM ARG... checks the exit code of a program.
func exitcode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode n program arg...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if x := (*exec.ExitError)(nil); errors.As(err, &x) {
		code = x.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
	if code == 2 {
		oneerr(ts, false, nil)
	}
}

// bounded N checks that the last command wrote at most N bytes.
func bounded(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	if have := len(ts.ReadFile("stdout")) + len(ts.ReadFile("stderr")); neg || have > n {
		ts.Fatalf("%d bytes were written, more than %d", have, n)
	}
}

// repeatarg N TEXT runs eval with an input file whose name is TEXT N times.
func repeatArgument(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	exitcode(ts, neg, []string{"1", "exprbench", "eval", "-i", "x=" + strings.Repeat(args[1], n), "x"})
}

// full PROGRAM ARG... checks that a program fails where its output has no room.
func full(ts *testscript.TestScript, neg bool, args []string) {
	exitcode(ts, neg, append([]string{"1", "sh", "-c", `exec "$@" >/dev/full`, "sh"}, args...))
	if text := ts.ReadFile("stderr"); !strings.HasPrefix(text, "exprbench: ") {
		ts.Fatalf("no message but %q", text)
	}
}

// oneerr [CARET] checks that the last command wrote nothing to standard output
// and one line to standard error, which names the tool; or, with CARET, that
// line, a line of the source and one with a ^.
func oneerr(ts *testscript.TestScript, neg bool, args []string) {
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output has %q", out)
	}
	text := ts.ReadFile("stderr")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	want := 1
	if len(args) > 0 {
		want = 3
	}
	if neg || len(lines) != want || !strings.HasPrefix(lines[0], "exprbench: ") {
		ts.Fatalf("standard error should have %d lines, the first from exprbench:\n%s", want, text)
	}
	if want == 3 && strings.TrimSpace(lines[2]) != "^" {
		ts.Fatalf("no caret: %s", fmt.Sprintf("%q", lines[2]))
	}
}

// events FILE N: the file has N trace events, each with the members by which
// ui.perfetto.dev places a complete event.
func events(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: events FILE N")
	}
	var file struct {
		TraceEvents []struct {
			Name, Ph string
			Ts, Dur  *float64
			Pid, Tid *int
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &file))
	if n := strconv.Itoa(len(file.TraceEvents)); n != args[1] {
		ts.Fatalf("%s events, want %s", n, args[1])
	}
	for i, e := range file.TraceEvents {
		if e.Name == "" || e.Ph != "X" || e.Ts == nil || *e.Ts < 0 || e.Dur == nil || *e.Dur < 0 || e.Pid == nil || e.Tid == nil {
			ts.Fatalf("event %d is %+v", i, e)
		}
	}
}
