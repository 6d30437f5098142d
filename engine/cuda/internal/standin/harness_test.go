package standin

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/cudagen"
	"github.com/oneloop/oneloop/engine/internal/backend"
	"github.com/oneloop/oneloop/engine/internal/interp"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan/ir"
)

// base is where the test program has its memory: all addresses that it sees
// begin here.
const base = 0x2000_0000_0000

// A trial is a kernel with data, and what the interpreter makes of it.
type trial struct {
	name    string
	k       *ir.Kernel
	b       *ir.Binding
	device  cudagen.Device
	wide    bool     // 64-bit indices
	mem     []byte   // everything, as it is before the run
	spans   [][2]int // of the arrays in mem, by buffer
	at      []int    // coordinate 0 of each array, in mem
	want    []byte   // mem after the run
	fault   ir.FaultKind
	src     *cudagen.Source
	bound   *cudagen.Bound
	faults  int // offset of the fault words in mem
	scratch int
	far     int // offset in mem of the arguments, if they are not passed
	first   int // number of the first entry in the program
}

// gap is the room between arrays.
const gap = 64

// newTrial puts arrays of random contents and layout (plain ones are contiguous
// and aligned) into memory and runs the interpreter.
func newTrial(t *testing.T, r *rand.Rand, name string, k *ir.Kernel, extents, params []int, shapes [][]int, plain bool) *trial {
	t.Helper()
	return newTrialOf(t, r, name, k, extents, params, shapes, plain, func(t dtype.Type) uint64 { return randir.MemoryBits(r, t) })
}

// newTrialOf is newTrial with the contents of arrays.
func newTrialOf(t *testing.T, r *rand.Rand, name string, k *ir.Kernel, extents, params []int, shapes [][]int, plain bool, bits func(dtype.Type) uint64) *trial {
	t.Helper()
	c := &trial{name: name, k: k, b: &ir.Binding{Extents: extents, Params: params}, device: device(r), wide: r.IntN(4) == 0}
	for _, typ := range k.Scalars {
		c.b.Scalars = append(c.b.Scalars, randir.ScalarBits(r, typ))
	}
	for i := range k.Bufs {
		c.array(r, &k.Bufs[i], shapes[i], plain, bits)
	}
	c.layout(t)
	c.interpret(t)
	return c
}

// device is a small one, so that loops over the grid have several turns; some
// have little shared memory.
func device(r *rand.Rand) cudagen.Device {
	d := cudagen.Device{SMs: 1 + r.IntN(3), Shared: 48 << 10}
	switch r.IntN(3) {
	case 0:
		d.Shared = 512
	case 1:
		d.Shared = 227 << 10
	}
	return d
}

// array adds an array of random layout.
func (c *trial) array(r *rand.Rand, d *ir.Buf, shape []int, plain bool, bits func(dtype.Type) uint64) {
	if d.Mode == ir.Row {
		c.place(d, nil, nil, 0, nil)
		return
	}
	strides, _, _ := randir.Layout(r, d, shape, plain)
	skew := 0
	if !plain {
		skew = r.IntN(4)
	}
	c.place(d, strides, shape, skew, bits)
}

// place adds an array with contents, some elements after an aligned address.
func (c *trial) place(d *ir.Buf, strides, shape []int, skew int, bits func(dtype.Type) uint64) {
	if d.Mode == ir.Row {
		c.b.Bufs = append(c.b.Bufs, ir.BufBind{})
		c.spans, c.at = append(c.spans, [2]int{}), append(c.at, 0)
		return
	}
	lo, hi := 0, 0
	for j := range strides {
		if reach := strides[j] * max(shape[j]-1, 0); reach < 0 {
			lo += reach
		} else {
			hi += reach
		}
	}
	size := d.Type.Size()
	total := hi - lo + 1
	if slices.Contains(shape, 0) {
		total, lo = 1, 0
	}
	start := (len(c.mem)+gap+63)/64*64 + skew*size
	c.mem = append(c.mem, make([]byte, start-len(c.mem)+total*size)...)
	randir.Fill(c.mem[start:], d.Type, bits)
	c.spans = append(c.spans, [2]int{start, start + total*size})
	c.at = append(c.at, start-lo*size)
	c.b.Bufs = append(c.b.Bufs, ir.BufBind{Strides: strides, Extents: shape})
}

