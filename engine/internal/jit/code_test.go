package jit_test

import (
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine/internal/host"
	"github.com/oneloop/oneloop/engine/internal/jit"
	"github.com/oneloop/oneloop/engine/internal/jit/exec"
	"github.com/oneloop/oneloop/engine/internal/listing"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula/numpy"
	"github.com/oneloop/oneloop/expr/formula/syntax"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/lists"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/shape"
)

var update = flag.Bool("update", false, "write the machine code of this version to testdata/code")

// TestCode compares the machine code of formulas with testdata/code/*.txtar: arrays,
// statements, and a section for each target. With -update it accepts the present code.
func TestCode(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	jit.FixCaches(t)
	files, err := filepath.Glob("../../../testdata/code/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no files", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			head := string(data)
			for _, isa := range jit.ISAs {
				head, _, _ = strings.Cut(head, "-- "+isa+" --\n")
			}
			arrays, text, _ := strings.Cut(head, "-- statements --\n")
			pl, err := plan.Compile(t.Context(), statements(t, arrays, text))
			if err != nil {
				t.Fatal(err)
			}
			made := head
			for _, be := range jit.Generators() {
				kernels, err := host.Listings(be, pl)
				if err != nil {
					t.Fatal(err)
				}
				made += "-- " + be.Name() + " --\n"
				for _, k := range kernels {
					made += code(k)
				}
			}
			if *update {
				if err := os.WriteFile(path, []byte(made), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if made != string(data) {
				t.Errorf("the code differs from %s; it is now\n%s", path, made)
			}
		})
	}
}

// TestHalves fails if a loop that loads and stores bound has vectors of 512 bits or several at once where the processor takes such
// vectors in two halves, or vectors of 256 bits where it takes them whole. Outside the first level it has them one after the other,
// those of AVX2 unless elements are far apart, but never those of NEON, whose addresses take an instruction each.
func TestHalves(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		fix     func(*testing.T)
		text    string
		formula string
		want    [2]bool // vectors of 512 bits, one after the other
		alone   bool    // not those of AVX2
	}{
		{jit.FixCaches, "x 1000 float32\nz 1000 float32", "y = x + z", [2]bool{true, false}, false},
		{jit.FixHalves, "x 1000 float32\nz 1000 float32", "y = x + z", [2]bool{false, true}, false},
		{jit.FixWide, "x 1000 float32\nz 1000 float32", "y = x + z", [2]bool{true, false}, false},
		{jit.FixWide, "x 10000 float32\nz 10000 float32", "y = x + z", [2]bool{true, true}, false},
		{jit.FixWide, "x 160000 float32\nz 10000 float32", "y = x[::16] + z", [2]bool{true, true}, true},
		{jit.FixWide, "z 1000 float64\ny 40000 float64", "y[::40] += z", [2]bool{true, true}, true},
	} {
		c.fix(t)
		for target, text := range codes(t, c.text, c.formula) {
			got := [2]bool{strings.Contains(text, "zmm"), strings.Contains(text, "one after the other")}
			if target == "avx512" && got != c.want || target == "avx2" && got[1] != (c.want[1] && !c.alone) || target == "neon" && got[1] {
				t.Errorf("%s, %q: vectors of 512 bits %v, one after the other %v, want %v", target, c.text, got[0], got[1], c.want)
			}
		}
	}
}

// TestGroups tests how many vectors loops have at once: four if the values between the nodes of a long loop have registers, though four
// times those of a node have none, because each line of many rows brings in the next ones; three of a long body, whose results the
// processor waits for; two of a filter whose weights have no registers beside four; and of one array that is reduced in any order half
// of them in its second half.
func TestGroups(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	jit.FixCaches(t)
	const halves = "main loop: 4 vectors at once, half of them in the second half of the elements"
	for _, c := range []struct {
		arrays, text string
		want         map[string]string // by target
	}{
		{"x 40x1000 float32", "y = sum(x.T, axis=1, dtype=x.dtype)", map[string]string{"avx512": "main loop: 4 vectors at once", "neon": "main loop: 4 vectors at once"}},
		{"x 2x4x64x104 float32\nw 4x1x5x5 float32", "y = conv(x, w, 1, 0, 1, 4)", map[string]string{"avx512": "main loop: 2 vectors at once", "neon": "main loop: 2 vectors at once"}},
		{"x 4000 float32", "y = arcsinh(x)", map[string]string{"avx512": "main loop: 3 vectors at once", "avx2": "main loop: 2 vectors at once"}},
		{"x 4000 float32", "y = tanh(x)", map[string]string{"avx512": "main loop: 3 vectors at once", "avx2": "main loop: 2 vectors at once"}},
		{"x 100000 int32", "y = max(x)", map[string]string{"avx512": halves, "avx2": halves, "neon": halves}},
		{"x 100000 int32\nz 100000 int32", "y = max(x*z)", map[string]string{"avx512": "main loop: 4 vectors, 4 at once"}},
	} {
		for target, text := range codes(t, c.arrays, c.text) {
			if !strings.Contains(text, c.want[target]) {
				t.Errorf("%s of %s, %s, has not %q: %s", c.text, c.arrays, target, c.want[target], text)
			}
		}
	}
}

