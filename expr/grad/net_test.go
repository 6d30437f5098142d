package grad_test

import (
	"math/rand/v2"
	"testing"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/grad"
	"github.com/oneloop/oneloop/expr/op"
	"github.com/oneloop/oneloop/expr/tree"
)

// TestNet compares the gradients of a small classifier with gradients derived
// by hand. It has a layer with relu and a layer with softmax and cross entropy.
func TestNet(t *testing.T) {
	const batch, in, hidden, classes = 5, 4, 6, 3
	r := rand.New(rand.NewPCG(11, 12))
	x, w1, b1 := array(r, -1, 1, batch, in), array(r, -1, 1, in, hidden), array(r, -1, 1, hidden)
	w2, b2 := array(r, -1, 1, hidden, classes), array(r, -1, 1, classes)
	label := engine.MustFromSlice([]int64{0, 2, 1, 1, 2})
	want := op.OneHot[float64](label, classes)

	a := op.Add[float64](op.MatMul[float64](x, w1), b1)
	h := op.ReLU(a)
	z := op.Add[float64](op.MatMul[float64](h, w2), b2)
	loss := op.Mean(op.Sub(op.LogSumExp(z, op.Axis(-1)), op.Sum(op.Mul(z, want), op.Axis(-1))))

	// dL/dz = (softmax(z) - want) / batch; the others follow from it.
	dz := op.Scale(1./batch, op.Sub(op.Softmax(z, -1), want))
	dh := op.MatMul(dz, op.T[float64](w2))
	da := op.Where(op.Greater(a, op.Full[float64](0)), dh, op.Full[float64](0))
	byHand := eval(t,
		op.MatMul(op.T[float64](x), da).Node(), op.Sum(da, op.Axis(0)).Node(),
		op.MatMul(op.T(h), dz).Node(), op.Sum(dz, op.Axis(0)).Node())

	g, err := grad.Of(loss, E(w1), E(b1), E(w2), E(b2))
	if err != nil {
		t.Fatal(err)
	}
	var trees []*tree.Node
	var gradients, steps []expr.Statement
	for i, w := range []T{w1, b1, w2, b2} {
		trees = append(trees, g[i].Node())
		d := engine.Zeros[float64](w.Shape()...)
		gradients = append(gradients, expr.Let(d, g[i]))
		steps = append(steps, expr.LetSub(w, op.Scale(.5, d)))
	}
	got := eval(t, trees...)
	for i, name := range []string{"w1", "b1", "w2", "b2"} {
		for k, v := range byHand[i] {
			if d := got[i][k] - v; d > 1e-14 || d < -1e-14 {
				t.Errorf("d/d%s, element %d: %.17g, by hand %.17g", name, k, got[i][k], v)
			}
		}
	}
	differences(t, "the net", loss.Node(), w1, b1, w2, b2)

	// A step of descent lowers the loss. All gradients are stored before a weight
	// changes.
	before := eval(t, loss.Node())[0][0]
	p, err := engine.Compile(t.Context(), append(gradients, steps...)...)
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if err := p.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if after := eval(t, loss.Node())[0][0]; !(after < before/5) {
		t.Errorf("50 steps bring the loss from %g to %g", before, after)
	}
}