// layout generates the code and adds the fault words and the scratch memory.
func (c *trial) layout(t *testing.T) {
	t.Helper()
	var addresses []uint64
	for _, a := range c.at {
		addresses = append(addresses, base+uint64(a))
	}
	l, err := cudagen.LayoutOf(c.k, c.b, addresses, c.device)
	if c.wide {
		l = l.Wide()
	}
	if err == nil {
		c.src = cudagen.Generate(c.k, l)
		c.bound, err = c.src.Bind(c.b, c.device)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%v", c.name, err, c.k)
	}
	c.faults = (len(c.mem) + gap + 63) / 64 * 64
	scratch := c.faults + 256
	c.mem = append(c.mem, make([]byte, scratch-len(c.mem))...)
	for range c.bound.Scratch {
		c.mem = append(c.mem, 0xa5)
	}
	c.scratch = scratch
	if c.src.Indirect {
		c.far = (len(c.mem) + 63) / 64 * 64
		c.mem = append(c.mem, make([]byte, c.far-len(c.mem)+len(c.bound.Args))...)
	}
	c.setArgs()
}

func (c *trial) setArgs() {
	var addresses []uint64
	for _, a := range c.at {
		addresses = append(addresses, base+uint64(a))
	}
	c.bound.SetArgs(addresses, c.b.Scalars, base+uint64(c.scratch), base+uint64(c.faults))
	if c.src.Indirect {
		copy(c.mem[c.far:], c.bound.Args)
	}
}

// passed are the bytes of the one argument of the launches.
func (c *trial) passed() []byte {
	if c.src.Indirect {
		return binary.LittleEndian.AppendUint64(nil, base+uint64(c.far))
	}
	return c.bound.Args
}

// interpret runs the interpreter on a copy of the memory.
func (c *trial) interpret(t *testing.T) {
	t.Helper()
	words := make([]uint64, len(c.mem)/8+1)
	c.want = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(c.mem))
	copy(c.want, c.mem)
	b := *c.b
	b.Bufs = slices.Clone(b.Bufs)
	for i := range b.Bufs {
		if c.k.Bufs[i].Mode != ir.Row {
			b.Bufs[i].Ptr = unsafe.Pointer(&c.want[c.at[i]])
		}
	}
	code, err := interp.New().Compile(c.k)
	var inst backend.Instance
	if err == nil {
		inst, err = code.Bind(&b)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%v", c.name, err, c.k)
	}
	inst.Begin()
	w := inst.NewWorker()
	n, _, _ := inst.Units()
	w.Run(0, n)
	c.fault = inst.Finish(w)
}

// program is the C++ of many kernels.
func program(trials []*trial) string {
	var w, table strings.Builder
	w.WriteString("#include \"shim.h\"\n")
	w.WriteString(cudagen.Prelude)
	entries := 0
	seen := map[string]int{}
	for i, c := range trials {
		if first, ok := seen[c.src.Code]; ok {
			c.first = first
			continue
		}
		seen[c.src.Code] = entries
		fmt.Fprintf(&w, "\n// %s\nnamespace k%d {\n%s", c.name, i, strings.TrimPrefix(c.src.Code, cudagen.Prelude))
		c.first = entries
		for _, e := range c.src.Entries {
			fmt.Fprintf(&w, "static void run_%s(const void *a) { %s(*(const args *)a); }\n", e, e)
			fmt.Fprintf(&table, "k%d::run_%s,\n", i, e)
			entries++
		}
		w.WriteString("}\n")
	}
	fmt.Fprintf(&w, "static void (*functions[])(const void *) = {\n%s};\n#include \"harness.h\"\n", &table)
	// Kernels are extern "C" for NVRTC; here they may have equal names.
	return strings.ReplaceAll(w.String(), "extern \"C\" __global__", "__global__")
}

// optimization is the flag of g++ for kernels. Most of the time of these tests goes into g++, which takes twice
// as long where it optimizes. Only deep tests do, in which a program that C++ does not define may show.
func optimization() string {
	if testlevel.Deep() {
		return "-O1"
	}
	return "-O0"
}

