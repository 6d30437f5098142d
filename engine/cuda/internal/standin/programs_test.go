package standin

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/internal/randir"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
	"github.com/oneloop/oneloop/plan"
	"github.com/oneloop/oneloop/plan/ir"
)

// leaf is an array without contents that matter: trials bring their own.
func leaf(t *testing.T, typ dtype.Type, dims ...int) *tree.Node {
	t.Helper()
	a, err := engine.NewArray(typ, dims...)
	if err != nil {
		t.Fatal(err)
	}
	return a.Node()
}

// planned makes trials of the fused loops of statements, on arrays with the contents that
// bits returns.
func planned(t *testing.T, r *rand.Rand, name string, stmts []expr.Statement, bits func(*rand.Rand, dtype.Type) uint64) (trials []*trial) {
	t.Helper()
	p, err := plan.Compile(t.Context(), stmts)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for i, s := range p.Stages {
		if s.Kind != plan.Loop {
			continue
		}
		c := &trial{name: fmt.Sprintf("%s, stage %d", name, i), k: s.Kernel, device: device(r), wide: r.IntN(6) == 0}
		c.b = &ir.Binding{Extents: s.Extents, Params: s.Params}
		for _, v := range s.Scalars {
			c.b.Scalars = append(c.b.Scalars, v.Bits)
		}
		for j, o := range s.Bufs {
			c.place(&s.Kernel.Bufs[j], o.Strides, o.Extents, 0, func(t dtype.Type) uint64 { return bits(r, t) })
		}
		c.layout(t)
		c.interpret(t)
		trials = append(trials, c)
	}
	return trials
}

// TestOperators compares every element-wise operator of every element type that
// it takes, several in one kernel.
func TestOperators(t *testing.T) {
	run(t, operators(t))
}

func operators(t *testing.T) (trials []*trial) {
	r := rand.New(rand.NewPCG(11, 12))
	const n, together = 700, 8
	for _, typ := range dtype.Real() {
		if !testlevel.Deep() && typ != dtype.F32 && typ != dtype.I32 {
			continue
		}
		var stmts []expr.Statement
		flush := func(force bool) {
			if len(stmts) == together || force && len(stmts) > 0 {
				trials = append(trials, planned(t, r, fmt.Sprint("operators of ", typ), stmts, randir.MemoryBits)...)
				stmts = nil
			}
		}
		for _, row := range untyped.Table() {
			if row.Class() != tree.Elementwise || !row.Types().Has(typ) {
				continue
			}
			args := make([]*tree.Node, row.Arity())
			for i := range args {
				args[i] = leaf(t, typ, n)
				if row.Cond() && i == 0 {
					args[i] = leaf(t, dtype.Bool, n)
				}
			}
			to := dtype.Invalid
			if row.Result() == tree.ResultTo {
				to = dtype.F32
			}
			node := tree.ApplyWith(row, tree.Attributes{To: to}, args...)
			if err := node.Err(); err != nil {
				t.Fatalf("%s of %v: %v", row.Name(), typ, err)
			}
			stmts = append(stmts, expr.Statement{Saver: expr.Set, Target: leaf(t, node.DType(), n), Value: node})
			flush(false)
		}
		flush(true)
	}
	return trials
}

