package jit

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/oneloop/oneloop/engine/internal/cpucache"
	"github.com/oneloop/oneloop/engine/internal/jit/frame"
	"github.com/oneloop/oneloop/engine/internal/jit/layout"
	"github.com/oneloop/oneloop/expr/dtype"
)

// TestTiles compares maps with transposed operands with the interpreter: of every
// element size, and with extents near the sizes of blocks and tiles.
func TestTiles(t *testing.T) {
	extents := []int{16, 17, 31, 32, 33, 100, 128, 129, layout.TileLanes - 1, layout.TileLanes, layout.TileLanes + 1, 2*layout.TileLanes + 5}
	found := 0
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		memory := dtype.Real()
		mem := memory[seed%len(memory)]
		reg := mem.Register()
		rows, columns := extents[r.IntN(len(extents))], extents[r.IntN(len(extents))]
		op := "add"
		if mem == dtype.Bool {
			op = "xor"
		}
		k := parse(t, fmt.Sprintf(`kernel across
axis i0 i1
buf a %[1]s in 2
buf b %[1]s in 2
buf c %[1]s in 2
buf out %[1]s out 2
{
  vec i0 i1 {
    %%0 = load %[2]s a[i0, i1]
    %%1 = load %[2]s b[i1, i0]
    %%2 = load %[2]s c[i1, i0]
    %%3 = %[3]s %[2]s %%0 %%1
    %%4 = %[3]s %[2]s %%3 %%2
    store %[2]s out[i0, i1] %%4
  }
}`, mem.Short(), reg.Short(), op))
		s := newSetup(t, r, k, []int{rows, columns}, nil, [][]int{{rows, columns}, {columns, rows}, {columns, rows}, {rows, columns}}, true)
		for _, be := range isas(t) {
			inst := s.instance(t, be)
			if in, ok := inst.(*instance); ok && len(in.phases[0].TileSites) == 2 {
				found++
			}
		}
		differ(t, r, s)
	}
	if found < 30*len(isas(t)) {
		t.Errorf("tiles are used %d times", found)
	}
}

// TestHeldLines compares sums in place of an array and one that is transposed with the interpreter. Elements of 8 bytes go one by one where the
// first-level cache holds their lines, and by tiles where the lines share its sets, or another cache is too small. Rows of a few elements of
// 4 bytes are tiles if they are many and not too short.
func TestHeldLines(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 3))
	defer useModel(defaultsWith(cpucache.Sizes{L1: 32 << 10, L2: 512 << 10, L3: 8 << 20}))()
	for _, c := range []struct {
		typ           dtype.Type
		rows, columns int
		tiles         bool
	}{{dtype.F64, 203, 200, false}, {dtype.I64, 150, 317, false}, {dtype.F64, 205, 330, true}, {dtype.F64, 256, 200, true}, {dtype.F32, 203, 200, true}, {dtype.U64, 703, 101, true}, {dtype.F32, 300, 25, true}, {dtype.I32, 128, 16, true}, {dtype.F32, 33, 25, false}, {dtype.U32, 400, 12, false}} {
		k := parse(t, fmt.Sprintf("kernel held\naxis i0 i1\nbuf y %[1]s inout 2\nbuf b %[1]s in 2\n{\nvec i0 i1 {\n%%0 = load %[1]s y[i0, i1]\n%%1 = load %[1]s b[i1, i0]\n%%2 = add %[1]s %%0 %%1\nstore %[1]s y[i0, i1] %%2\n}\n}", c.typ.Short()))
		e, transposed := []int{c.rows, c.columns}, []int{c.columns, c.rows}
		s := newSetup(t, r, k, e, nil, [][]int{e, transposed}, true)
		for _, be := range isas(t) {
			want := c.tiles || be.Name() == "neon" && c.typ.Size() == 4 // which lays no such rows
			if has := len(s.instance(t, be).(*instance).phases[0].TileSites) > 0; has != want {
				t.Errorf("%s: %d x %d of %s: tiles %v, want %v", be.Name(), c.rows, c.columns, c.typ, has, want)
			}
		}
		differ(t, r, s)
	}
}

