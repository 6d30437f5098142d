package net_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/net"
	"github.com/oneloop/oneloop/expr"
)

// limited returns a context that ends a test which would wait for ever.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// TestStreamFails queues an operator behind work that fails later.
func TestStreamFails(t *testing.T) {
	ctx := limited(t)
	w := net.NewWorkspace()
	feed(t, w, "x", []float32{-1, 2})
	n, err := w.CreateNet(parse(t, `op { type: "Relu" input: "x" output: "r" }`))
	check(t, "CreateNet", err, nil)
	o := n.Operators()[0]
	s := engine.NewStream()
	release, mine := make(chan struct{}), errors.New("mine")
	s.Go(func(context.Context) error { <-release; return mine })
	e := o.RunAsync(s)
	if state := e.Query(); state != net.Scheduled {
		t.Errorf("the operator is %v", state)
	}
	close(release)
	check(t, "Wait", e.Wait(ctx), mine)
	check(t, "Sync", s.Sync(ctx), mine)
	check(t, "a second run", o.RunAsync(s).Wait(ctx), nil)
	check(t, "Close", s.Close(), nil)
}

// TestRunFromCallback runs a net again when it has ended.
func TestRunFromCallback(t *testing.T) {
	ctx := limited(t)
	w := net.NewWorkspace()
	feed(t, w, "x", []float32{1})
	n, err := w.CreateNet(parse(t, `op { type: "Iter" input: "x" output: "x" }`))
	check(t, "CreateNet", err, nil)
	for name, run := range map[string]func() error{
		"Run":      func() error { return n.Run(ctx) },
		"RunAsync": func() error { return n.RunAsync(ctx).Wait(ctx) },
	} {
		again := make(chan error, 1)
		check(t, "Reset", n.Event().Reset(), nil)
		n.Event().OnFinished(func(error) { again <- n.Run(ctx) })
		go func() { _ = run() }()
		select {
		case err := <-again:
			check(t, name, err, nil)
		case <-ctx.Done():
			t.Fatal(name, ": the net waits for itself")
		}
	}
	near(t, "x", fetch(t, w, "x"), 5)
}

// TestFillView fills a transposed view.
func TestFillView(t *testing.T) {
	for _, typ := range []string{
		`"UniformFill" arg { name: "shape" ints: [3, 2] }`,
		`"GivenTensorFill" arg { name: "shape" ints: [3, 2] } arg { name: "values" floats: [1, 2, 3, 4, 5, 6] }`,
	} {
		w := net.NewWorkspace()
		x := engine.Zeros[float32](2, 3).Transpose()
		check(t, "Feed", w.Feed("x", x.Array()), nil)
		check(t, typ, w.RunOnce(context.Background(), parse(t, `op { output: "x" type: `+typ+`}`)), expr.ErrUnsupported)
		check(t, "Feed", w.Feed("x", engine.Zeros[float32](3, 2).Array()), nil)
		check(t, typ, w.RunOnce(context.Background(), parse(t, `op { output: "x" type: `+typ+`}`)), nil)
	}
}

// TestFillLike gives fillers an input and arguments.
func TestFillLike(t *testing.T) {
	ctx := context.Background()
	w := net.NewWorkspace()
	feed(t, w, "like", []float64{1, 2})
	check(t, "fill", w.RunOnce(ctx, parse(t, `
		op { type: "ConstantFill" input: "like" output: "same" }
		op { type: "ConstantFill" input: "like" output: "int" arg { name: "dtype" i: 10 } }`)), nil)
	if a, b := w.Blob("same").DType(), w.Blob("int").DType(); a.String() != "float64" || b.String() != "int64" {
		t.Errorf("the types are %v and %v", a, b)
	}
	for _, typ := range []string{"ConstantFill", "UniformFill"} {
		check(t, typ, w.RunOnce(ctx, parse(t, `op { type: "`+typ+`" input: "like" output: "y" arg { name: "shape" ints: 3 } }`)), expr.ErrValue)
	}
}

// TestLabelCount gives one label for several samples.
func TestLabelCount(t *testing.T) {
	for _, typ := range []string{"Accuracy", "LabelCrossEntropy"} {
		w := net.NewWorkspace()
		feed(t, w, "x", []float32{.5, .5, .25, .75}, 2, 2)
		feed(t, w, "label", []int32{0})
		check(t, typ, w.RunOnce(context.Background(), parse(t, `op { type: "`+typ+`" input: "x" input: "label" output: "y" }`)), expr.ErrShape)
	}
}

// TestGradientInputs runs the gradient of an operator on too few inputs.
func TestGradientInputs(t *testing.T) {
	w := net.NewWorkspace()
	feed(t, w, "x", []float32{1})
	err := w.RunOnce(context.Background(), parse(t, `op { type: "MatMulGradient" input: "x" input: "x" output: "y"
		arg { name: "gradient_inputs" i: 1 } arg { name: "gradient_wrt" ints: 0 } arg { name: "gradient_of" ints: 0 } }`))
	if err == nil || !strings.Contains(err.Error(), "the number of inputs") {
		t.Errorf("got %v", err)
	}
}

// TestGradientNames adds the gradients of two losses to a net that has a blob w_grad.
func TestGradientNames(t *testing.T) {
	w := net.NewWorkspace()
	feed(t, w, "w", []float32{3})
	feed(t, w, "w_grad", []float32{5})
	d := parse(t, `op { type: "Mul" input: "w" input: "w_grad" output: "a" }
		op { type: "Mul" input: "w" input: "w" output: "b" }`)
	a, err := net.AddGradients(d, "a", "w")
	check(t, "a", err, nil)
	b, err := net.AddGradients(d, "b", "w")
	check(t, "b", err, nil)
	check(t, "run", w.RunOnce(context.Background(), d), nil)
	near(t, "w_grad", fetch(t, w, "w_grad"), 5)
	near(t, "da/dw", fetch(t, w, a["w"]), 5)
	near(t, "db/dw", fetch(t, w, b["w"]), 6)
}