// TestSelectors tests that loops over records, along them and down their columns, and loops that store several short rows at once keep the
// selectors of permutes in registers, and loops that make narrow integers of floats their limits.
func TestSelectors(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	jit.FixCaches(t)
	for _, c := range [][3]string{
		{"x 40x48x2 float32", "y = sum(x, axis=(0, 2), dtype=x.dtype)", "vpermt2ps"},
		{"x 40x48x3 float32", "y = sum(x, axis=(0, 2), dtype=x.dtype)", "vpermt2ps"},
		{"x 40x48x4 float32", "y = sum(x, axis=(0, 2), dtype=x.dtype)", "vpermt2ps"},
		{"x 40x48x8 float32", "y = sum(x, axis=(0, 2), dtype=x.dtype)", "vpermt2ps"},
		{"x 4800x4 float32", "y = x[:, 0]*x[:, 1] + x[:, 2]*x[:, 3]", "vpermt2ps"},
		{"x 4800x8 float32", "y = x[:, 0]*x[:, 1] + x[:, 2]*x[:, 3] + x[:, 4]*x[:, 5] + x[:, 6]*x[:, 7]", "vpermt2ps"},
		{"x 100x100x6 uint8", "y = transpose(x, (1, 0, 2))", "vpshufb"},
		{"x 100x100x3 int16", "y = transpose(x, (1, 0, 2))", "vpshufb"},
		{"x 4000 float32", "y = x.astype(int8)", "vfixupimmps"},
		{"x 4000 float64", "y = x.astype(int16)", "vfixupimmpd"},
	} {
		for target, text := range codes(t, c[0], c[1]) {
			if loads, all := strings.Count(text, "mmword ptr [rip")+strings.Count(text, "{1to"), strings.Count(text, c[2]); (target == "avx512" || c[2] == "vpshufb" && target == "avx2") && (all == 0 || loads > all/2) {
				t.Errorf("%s, %s: %d loads of constants for %d instructions", target, c[0], loads, all)
			}
		}
	}
}

// TestRowMasks looks in which loops each short row is one move under a mask: of AVX-512, and of arrays that fit into the second level.
func TestRowMasks(t *testing.T) {
	if _, err := exec.Probe(); err != nil {
		t.Skip(err)
	}
	jit.FixCaches(t)
	for rows, want := range map[string]bool{"1000": true, "1000000": false} {
		for target, text := range codes(t, "x "+rows+"x3 float32\ny "+rows+"x8 float32", "y[:, 5:] = x") {
			loop, _, _ := strings.Cut(text, "tail:")
			if got := strings.Contains(loop, "{k7}"); got != (want && target == "avx512") {
				t.Errorf("%s, %s rows: moves under a mask: %v, want %v", target, rows, got, want)
			}
		}
	}
}

// codes yields the targets, and for each the instructions of the first kernel of statements on arrays.
func codes(t *testing.T, arrays, text string) iter.Seq2[string, string] {
	t.Helper()
	pl, err := plan.Compile(t.Context(), statements(t, arrays, text))
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(target, text string) bool) {
		for _, be := range jit.Generators() {
			kernels, err := host.Listings(be, pl)
			if err != nil {
				t.Fatal(err)
			}
			if !yield(be.Name(), code(kernels[0])) {
				return
			}
		}
	}
}

// code returns the instructions of a kernel with their notes, without offsets.
func code(k *listing.Kernel) string {
	var b strings.Builder
	if k.Fallback != "" {
		fmt.Fprintf(&b, "interpreted: %s\n", k.Fallback)
	}
	for _, f := range k.Functions {
		fmt.Fprintf(&b, "%s (%d bytes) %s\n", f.Name, f.Text, f.Variant)
		for _, l := range f.Lines {
			switch l.Kind {
			case listing.Head:
				fmt.Fprintf(&b, "# %s\n", l.Text)
			case listing.Note:
				fmt.Fprintf(&b, "  # %s\n", l.Text)
			case listing.Label:
				fmt.Fprintf(&b, "%s:\n", l.Text)
			case listing.Insn:
				fmt.Fprintf(&b, "    %s\n", l.Text)
			}
		}
	}
	return b.String()
}

type memory struct{ size int }

func (*memory) Device() string { return "cpu" }
func (m *memory) Size() int    { return m.size }

// statements returns the statements of a formula on arrays: lines of a name, extents and
// a type. A name that is assigned and is no array becomes one.
func statements(t *testing.T, arrays, text string) []expr.Statement {
	t.Helper()
	env := map[string]*tree.Node{}
	array := func(name string, s shape.Shape, typ dtype.Type) *tree.Node {
		return tree.NewLeaf(typ, s, &tree.Leaf{Mem: &memory{s.Size() * typ.Size()}, Strides: s.Strides(), Name: name})
	}
	for line := range strings.Lines(arrays) {
		f := strings.Fields(line)
		var s shape.Shape
		for d := range strings.SplitSeq(f[1], "x") {
			var n int
			if _, err := fmt.Sscan(d, &n); err != nil {
				t.Fatal(line, err)
			}
			s = append(s, n)
		}
		i := slices.IndexFunc(dtype.Real(), func(x dtype.Type) bool { return x.String() == f[2] })
		if i < 0 {
			t.Fatalf("%s: no type", line)
		}
		env[f[0]] = array(f[0], s, dtype.Real()[i])
	}
	parsed, err := syntax.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	formula, err := syntax.Expand(parsed)
	if err != nil {
		t.Fatal(err)
	}
	assigned := lists.Map(formula, (*syntax.Statement).Name)
	unit, err := numpy.Build(formula, numpy.Options{Env: env, Want: assigned})
	if err != nil {
		t.Fatal(err)
	}
	stmts := unit.Statements
	for _, name := range assigned {
		if n := unit.Values[name]; n != nil && n.Leaf == nil {
			stmts = append(stmts, expr.Statement{Target: array(name, n.Shape(), n.DType()), Value: n})
			delete(unit.Values, name)
		}
	}
	return stmts
}
