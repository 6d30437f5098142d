package cuda

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/driver"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/element"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// testNeighbours compares loops over neighbouring elements with the interpreter.
func testNeighbours(t *testing.T, _ *standIn) { neighboursOf(t, open(t)) }

// neighbours are formulas whose vectors begin before a row or end after it. taken is the
// number of loads that take elements from the vectors of another load.
var neighbours = []struct {
	text, arrays string
	types        []dtype.Type
	taken        int // by the first type
}{
	{"v[1:-1,1:-1] = u[1:-1,1:-1] + 0.25*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:] - 4*u[1:-1,1:-1])", "u 9 140, v 9 140", []dtype.Type{dtype.F32, dtype.F64}, 2},
	{"v[1:-1,1:-1] = u[1:-1,1:-1] + 0.25*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:])", "u 7 280, v 7 280", []dtype.Type{dtype.F16, dtype.F32}, 2},
	{"v[1:-1,1:-1] = u[1:-1,1:-1] + 0.25*(u[:-2,1:-1] + u[2:,1:-1])", "u 7 141, v 7 141", []dtype.Type{dtype.F32, dtype.F64}, 0},
	{"v = u[1:-1,1:-1] + 0.25*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:])", "u 6 138, v 4 136", []dtype.Type{dtype.F32, dtype.F64}, 1},
	{"v[1:-1,1:-1] = u[:-2,:-2] + u[:-2,1:-1] + u[:-2,2:] + u[1:-1,:-2] + u[1:-1,2:] + u[2:,:-2] + u[2:,1:-1] + u[2:,2:]", "u 6 528, v 6 528", []dtype.Type{dtype.U8, dtype.I16}, 4},
	{"v[1:-1,1:-1,1:-1] = u[:-2,1:-1,1:-1] + u[2:,1:-1,1:-1] + u[1:-1,:-2,1:-1] + u[1:-1,2:,1:-1] + u[1:-1,1:-1,:-2] + u[1:-1,1:-1,2:] - 6*u[1:-1,1:-1,1:-1]", "u 4 5 132, v 4 5 132", []dtype.Type{dtype.F32}, 2},
	{"y[1:-1] = x[:-2] + 2*x[1:-1] + x[2:]", "x 1003, y 1003", []dtype.Type{dtype.F32, dtype.F64, dtype.BF16, dtype.I32}, 2},
	{"y[1:] = x[1:] - x[:-1]", "x 7, y 7", []dtype.Type{dtype.F32, dtype.F64, dtype.I8}, 1},
	{"y[3:] = x[5:] + x[4:-1] + x[3:-2] + x[2:-3] + x[:-5]", "x 1001, y 999", []dtype.Type{dtype.F32, dtype.F64, dtype.F16}, 4},
	{"y[2:] = x[1:]*x[0]", "x 500, y 501", []dtype.Type{dtype.F32, dtype.F64}, 0},
	{"y[:, 3:] = x[:, 3:]*2 + x[:, :-3]", "x 5 256, y 5 256", []dtype.Type{dtype.F32, dtype.F64}, 1},
}

func neighboursOf(t *testing.T, d driver.Device) {
	t.Helper()
	for _, c := range neighbours {
		for i, typ := range c.types[:testlevel.Every(len(c.types), len(c.types), 1)] {
			here, _ := runOn(t, engine.CPU(), c.text, c.arrays, typ)
			there, source := runOn(t, d, c.text, c.arrays, typ)
			if !bytes.Equal(here, there) {
				t.Errorf("%s of %v: the bits differ", c.text, typ)
			}
			if n := strings.Count(source, "const int k = j"); i == 0 && n != c.taken {
				t.Errorf("%s of %v: %d loads take elements from others, want %d", c.text, typ, n, c.taken)
			}
		}
	}
}

// runOn runs a formula on arrays of small numbers. It returns their bytes afterwards, and the
// CUDA C++ of the loops, if there is any.
func runOn(t *testing.T, d driver.Device, text, arrays string, typ dtype.Type) (bits []byte, source string) {
	t.Helper()
	env := map[string]*tree.Node{}
	var all []*engine.Array
	for a := range strings.SplitSeq(arrays, ", ") {
		f := strings.Fields(a)
		var dims []int
		for _, x := range f[1:] {
			var n int
			_, err := fmt.Sscan(x, &n)
			check(t, err)
			dims = append(dims, n)
		}
		x, err := engine.NewArray(typ, dims...)
		check(t, err)
		for i, b := 0, x.Memory().Bytes(); i < len(b)/typ.Size(); i++ {
			element.PutFloat(typ, b, i, float64(1+i*37%101))
		}
		x, err = x.Named(f[0]).To(d)
		check(t, err)
		all, env[f[0]] = append(all, x), x.Node()
	}
	src, err := formula.Parse(text)
	check(t, err)
	unit, err := src.Build(env)
	check(t, err)
	o := engine.Options{}
	if d == engine.CPU() {
		o.Backend = "interp"
	}
	p, err := engine.CompileWith(ctx, o, unit.Statements...)
	check(t, err)
	defer p.Close()
	check(t, p.Run(ctx))
	for _, x := range all {
		b, err := x.Bytes()
		check(t, err)
		bits = append(bits, b...)
	}
	if g, ok := d.(*device); ok {
		c, err := g.Compile(ctx, p.Plan())
		check(t, err)
		source = strings.Join(c.(*program).Sources(), "")
		check(t, c.Close())
	}
	return bits, source
}
