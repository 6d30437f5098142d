package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/npy"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// mappedPath names in the environment the file that the child process of TestMapped
// reads.
const mappedPath = "ONELOOP_TEST_MAPPED"

const (
	mappedColumns = 4096
	mappedWindow  = 2048 // rows that are mapped at once, 32 MiB
)

// TestMapped normalises a sparse .npy file row by row, and reduces it, in windows of
// memory-mapped rows. The process must have less than 200 MB of resident memory at
// all times. The file has 512 MiB; with ONELOOP_TESTS=deep it has 16 GiB.
func TestMapped(t *testing.T) {
	if path := os.Getenv(mappedPath); path != "" {
		readMapped(t, path)
		return
	}
	if testlevel.Race || strconv.IntSize < 64 {
		t.Skip("the race detector needs memory of its own, and a large file 64 bits")
	}
	windows := testlevel.Every(512, 10) // more than may be resident
	rows := windows * mappedWindow
	path := filepath.Join(t.TempDir(), "sparse.npy")
	want := writeSparse(t, path, rows)

	ctx, cancel := context.WithTimeout(context.Background(), 9*time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestMapped$", "-test.v")
	child.Env = append(os.Environ(), mappedPath+"="+path)
	began := time.Now()
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found := regexp.MustCompile(`sum (\S+) peak (\d+) kB`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("the child writes %s", out)
	}
	sum, _ := strconv.ParseFloat(string(found[1]), 64)
	peak, _ := strconv.Atoi(string(found[2]))
	t.Logf("%d MiB in %v, %v of processor time: the sum is %v, at most %d MB are resident", rows*mappedColumns*4>>20, time.Since(began).Round(time.Millisecond),
		child.ProcessState.UserTime()+child.ProcessState.SystemTime(), sum, peak/1000)
	if math.Abs(sum-want) > 1e-4*want {
		t.Errorf("the sum is %v, want %v", sum, want)
	}
	if peak == 0 || peak >= 200_000 {
		t.Errorf("%d kB are resident, want less than 200 MB", peak)
	}
}

// writeSparse writes an .npy file of zeros, but for the first row, one in the middle
// and the last one. It returns the sum of the squares of the normalised rows.
func writeSparse(t *testing.T, path string, rows int) float64 {
	t.Helper()
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, mappedColumns)
	header += strings.Repeat(" ", 128-10-1-len(header)) + "\n"
	head := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(head[8:], uint16(len(header)))
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(string(head) + header); err != nil {
		t.Fatal(err)
	}
	row := make([]float32, mappedColumns)
	for i := range row {
		row[i] = float32(i%2)*6 + 1 // mean 4, variance 9
	}
	for _, at := range []int{0, rows/2 + 1, rows - 1} {
		if _, err := f.WriteAt(dtype.Bytes(row), 128+int64(at)*mappedColumns*4); err != nil {
			t.Fatal(err)
		}
	}
	return 3 * mappedColumns * 9 / (9 + 1e-3)
}

// readMapped prints the sum of the squares of the normalised rows of a file, and the
// most memory that was resident.
func readMapped(t *testing.T, path string) {
	ctx := context.Background()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, at, err := npy.ReadHeader(f)
	if err != nil {
		t.Fatal(err)
	}
	x := engine.Zeros[float32](mappedWindow, mappedColumns)
	centred := op.Sub(x, op.Mean(x, op.Axis(1), op.KeepDims()))
	variance := op.Mean(op.Square(centred), op.Axis(1), op.KeepDims())
	normalised := op.Div(centred, op.Sqrt(op.Add(variance, op.Full[float32](1e-3))))
	sum := engine.Zeros[float32]()
	p, err := engine.Compile(ctx, expr.Let(sum, op.Sum(op.Square(normalised))))
	if err != nil {
		t.Fatal(err)
	}
	total, size := 0.0, int64(mappedWindow*mappedColumns*4)
	page := int64(os.Getpagesize())
	for row := 0; row < h.Shape[0]; row += mappedWindow {
		from := at + int64(row/mappedWindow)*size
		b, err := unix.Mmap(int(f.Fd()), from/page*page, int(from%page+size), unix.PROT_READ, unix.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Array().Memory().Rebind(b[from%page:][:size]); err != nil {
			t.Fatal(err)
		}
		if err := p.Run(ctx); err != nil {
			t.Fatal(err)
		}
		total += float64(sum.Values()[0])
		if err := unix.Munmap(b); err != nil {
			t.Fatal(err)
		}
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, peak, _ := bytes.Cut(status, []byte("VmHWM:"))
	fmt.Printf("sum %v peak %s kB\n", total, bytes.Fields(peak)[0])
}