// TestTransposedRows compares maps with one transposed operand with the interpreter, of which x86 transposes blocks in registers: of every type
// of 4 and 8 bytes, with rows and lanes that are no whole blocks, beside operands that are the same in all rows, or in all elements, and
// stacks of such arrays. Others keep their tiles: sums in place, and operands that differ from row to row alone.
func TestTransposedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 13))
	const head = "kernel transposed\naxis i0 i1 i2\nbuf a TYPE in 3\nbuf b TYPE in 3\nbuf c TYPE in 1\nbuf y TYPE MODE 3\n{\nvec i0 i1 i2 {\n%1 = load TYPE b[i0, i2, i1]\n%2 = load TYPE c[AT]\n%3 = sub TYPE %2 %1\n"
	for name, c := range map[string]struct {
		mode, at, body string
		transposed     bool
	}{
		"other operand": {"out", "i2", "%4 = load TYPE a[i0, i1, i2]\n%5 = mul TYPE %3 %4\nstore TYPE y[i0, i1, i2] %5", true},
		"one element":   {"out", "0", "%4 = load TYPE a[i0, i1, i2]\n%5 = max TYPE %3 %4\nstore TYPE y[i0, i1, i2] %5", true},
		"alone":         {"out", "i2", "store TYPE y[i0, i1, i2] %3", true},
		"predicate":     {"out", "i2", "%4 = lt bool %1 %2\n%5 = select TYPE %4 %2 %3\nstore TYPE y[i0, i1, i2] %5", true},
		"in place":      {"inout", "i2", "%4 = load TYPE y[i0, i1, i2]\n%5 = add TYPE %3 %4\nstore TYPE y[i0, i1, i2] %5", false},
		"each row":      {"out", "i1", "store TYPE y[i0, i1, i2] %3", false},
	} {
		for _, typ := range []dtype.Type{dtype.F32, dtype.F64, dtype.I32, dtype.I64, dtype.U32, dtype.U64} {
			body := head + c.body + "\n}\n}\n"
			if !strings.Contains(c.body, "a[") {
				body = strings.Replace(body, "buf a TYPE in 3\n", "", 1)
			}
			masks := name == "predicate" && typ.Size() == 8 // AVX-512 has no masks of four lanes
			k := parse(t, strings.NewReplacer("TYPE", typ.Short(), "MODE", c.mode, "AT", c.at).Replace(body))
			for range 4 {
				n, rows, lanes := 1+r.IntN(3), 8+r.IntN(30), 65+r.IntN(60)
				if r.IntN(4) == 0 {
					lanes += 2 * layout.TileLanes
				}
				e, transposed, same := []int{n, rows, lanes}, []int{n, lanes, rows}, []int{max(rows, lanes)}
				shapes := [][]int{e, transposed, same, e}
				if len(k.Bufs) == 3 {
					shapes = shapes[1:]
				}
				s := newSetup(t, r, k, e, nil, shapes, true)
				for _, be := range isas(t) {
					if is := s.instance(t, be).(*instance).phases[0].transposed != nil; is != (c.transposed && be.Name() != "neon" && !(masks && be.Name() == "avx512")) {
						t.Errorf("%s: %s, %v of %s: transposed in registers: %v", be.Name(), name, e, typ, is)
					}
				}
				differ(t, r, s)
			}
		}
	}
}

// TestCopiedTiles compares transposes with the interpreter: of every element size, with few
// rows and many, and through a third axis.
func TestCopiedTiles(t *testing.T) {
	extents := []int{3, 4, 8, 9, 16, 17, 32, 33, 100, 129, layout.TileLanes + 5, 1100}
	found := 0
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		memory := []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.I64, dtype.Bool}
		mem := memory[seed%len(memory)]
		n := []int{extents[r.IntN(len(extents))], 1 + r.IntN(3), extents[r.IntN(len(extents))]}
		k := parse(t, fmt.Sprintf(`kernel transpose
axis i0 i1 i2
buf b %[1]s in 3
buf out %[1]s out 3
{
  vec i0 i1 i2 {
    %%0 = load %[2]s b[i2, i1, i0]
    store %[2]s out[i0, i1, i2] %%0
  }
}`, mem.Short(), mem.Register().Short()))
		s := newSetup(t, r, k, n, nil, [][]int{{n[2], n[1], n[0]}, n}, seed%3 != 0)
		for _, be := range isas(t) {
			if in, ok := s.instance(t, be).(*instance); ok && in.phases[0].Copy >= 0 {
				found++
			}
		}
		differ(t, r, s)
	}
	if found < 20*len(isas(t)) {
		t.Errorf("tiles are copied %d times", found)
	}
}

