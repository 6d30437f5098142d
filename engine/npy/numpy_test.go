package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
)

// theirs saves arrays as NumPy does, and checks the arrays that Go wrote. Files
// are called TYPE-SHAPE-ORDER-ENDIAN.npy; every array holds 0, 1, 2, ... in
// its logical order, reduced to the type; the imaginary parts are twice the real ones.
const theirs = `
import sys, os, itertools, warnings
import numpy as np
try:
    import ml_dtypes
    bf16 = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    bf16 = None
ours, out = sys.argv[1:]
shapes = {'s': (), '0': (0,), '5': (5,), '2x3': (2, 3), '2x0x3': (2, 0, 3), '2x3x4': (2, 3, 4), '1s': (1,) * 32}
types = ['bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float16', 'bfloat16', 'float32', 'float64', 'complex64', 'complex128']
def make(t, shape, order):
    n = int(np.prod(shape, dtype=np.int64))
    a = np.arange(n) % 2 == 1 if t == 'bool' else np.arange(n).astype(bf16 if t == 'bfloat16' else t)
    a = a * a.dtype.type(1 + 2j) if t.startswith('complex') else a
    return np.asarray(a.reshape(shape), order=order)
for t, (s, shape), order in itertools.product(types, shapes.items(), 'CF'):
    name = f'{t}-{s}-{order}'
    if t == 'bfloat16' and bf16 is None:
        got = np.load(os.path.join(ours, name + '-l.npy'))
        assert got.shape == shape and got.dtype == np.dtype('V2'), name
        continue
    want = make(t, shape, order)
    np.save(os.path.join(out, name + '-l.npy'), want)
    if t != 'bfloat16':
        np.save(os.path.join(out, name + '-b.npy'), want.astype(want.dtype.newbyteorder('>'), order='K'))
    got = np.load(os.path.join(ours, name + '-l.npy'))
    if t == 'bfloat16':
        got = got.view(bf16)
    assert got.shape == want.shape and got.dtype == want.dtype, (name, got.dtype, got.shape)
    assert (got == want).all() and got.flags['F_CONTIGUOUS'] == want.flags['F_CONTIGUOUS'], name
    mm = np.load(os.path.join(ours, name + '-l.npy'), mmap_mode='r') if want.size else got
    assert mm.shape == want.shape, name
warnings.simplefilter('ignore')
for v in [(1, 0), (2, 0), (3, 0)]:
    with open(os.path.join(out, f'version{v[0]}.npy'), 'wb') as f:
        np.lib.format.write_array(f, np.arange(6, dtype='f4').reshape(2, 3), version=v)
refused = {
    'c32': np.zeros(3, 'clongdouble'), 'U3': np.array(['abc']), 'M8': np.zeros(3, 'M8[s]'),
    'O': np.array([None, {}], dtype=object), 'record': np.zeros(3, [('a', 'f4'), ('b', 'i4', (2,))]),
}
for name, a in refused.items():
    np.save(os.path.join(out, f'refused-{name}.npy'), a, allow_pickle=True)
print(np.__version__)
`

// element encodes the number i.
func element(t dtype.Type, i int) []byte {
	le := binary.LittleEndian
	switch t {
	case dtype.C64, dtype.C128:
		return append(element(t.Part(), i), element(t.Part(), 2*i)...)
	case dtype.Bool:
		return []byte{byte(i % 2)}
	case dtype.F16:
		return le.AppendUint16(nil, dtype.F16Bits(float32(i)))
	case dtype.BF16:
		return le.AppendUint16(nil, dtype.BF16Bits(float32(i)))
	case dtype.F32:
		return le.AppendUint32(nil, math.Float32bits(float32(i)))
	case dtype.F64:
		return le.AppendUint64(nil, math.Float64bits(float64(i)))
	}
	return le.AppendUint64(nil, uint64(i))[:t.Size()]
}

// counting makes the array whose logical elements are 0, 1, 2, ...
func counting(t dtype.Type, fortran bool, shape []int) *Array {
	a := sample(t, fortran, shape...)
	for i := range len(a.Data) / t.Size() {
		pos := i
		if fortran { // the place of element i when the first axis varies fastest
			pos = 0
			left, step := i, len(a.Data)/t.Size()
			for d := len(shape) - 1; d >= 0; d-- {
				step /= shape[d]
				pos += left % shape[d] * step
				left /= shape[d]
			}
		}
		copy(a.Data[pos*t.Size():], element(t, i))
	}
	return a
}

// python returns an interpreter that has NumPy, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	if out, err := exec.Command(path, "-c", "import numpy").CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		t.Skip("python3 cannot import numpy: " + lines[len(lines)-1])
	}
	return path
}

func TestNumPy(t *testing.T) {
	python := python(t)
	ones := make([]int, 32)
	for i := range ones {
		ones[i] = 1
	}
	shapes := map[string][]int{"s": {}, "0": {0}, "5": {5}, "2x3": {2, 3}, "2x0x3": {2, 0, 3}, "2x3x4": {2, 3, 4}, "1s": ones}
	ours, out := t.TempDir(), t.TempDir()
	type one struct {
		name string
		a    *Array
	}
	var all []one
	for _, typ := range dtype.All() {
		for s, shape := range shapes {
			for order, fortran := range map[string]bool{"C": false, "F": true} {
				// NumPy never says Fortran of an array that is contiguous both ways.
				a := counting(typ, fortran && strings.ContainsAny(s, "x") && s != "2x0x3", shape)
				name := typ.String() + "-" + s + "-" + order
				all = append(all, one{name, a})
				if err := WriteFile(filepath.Join(ours, name+"-l.npy"), a); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	version, err := exec.Command(python, "-c", theirs, ours, out).Output()
	if err != nil {
		var ee *exec.ExitError
		errors.As(err, &ee)
		t.Fatalf("%v\n%s", err, ee.Stderr)
	}
	t.Logf("NumPy %s", bytes.TrimSpace(version))
	read := 0
	for _, o := range all {
		for _, endian := range []string{"-l.npy", "-b.npy"} {
			path := filepath.Join(out, o.name+endian)
			want, err := os.ReadFile(path)
			if errors.Is(err, os.ErrNotExist) && o.a.Type == dtype.BF16 {
				continue // needs ml_dtypes; big-endian does not exist
			}
			read++
			if got := mustRead(t, path); !same(got, o.a) {
				t.Errorf("%s%s: got %+v, want %+v", o.name, endian, got, o.a)
			}
			if endian == "-l.npy" && version[0] >= '2' {
				if b, _ := os.ReadFile(filepath.Join(ours, o.name+endian)); !bytes.Equal(b, want) {
					t.Errorf("%s: we write\n%q\nNumPy writes\n%q", o.name, b, want)
				}
			}
		}
	}
	t.Logf("%d files of NumPy's read", read)
	for _, v := range []string{"1", "2", "3"} {
		if got := mustRead(t, filepath.Join(out, "version"+v+".npy")); !same(got, counting(dtype.F32, false, []int{2, 3})) {
			t.Errorf("version %s: %+v", v, got)
		}
	}
	for _, name := range []string{"c32", "U3", "M8", "O", "record"} {
		_, err := ReadFile(filepath.Join(out, "refused-"+name+".npy"))
		if !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
		if pickles := strings.Contains(fmt.Sprint(err), "pickled objects are not loaded"); pickles != (name == "O") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
