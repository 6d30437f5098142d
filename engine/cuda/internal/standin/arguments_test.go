package standin

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/op"
)

// TestManyArguments compares loops whose arguments cannot be passed.
func TestManyArguments(t *testing.T) {
	trials := manyArguments(t)
	for _, c := range trials {
		if !c.src.Indirect {
			t.Errorf("%s: %d bytes of arguments are passed", c.name, len(c.bound.Args))
		}
	}
	run(t, trials)
}

// manyArguments are a loop of many stores and constants, and a full reduction of
// several passes of many arrays that lie differently.
func manyArguments(t *testing.T) []*trial {
	t.Helper()
	r := rand.New(rand.NewPCG(31, 32))
	var stores []expr.Statement
	for range 20 {
		x := engine.Zeros[float32](300)
		e := op.Scale(r.Float32(), x)
		for range 12 {
			e = op.AddScalar(op.Scale(r.Float32(), e), r.Float32())
		}
		stores = append(stores, expr.Let(engine.Zeros[float32](300), e))
	}
	shape := []int{3, 5, 2, 7, 4, 6}
	var sum expr.Exp[float32] = engine.Zeros[float32](shape...)
	for range 60 {
		axes, dims := r.Perm(len(shape)), make([]int, len(shape))
		for to, from := range axes {
			dims[from] = shape[to]
		}
		sum = op.Add(sum, op.Scale(r.Float32(), engine.Zeros[float32](dims...).Transpose(axes...)))
	}
	for range 250 {
		sum = op.AddScalar(sum, r.Float32())
	}
	full := expr.Let(engine.Zeros[float32](), op.Sum(sum))
	return append(planned(t, r, "many stores", stores, tame), planned(t, r, "a sum of many arrays", []expr.Statement{full}, tame)...)
}