// execute compiles the kernels of all trials and runs them, with threads and
// blocks forward and in reversed order. It returns what the memory of each run is
// afterwards, as far as the program got.
func execute(t *testing.T, trials []*trial, flags ...string) (got, message []byte, failed error) {
	t.Helper()
	dir := t.TempDir()
	Write(t, Sources, dir)
	if err := os.WriteFile(filepath.Join(dir, "kernels.cc"), []byte(program(trials)), 0o644); err != nil {
		t.Fatal(err)
	}
	Compile(t, dir, "kernels", append([]string{optimization(), "-std=c++17", "-ffp-contract=off", "-w", "kernels.cc"}, flags...)...)
	var jobs bytes.Buffer
	for _, c := range trials {
		c.job(&jobs, 0)
		c.job(&jobs, 1)
	}
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(in, jobs.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	message, failed = exec.Command(filepath.Join(dir, "kernels"), in, out).CombinedOutput()
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return got, message, failed
}

// run executes the kernels of all trials and compares.
func run(t *testing.T, trials []*trial, flags ...string) {
	t.Helper()
	got, message, failed := execute(t, trials, flags...)
	for _, c := range trials {
		for _, order := range []string{"forward", "reversed"} {
			if len(got) < len(c.mem) {
				t.Fatalf("%s: %v\n%.3000s\n%v\n%s", c.name, failed, message, c.k, strings.TrimPrefix(c.src.Code, cudagen.Prelude))
			}
			c.compare(t, got[:len(c.mem)], order)
			got = got[len(c.mem):]
		}
		if t.Failed() {
			return
		}
	}
	if failed != nil {
		t.Fatalf("%v\n%.3000s", failed, message)
	}
}

// job writes the commands for one run.
func (c *trial) job(w *bytes.Buffer, reverse uint32) {
	var gaps [][2]uint64
	last := 0
	for _, s := range append(slices.Clone(c.spans), [2]int{c.faults, len(c.mem)}) {
		if s[1] > s[0] {
			gaps = append(gaps, [2]uint64{uint64(last), uint64(s[0] - last)})
			last = s[1]
		}
	}
	write := func(x any) {
		if err := binary.Write(w, binary.LittleEndian, x); err != nil {
			panic(err)
		}
	}
	write([]uint64{base, uint64(len(c.mem)), uint64(len(gaps)), uint64(len(c.bound.Launches))})
	w.Write(c.mem)
	write(gaps)
	for _, l := range c.bound.Launches {
		args := c.passed()
		write(uint64((len(args) + 7) / 8))
		write([]uint32{uint32(c.first + l.Entry), reverse, l.Shared, 0})
		write(l.Grid)
		write(l.Block)
		w.Write(args)
		w.Write(make([]byte, -len(args)&7))
	}
}

// compare looks at every byte but those of the scratch memory.
func (c *trial) compare(t *testing.T, got []byte, order string) {
	t.Helper()
	show := func() string {
		return fmt.Sprintf("extents %v params %v bufs %v device %v\n%v\n%s", c.b.Extents, c.b.Params, c.b.Bufs, c.device, c.k, strings.TrimPrefix(c.src.Code, cudagen.Prelude))
	}
	if f := cudagen.Raised(got[c.faults:]); f != c.fault {
		t.Errorf("%s, %s: fault %v, want %v\n%s", c.name, order, f, c.fault, show())
		return
	}
	last := 0
	for i, s := range c.spans {
		if s[1] == s[0] {
			continue
		}
		if !bytes.Equal(got[last:s[0]], c.mem[last:s[0]]) {
			t.Errorf("%s, %s: written before %s\n%s", c.name, order, c.k.Bufs[i].Name, show())
			return
		}
		last = s[1]
		d := &c.k.Bufs[i]
		size := d.Type.Size()
		if j := randir.Differ(d.Type, got[s[0]:s[1]], c.want[s[0]:s[1]]); j >= 0 {
			at := s[0] + j*size
			t.Errorf("%s, %s: %s: byte %d is %#x, want %#x (was %#x)\n%s", c.name, order, d.Name, at-c.at[i], randir.Get(got[at:], size), randir.Get(c.want[at:], size), randir.Get(c.mem[at:], size), show())
			return
		}
	}
}
