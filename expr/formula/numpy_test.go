package formula_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/shape"
)

// A peerArray is an array as the Python side reads and writes it.
type peerArray struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Strides []int  `json:"strides,omitempty"`
	Offset  int    `json:"offset"`
	Data    []byte `json:"data"`
}

// A peerCase is a formula with its variables.
type peerCase struct {
	Text string                `json:"text"`
	Vars map[string]*peerArray `json:"vars"`
	Out  []string              `json:"out"`
	tol  tolerance
}

// A tolerance says how close a result must come to NumPy's.
type tolerance struct {
	ulp   float64 // of the result's type
	zeros bool    // -0 and +0 are the same
}

// TestNumPy evaluates formulas here and with NumPy, and compares types, shapes
// and values.
func TestNumPy(t *testing.T) {
	python := os.Getenv("ONELOOP_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import numpy; assert numpy.__version__ >= '2'").CombinedOutput(); err != nil {
		t.Skipf("no NumPy 2 with %s: %v %s", python, err, out)
	}
	n := 600
	if s := os.Getenv("ONELOOP_FORMULAS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if testing.Short() {
		n = 200
	}
	cases := append(fixedCases(t), randomCases(n)...)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.json"), filepath.Join(dir, "out.json")
	text, err := json.Marshal(cases)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if msg, err := exec.Command(python, "testdata/numpy_peer.py", in, out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, msg)
	}
	text, err = os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var theirs []map[string]json.RawMessage
	if err := json.Unmarshal(text, &theirs); err != nil {
		t.Fatal(err)
	}
	same, failed, faults := 0, 0, 0
	for i, c := range cases {
		got, err := c.run()
		var msg string
		if raw := theirs[i]["error"]; raw != nil {
			_ = json.Unmarshal(raw, &msg)
		}
		switch {
		case errors.Is(err, expr.ErrDivide): // NumPy warns and gives 0
			faults++
		case msg != "" && err != nil:
			failed++
		case msg != "" || err != nil:
			t.Errorf("%s\n%s\nhere: %v\nNumPy: %s", c.Text, c.describe(), err, msg)
		default:
			same++
			for name, a := range got {
				var want peerArray
				if err := json.Unmarshal(theirs[i][name], &want); err != nil {
					t.Fatal(err)
				}
				if diff := compareArrays(a, &want, c.tol); diff != "" {
					t.Errorf("%s\n%s\n%s: %s", c.Text, c.describe(), name, diff)
				}
			}
		}
	}
	t.Logf("%d formulas with equal results, %d refused by both, %d divisions by zero", same, failed, faults)
}

func (c *peerCase) describe() string {
	var b strings.Builder
	for name, v := range c.Vars {
		fmt.Fprintf(&b, "  %s %s%v strides %v", name, v.DType, v.Shape, v.Strides)
	}
	return b.String()
}

// run evaluates the formula on copies of the variables.
func (c *peerCase) run() (map[string]*engine.Array, error) {
	vars := map[string]any{}
	for name, v := range c.Vars {
		typ, _ := dtype.Parse(v.DType)
		m, err := engine.NewMemory(len(v.Data))
		if err != nil {
			return nil, err
		}
		copy(m.Bytes(), v.Data)
		st := make(shape.Strides, len(v.Strides))
		for i, s := range v.Strides {
			st[i] = s / typ.Size()
		}
		a, err := engine.ArrayOf(m, typ, v.Shape, st, v.Offset/typ.Size())
		if err != nil {
			return nil, err
		}
		vars[name] = a
	}
	f, err := formula.Compile[float64](c.Text)
	if err != nil {
		return nil, err
	}
	got, err := f.Eval(context.Background(), vars)
	if err != nil {
		return nil, err
	}
	out := map[string]*engine.Array{}
	for _, name := range c.Out {
		if out[name] = got[name]; got[name] == nil {
			out[name] = vars[name].(*engine.Array)
		}
	}
	return out, nil
}

func compareArrays(a *engine.Array, want *peerArray, tol tolerance) string {
	if a.DType().String() != want.DType || !slices.Equal(a.Shape(), want.Shape) {
		return fmt.Sprintf("%v%v here, %s%v in NumPy", a.DType(), []int(a.Shape()), want.DType, want.Shape)
	}
	data, err := a.Bytes()
	if err != nil {
		return err.Error()
	}
	size := a.DType().Size()
	for i := 0; i < len(data); i += size {
		if !closeTo(a.DType(), data[i:i+size], want.Data[i:i+size], tol) {
			return fmt.Sprintf("element %d is %s here, %s in NumPy", i/size, show(a.DType(), data[i:]), show(a.DType(), want.Data[i:]))
		}
	}
	return ""
}

func floatOf(t dtype.Type, b []byte) float64 {
	switch t {
	case dtype.F16:
		return float64(dtype.Slice[dtype.Float16](b)[0].Float32())
	case dtype.F32:
		return float64(dtype.Slice[float32](b)[0])
	}
	return dtype.Slice[float64](b)[0]
}

func complexOf(t dtype.Type, b []byte) complex128 {
	return complex(floatOf(t.Part(), b[:len(b)/2]), floatOf(t.Part(), b[len(b)/2:]))
}

func show(t dtype.Type, b []byte) string {
	if t.IsFloat() {
		return fmt.Sprint(floatOf(t, b[:t.Size()]))
	}
	if t.IsComplex() {
		return fmt.Sprint(complexOf(t, slices.Clone(b[:t.Size()])))
	}
	return fmt.Sprintf("% x", b[:t.Size()])
}

var precision = map[dtype.Type]struct{ eps, least float64 }{
	dtype.F16: {0x1p-10, 0x1p-24}, dtype.F32: {0x1p-23, 0x1p-149}, dtype.F64: {0x1p-52, 0x1p-1074},
}

func closeTo(t dtype.Type, a, b []byte, tol tolerance) bool {
	if string(a) == string(b) {
		return true
	}
	if t.IsComplex() { // by the distance of the numbers, but NaN by parts: processors give them other bits
		p, half := precision[t.Part()], len(a)/2
		x, y := complexOf(t, slices.Clone(a)), complexOf(t, slices.Clone(b))
		d := cmplx.Abs(x - y)
		if math.IsNaN(d) {
			return closeTo(t.Part(), a[:half], b[:half], tol) && closeTo(t.Part(), a[half:], b[half:], tol)
		}
		return d <= tol.ulp*p.eps*cmplx.Abs(y)
	}
	if !t.IsFloat() {
		return false
	}
	x, y := floatOf(t, slices.Clone(a)), floatOf(t, slices.Clone(b))
	switch {
	case x != x || y != y:
		return x != x && y != y
	case x == 0 && y == 0:
		return tol.zeros || tol.ulp > 0
	}
	p := precision[t]
	return math.Abs(x-y) <= tol.ulp*math.Max(p.eps*math.Max(math.Abs(x), math.Abs(y)), p.least)
}