// TestRowsOfOneSet compares transposes whose rows are about a multiple of 4096 bytes apart, or 16 of them are, with the interpreter: x86 moves no
// tiles there straight from array to array, and does at other distances.
func TestRowsOfOneSet(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	for _, mem := range []dtype.Type{dtype.U8, dtype.I16, dtype.F32, dtype.F64, dtype.F16} {
		size := mem.Size()
		k := parse(t, fmt.Sprintf("kernel sets\naxis i0 i1\nbuf b %[1]s in 2\nbuf out %[1]s out 2\n{\nvec i0 i1 {\n%%0 = load %[2]s b[i1, i0]\nstore %[2]s out[i0, i1] %%0\n}\n}", mem.Short(), mem.Register().Short()))
		for row, shares := range map[int]bool{1024: true, 1025: true, 1023: true, 2048: true, 512: size == 8, 1040: false, 1000: false} {
			n := 40 + r.IntN(70)
			s := newSetup(t, r, k, []int{n, row}, nil, [][]int{{row, n}, {n, row}}, true)
			for _, be := range isas(t) {
				in, ok := s.instance(t, be).(*instance)
				if ok && be.Name() != "neon" && mem != dtype.F16 && (in.phases[0].Copy < 0) != shares {
					t.Errorf("%s, %d rows of %d %s: tiles go by way of other memory: %v, want %v", be.Name(), n, row, mem, !shares, shares)
				}
			}
			differ(t, r, s)
		}
	}
}

// TestFewLanes compares transposes whose rows are short and apart with the interpreter: x86 copies them by blocks of as few as four
// lanes. The rows of the operand are in either direction.
func TestFewLanes(t *testing.T) {
	found, few := 0, 0
	for seed := range 120 {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		memory := []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.I8, dtype.U8, dtype.I16, dtype.U16, dtype.I32, dtype.I64, dtype.Bool}
		mem := memory[seed%len(memory)]
		n := []int{1 + r.IntN(3), 16 + r.IntN(150), 1 + r.IntN(3), 3 + r.IntN(14)}
		at := "i1"
		if r.IntN(3) == 0 {
			at = fmt.Sprintf("%d+i1*-1", n[1]-1)
		}
		k := parse(t, fmt.Sprintf("kernel few\naxis i0 i1 i2 i3\nbuf b %[1]s in 4\nbuf out %[1]s out 4\n{\nvec i0 i1 i2 i3 {\n%%0 = load %[2]s b[i0, i3, i2, %[3]s]\nstore %[2]s out[i0, i1, i2, i3] %%0\n}\n}",
			mem.Short(), mem.Register().Short(), at))
		s := newSetup(t, r, k, n, nil, [][]int{{n[0], n[3], n[2], n[1]}, n}, true)
		for _, be := range isas(t) {
			if bp := s.instance(t, be).(*instance).phases[0]; bp.FewLanes {
				found++
				few += int(frame.Bit(n[3]*mem.Size() < 16))
				if bp.Copy < 0 || n[2] == 1 || n[3] < 4 || mem == dtype.Bool {
					t.Errorf("%v of %s: tiles of few lanes", n, mem)
				}
			}
		}
		differ(t, r, s)
	}
	if all := isas(t); all[0].Name() != "neon" && (found < 20*len(all) || few < 10*len(all)) {
		t.Errorf("%d copies by tiles of few lanes, %d of less than 16 bytes", found, few)
	}
}

// TestTranspose transposes matrices of any extents with steps in both directions. Nothing beside them is read or written.
func TestTranspose(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, isa := range ISAs {
		g, err := New(isa)
		if err != nil {
			continue
		}
		for k := range 1000 {
			size, rows, columns := 1<<r.IntN(4), 1+r.IntN(70), 1+r.IntN(70)
			switch k % 50 { // more than one call transposes
			case 0:
				rows += mostTransposed
			case 1:
				columns += mostTransposed
			}
			across := columns + r.IntN(2)*r.IntN(5)
			from, free := guarded(t, ((rows-1)*across+columns)*size, r.IntN(2) > 0)
			to, freeTo := guarded(t, columns*rows*size, r.IntN(2) > 0)
			for i := range from {
				from[i] = byte(r.Uint32())
			}
			at, step := 0, across*size
			row := func(i int) int { return i * step }
			if r.IntN(2) > 0 {
				at, step = (rows-1)*step, -step
				row = func(i int) int { return (rows - 1 - i) * -step }
			}
			g.(*generator).NewTranspose(size)(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[at]), rows, columns, rows*size, step)
			for i := range rows {
				for j := range columns {
					if want := from[row(i)+j*size:][:size]; !bytes.Equal(to[(j*rows+i)*size:][:size], want) {
						t.Fatalf("%s: element %d, %d of %dx%d of %d bytes is wrong", isa, i, j, rows, columns, size)
					}
				}
			}
			free()
			freeTo()
		}
	}
}