// Programs with their arrays: name, type (f: the type under test), extents.
var programs = []struct{ text, arrays string }{
	{"w += -0.01*(g + 1e-4*w)", "w f 1003, g f 1003"},
	{"y = b*c + d*e - f/g", "y f 999, b f 999, c f 999, d f 999, e f 999, f f 999, g f 999"},
	{"y = 0.5*x*(1 + tanh(0.7978845608*(x + 0.044715*x*x*x)))", "y f 4100, x f 4100"},
	{"m = 0.9*m + 0.1*g; v = 0.99*v + 0.01*g*g; w -= 0.01*m/(sqrt(v) + 1e-8)", "m f 777, v f 777, w f 777, g f 777"},
	{"t = exp(x - max(x, axis=-1, keepdims=True)); y = t/sum(t, axis=-1, keepdims=True)", "x f 33 128, y f 33 128"},
	{"t = exp(x - max(x, axis=-1, keepdims=True)); y = t/sum(t, axis=-1, keepdims=True)", "x f 3 5000, y f 3 5000"},
	{"d = x - mean(x, axis=-1, keepdims=True); y = d/sqrt(mean(d*d, axis=-1, keepdims=True) + 1e-5)*gamma + beta", "x f 20 257, y f 20 257, gamma f 257, beta f 257"},
	{"s = sum((a - b)**2)", "a f 50000, b f 50000, s f"},
	{"A = B + C.T", "A f 70 45, B f 70 45, C f 45 70"},
	{"A = A.T + A", "A f 70 70"},
	{"Y = X*row + col", "Y f 30 40, X f 30 40, row f 40, col f 30 1"},
	{"v[1:-1,1:-1] = u[1:-1,1:-1] + 0.1*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:] - 4*u[1:-1,1:-1])", "u f 40 50, v f 40 50"},
	{"y = x[::-1]*2 + x[::2][0]", "x f 600, y f 600"},
	{"y = sum(x, axis=0)", "x f 700 30, y f 30"},
	{"y = sum(x, axis=0)", "x f 280001 2, y f 2"}, // more groups of runs than threads
	{"y = sum(x, axis=(0, 2))", "x f 20 30 40, y f 30"},
	{"y = mean(x*x, axis=1)", "x f 3 20000, y f 3"},
	{"y = std(x, axis=1)", "x f 30 1200, y f 30"},
	{"y = argmax(x, axis=1); z = max(x, axis=0)", "x f 40 90, y i 40, z f 90"},
	{"y = x.reshape(30, 40).T + 1", "x f 1200, y f 40 30"},
	{"y = where(x > 0, x, exp(x) - 1)", "x f 5000, y f 5000"},
	{"y = concatenate([x, z], axis=1)", "x f 20 30, z f 20 7, y f 20 37"},
	{"t = exp(x - max(x)); y = t/sum(t)", "x f 1000, y f 1000"},
	{"y = x/sum(x)", "x f 3000, y f 3000"},
	{"t = exp(x - max(x, axis=-1, keepdims=True)); y = t/sum(t, axis=-1, keepdims=True)", "x f 5 9001, y f 5 9001"},
	{"t = exp(x*z - max(x*z, axis=-1, keepdims=True)); y = t/sum(t, axis=-1, keepdims=True)", "x f 33 128, z f 33 128, y f 33 128"},
	{"t = exp(x*z - max(x*z, axis=-1, keepdims=True)); y = t/sum(t, axis=-1, keepdims=True)", "x f 3 5000, z f 3 5000, y f 3 5000"},
	{"t = exp(x*z - max(x*z, axis=-1, keepdims=True)); x = t/sum(t, axis=-1, keepdims=True)", "x f 5 1500, z f 5 1500"}, // in place
	{"x = (x - mean(x, axis=-1, keepdims=True))*z/sqrt(mean(x*z, axis=-1, keepdims=True)**2 + 1)", "x f 4 2100, z f 4 2100"},
	{"s = var(x - z, axis=-1)", "x f 4 8200, z f 4 8200, s f 4"},
	{"d = x*x; y = d/sum(d, axis=-1, keepdims=True)", "x f 4 7000, y f 4 7000"},
	{"y = x[:, ::2]/sum(x[:, ::2], axis=-1, keepdims=True); z = x[:, 1::2]*2 + y", "x f 4 3000, y f 4 1500, z f 4 1500"},
}

// TestPrograms compares the loops of whole formulas.
func TestPrograms(t *testing.T) {
	run(t, formulas(t))
}

func formulas(t *testing.T) (trials []*trial) {
	r := rand.New(rand.NewPCG(13, 14))
	types := []dtype.Type{dtype.F32, dtype.F64, dtype.F16, dtype.BF16}
	for i, p := range programs {
		src, err := formula.Parse(p.text)
		if err != nil {
			t.Fatal(err)
		}
		for j, typ := range types {
			if !testlevel.Deep() && i%len(types) != j {
				continue
			}
			env := map[string]*tree.Node{}
			for a := range strings.SplitSeq(p.arrays, ", ") {
				f := strings.Fields(a)
				u := typ
				if f[1] == "i" {
					u = dtype.I64
				}
				var dims []int
				for _, d := range f[2:] {
					var n int
					if _, err := fmt.Sscan(d, &n); err != nil {
						t.Fatal(err)
					}
					dims = append(dims, n)
				}
				env[f[0]] = leaf(t, u, dims...)
			}
			unit, err := src.Build(env)
			if err != nil {
				t.Fatalf("%s: %v", p.text, err)
			}
			trials = append(trials, planned(t, r, fmt.Sprint(p.text, " of ", typ), unit.Statements, tame)...)
		}
	}
	return trials
}
