package nn_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine/nn"
	"github.com/oneloop/oneloop/expr/op"
)

// savePath names in the environment the checkpoint that a child process of TestKill
// saves again and again.
const savePath = "ONELOOP_TEST_SAVE"

// newUniform returns a trainer whose parameters are all v.
func newUniform(t *testing.T, v float32) *nn.Trainer[float32] {
	t.Helper()
	tr := nn.NewTrainer(nn.NewSequential[float32](nn.NewLinear[float32](rng(), 512, 256)), nn.MSE[float32], nn.Adam[float32](.1))
	for _, p := range tr.Params() {
		if err := p.Value().Assign(op.Full[float32](v)); err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

// TestKill kills a process that saves two states of a training. The
// checkpoint must be one of them, whole, whenever the process dies.
func TestKill(t *testing.T) {
	states := []*nn.Trainer[float32]{newUniform(t, 1), newUniform(t, 2)}
	if path := os.Getenv(savePath); path != "" {
		for i, end := 0, time.Now().Add(2*time.Minute); time.Now().Before(end); i++ { // ends even if its parent has died
			if err := states[i%2].Save(path); err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				fmt.Println("saved")
			}
		}
		return
	}
	switch runtime.GOOS {
	case "js", "wasip1", "ios", "android":
		t.Skip("no processes")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "checkpoint")
	check(t, "Save", states[0].Save(path), nil)
	for kill := range 12 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKill$")
		child.Env = append(os.Environ(), savePath+"="+path)
		out, err := child.StdoutPipe()
		check(t, "StdoutPipe", err, nil)
		check(t, "Start", child.Start(), nil)
		var line string
		if _, err := fmt.Fscanln(out, &line); err != nil || line != "saved" {
			t.Errorf("the child writes %q, %v", line, err)
		}
		time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond)
		_ = child.Process.Kill()
		_ = child.Wait()
		cancel()
		again := newUniform(t, 3)
		if err := again.Load(path); err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		all := parameters(again)
		for i, v := range all {
			if v != all[0] || v != 1 && v != 2 {
				t.Fatalf("kill %d: element %d is %v, the first one %v", kill, i, v, all[0])
			}
		}
	}
	files, err := os.ReadDir(dir)
	check(t, "ReadDir", err, nil)
	t.Logf("%d of 12 kills left an incomplete new file beside the checkpoint", len(files)-1)
}
