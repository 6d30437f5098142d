package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/stream"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

type E = expr.Exp[float64]

func difference(x ...E) E { return op.Sub(op.Softmax(x[0], -1), x[1]) }

// write saves tensors in a new folder and returns it.
func write(t testing.TB, rows int) string {
	t.Helper()
	dir := t.TempDir()
	for name, x := range map[string]*engine.Tensor[float64]{
		"a.npy": engine.FromFunc(func(at []int) float64 { return math.Sin(float64(at[0]*5 + at[1])) }, rows, 5),
		"b.npy": engine.FromFunc(func(at []int) float64 { return float64(at[0]) }, rows, 1),
		"v.npy": engine.Ones[float64](rows + 1),
		"s.npy": engine.Ones[float64](),
	} {
		if err := x.Save(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMap compares blocks of all sizes with the whole.
func TestMap(t *testing.T) {
	for _, rows := range []int{0, 1, 7, 8} {
		dir := write(t, rows)
		a, b, y := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy"), filepath.Join(dir, "y.npy")
		x, err := engine.Load[float64](a)
		z, err2 := engine.Load[float64](b)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		want, err := engine.Eval(difference(x, z))
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range []int{0, 1, 3, 4, 100} {
			last := 0
			o := stream.Options{Rows: block, Progress: func(done, total int) {
				if done < last || total != rows {
					t.Errorf("progress %d of %d after %d", done, total, last)
				}
				last = done
			}}
			if err := stream.Map(context.Background(), y, o, difference, a, b); err != nil {
				t.Fatal(rows, block, err)
			}
			got, err := engine.Load[float64](y)
			if err != nil || !got.Shape().Equal(want.Shape()) || last != rows {
				t.Fatal(got, last, err)
			}
			if fmt.Sprint(got.Values()) != fmt.Sprint(want.Values()) {
				t.Errorf("%d rows in blocks of %d: %v, want %v", rows, block, got, want)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	dir := write(t, 6)
	path := func(name string) string { return filepath.Join(dir, name) }
	whole, err := os.ReadFile(path("a.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("short.npy"), whole[:len(whole)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("y.npy"), []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	same := func(x ...E) E { return x[0] }
	ctx, cancel := context.WithCancel(context.Background())
	for name, c := range map[string]struct {
		err  error
		kind error
	}{
		"no input":       {stream.Map(ctx, path("y.npy"), stream.Options{}, same), expr.ErrValue},
		"no function":    {stream.Map[float64, float64](ctx, path("y.npy"), stream.Options{}, nil, path("a.npy")), expr.ErrValue},
		"negative":       {stream.Map(ctx, path("y.npy"), stream.Options{Rows: -1}, same, path("a.npy")), expr.ErrValue},
		"another file":   {stream.Map(ctx, path("y.csv"), stream.Options{}, same, path("a.npy")), expr.ErrValue},
		"no file":        {stream.Map(ctx, path("y.npy"), stream.Options{}, same, path("none.npy")), expr.ErrValue},
		"another type":   {stream.Map(ctx, path("y.npy"), stream.Options{}, func(x ...expr.Exp[int8]) expr.Exp[int8] { return x[0] }, path("a.npy")), expr.ErrType},
		"no array":       {stream.Map(ctx, path("y.npy"), stream.Options{}, same, path("y.npy")), expr.ErrValue},
		"short":          {stream.Map(ctx, path("y.npy"), stream.Options{}, same, path("short.npy")), expr.ErrValue},
		"scalar":         {stream.Map(ctx, path("y.npy"), stream.Options{}, same, path("s.npy")), expr.ErrShape},
		"other extents":  {stream.Map(ctx, path("y.npy"), stream.Options{}, same, path("a.npy"), path("v.npy")), expr.ErrShape},
		"a sum":          {stream.Map(ctx, path("y.npy"), stream.Options{}, func(x ...E) E { return op.Sum(x[0]) }, path("a.npy")), expr.ErrShape},
		"wrong operands": {stream.Map(ctx, path("y.npy"), stream.Options{}, func(x ...E) E { return op.Sum(x[0], op.Axis(9)) }, path("a.npy")), expr.ErrShape},
		"centred":        {stream.Map(ctx, path("y.npy"), stream.Options{Rows: 3}, func(x ...E) E { return op.Sub(x[0], op.Mean(x[0], op.Axis(0))) }, path("a.npy")), expr.ErrValue},
		"running":        {stream.Map(ctx, path("y.npy"), stream.Options{Rows: 4}, func(x ...E) E { return op.CumSum(x[0], 0) }, path("a.npy")), expr.ErrValue},
		"turned":         {stream.Map(ctx, path("y.npy"), stream.Options{Rows: 5}, func(x ...E) E { return op.Flip(x[0], 0) }, path("a.npy")), expr.ErrValue},
		"cancelled":      {stream.Map(ctx, path("y.npy"), stream.Options{Rows: 1, Progress: func(done, _ int) { cancel() }}, same, path("a.npy")), context.Canceled},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: %v is not %v", name, c.err, c.kind)
		}
		if strings.Count(c.err.Error(), "oneloop: ") > 1 {
			t.Errorf("%s: %v", name, c.err)
		}
	}
	cancel()
	unchanged(t, dir, 0)
	one := stream.Options{Rows: 6} // one block has all positions
	if err := stream.Map(context.Background(), path("y.npy"), one, func(x ...E) E { return op.CumSum(x[0], 0) }, path("a.npy")); err != nil {
		t.Error(err)
	}
}

// unchanged requires that y.npy is what it was, beside a number of temporary
// files.
func unchanged(t *testing.T, dir string, temporary int) {
	t.Helper()
	if b, err := os.ReadFile(filepath.Join(dir, "y.npy")); err != nil || !bytes.Equal(b, []byte("kept")) {
		t.Errorf("y.npy is %q: %v", b, err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".npy-*")); len(left) != temporary {
		t.Errorf("%d temporary files: %v", len(left), left)
	}
}

// TestKilled ends a process in the middle of a file.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("ONELOOP_STREAM_KILL"); dir != "" {
		o := stream.Options{Rows: 2, Progress: func(done, _ int) {
			if p, err := os.FindProcess(os.Getpid()); err == nil && done == 4 {
				_ = p.Kill()
				select {}
			}
		}}
		t.Fatal("the process lives: ", stream.Map(context.Background(), filepath.Join(dir, "y.npy"), o, func(x ...E) E { return op.Exp(x[0]) }, filepath.Join(dir, "a.npy")))
	}
	if testing.Short() {
		t.Skip("starts a process")
	}
	dir := write(t, 6)
	if err := os.WriteFile(filepath.Join(dir, "y.npy"), []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
	cmd.Env = append(os.Environ(), "ONELOOP_STREAM_KILL="+dir)
	if out, err := cmd.CombinedOutput(); err == nil || bytes.Contains(out, []byte("lives")) {
		t.Fatalf("%v: %s", err, out)
	}
	unchanged(t, dir, 1)
}

// TestEmpty tests that positions without elements are one block, however many.
func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "x.npy"), filepath.Join(dir, "y.npy")
	if err := engine.Zeros[float64](1<<24, 0).Save(in); err != nil {
		t.Fatal(err)
	}
	blocks := 0
	o := stream.Options{Progress: func(int, int) { blocks++ }}
	if err := stream.Map(t.Context(), out, o, func(x ...E) E { return op.Exp(x[0]) }, in); err != nil {
		t.Fatal(err)
	}
	if blocks > 2 {
		t.Errorf("%d blocks", blocks)
	}
}
