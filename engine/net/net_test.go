package net_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/net"
	"github.com/oneloop/oneloop/expr"
	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/tree"
	"github.com/oneloop/oneloop/internal/testlevel"
)

// parse returns the net of a text.
func parse(t testing.TB, text string) *net.NetDef {
	t.Helper()
	d := &net.NetDef{}
	if err := d.UnmarshalText([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return d
}

func feed[T expr.Elem](t testing.TB, w *net.Workspace, name string, x []T, dims ...int) {
	t.Helper()
	a, err := engine.FromSlice(x, dims...)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Feed(name, a.Array()); err != nil {
		t.Fatal(err)
	}
}

func fetch(t testing.TB, w *net.Workspace, name string) []float32 {
	t.Helper()
	x, err := net.Fetch[float32](w, name)
	if err != nil {
		t.Fatal(err)
	}
	return x.Values()
}

func near(t *testing.T, what string, got []float32, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
		return
	}
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 1e-5*math.Max(1, math.Abs(w)) {
			t.Errorf("%s: element %d is %v, want %v", what, i, got[i], w)
		}
	}
}

// TestOperators runs each operator once and compares with values worked by hand.
func TestOperators(t *testing.T) {
	x := []float32{1, -2, 3, 4}
	e := math.Exp
	sum1, sum2 := e(1)+e(-2), e(3)+e(4)
	for _, c := range []struct {
		op   *net.OperatorDef
		want []float64
	}{
		{net.Op("Relu", []string{"X"}, []string{"Y"}), []float64{1, 0, 3, 4}},
		{net.Op("Negative", []string{"X"}, []string{"Y"}), []float64{-1, 2, -3, -4}},
		{net.Op("Sqr", []string{"X"}, []string{"Y"}), []float64{1, 4, 9, 16}},
		{net.Op("Copy", []string{"X"}, []string{"Y"}), []float64{1, -2, 3, 4}},
		{net.Op("Scale", []string{"X"}, []string{"Y"}, net.Arg("scale", .5)), []float64{.5, -1, 1.5, 2}},
		{net.Op("Clip", []string{"X"}, []string{"Y"}, net.Arg("min", -1.), net.Arg("max", 3)), []float64{1, -1, 3, 3}},
		{net.Op("Softmax", []string{"X"}, []string{"Y"}), []float64{e(1) / sum1, e(-2) / sum1, e(3) / sum2, e(4) / sum2}},
		{net.Op("Add", []string{"X", "b"}, []string{"Y"}), []float64{11, 18, 13, 24}},
		{net.Op("Div", []string{"X", "b"}, []string{"Y"}), []float64{.1, -.1, .3, .2}},
		{net.Op("Sum", []string{"X", "X", "W"}, []string{"Y"}), []float64{3, -3, 6, 10}},
		{net.Op("MatMul", []string{"X", "W"}, []string{"Y"}, net.Arg("trans_a", true)), []float64{1, 7, -2, 6}},
		{net.Op("FC", []string{"X", "W", "b"}, []string{"Y"}), []float64{9, 16, 17, 28}},
		{net.Op("Flatten", []string{"X"}, []string{"Y"}, net.Arg("axis", 0)), []float64{1, -2, 3, 4}},
		{net.Op("Transpose", []string{"X"}, []string{"Y"}), []float64{1, 3, -2, 4}},
		{net.Op("AveragedLoss", []string{"X"}, []string{"Y"}), []float64{1.5}},
		{net.Op("SquaredL2Distance", []string{"X", "W"}, []string{"Y"}), []float64{4.5, 6.5}},
		{net.Op("LabelCrossEntropy", []string{"P", "label"}, []string{"Y"}), []float64{-math.Log(.75), -math.Log(1e-20)}},
		{net.Op("Accuracy", []string{"P", "label"}, []string{"Y"}), []float64{.5}},
		{net.Op("LearningRate", []string{"iter"}, []string{"Y"}, net.Arg("base_lr", -.5), net.Arg("policy", "step"), net.Arg("stepsize", 3), net.Arg("gamma", .5)), []float64{-.125}},
		{net.Op("LearningRate", []string{"iter"}, []string{"Y"}, net.Arg("base_lr", 2.)), []float64{2}},
		{net.Op("WeightedSum", []string{"X", "half", "W", "lr"}, []string{"Y"}), []float64{.4, -1.1, 1.5, 1.8}},
		{net.Op("ConstantFill", nil, []string{"Y"}, net.Arg("shape", []int{2}), net.Arg("value", 3.)), []float64{3, 3}},
		{net.Op("GivenTensorFill", nil, []string{"Y"}, net.Arg("shape", []int{2}), net.Arg("values", []float64{5, 6})), []float64{5, 6}},
	} {
		w := net.NewWorkspace()
		feed(t, w, "X", slices.Clone(x), 2, 2)
		feed(t, w, "W", []float32{1, 1, 0, 2}, 2, 2)
		feed(t, w, "b", []float32{10, 20})
		feed(t, w, "P", []float32{.25, .75, 1, 0}, 2, 2)
		feed(t, w, "label", []int32{1, 1})
		feed(t, w, "iter", []int64{7})
		feed(t, w, "half", []float32{.5})
		feed(t, w, "lr", []float32{-.1}, 1)
		if err := w.RunOnce(context.Background(), &net.NetDef{Op: []*net.OperatorDef{c.op}}); err != nil {
			t.Errorf("%s: %v", c.op.Type, err)
			continue
		}
		near(t, c.op.Type, fetch(t, w, "Y"), c.want...)
	}
}

// TestUpdates runs the updates of weights twice, with values worked by hand.
func TestUpdates(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		op    string
		param func() float64 // after two steps from 1, with the gradient .5 and rates of .1
	}{
		{
			`type: "MomentumSGDUpdate" input: "g" input: "m" input: "rate" input: "p" output: "g" output: "m" output: "p" arg { name: "momentum" f: 0.5 }`,
			func() float64 { return 1 - .05 - (.025 + .1*.05) },
		}, // the first step leaves the update, .05, in the gradient
		{
			`type: "MomentumSGDUpdate" input: "g" input: "m" input: "rate" input: "p" output: "g2" output: "m" output: "p" arg { name: "momentum" f: 0.5 } arg { name: "nesterov" i: 1 }`,
			func() float64 { return 1 - 1.5*.05 - (1.5*.075 - .5*.05) },
		},
		{
			`type: "Adagrad" input: "p" input: "m" input: "g" input: "lr" output: "p" output: "m" arg { name: "epsilon" f: 0 }`,
			func() float64 { return 1 - .1*.5/.5 - .1*.5/math.Sqrt(.5) },
		},
		{
			`type: "Adam" input: "p" input: "m" input: "v" input: "g" input: "lr" input: "iter" output: "p" output: "m" output: "v" arg { name: "epsilon" f: 0 }`,
			func() float64 { return 1 - .1 - .1 },
		}, // a constant gradient: both moments divided are its sign
	} {
		w := net.NewWorkspace()
		for name, v := range map[string]float32{"g": .5, "m": 0, "v": 0, "rate": .1, "lr": -.1, "p": 1} {
			feed(t, w, name, []float32{v}, 1)
		}
		feed(t, w, "iter", []int64{0})
		n, err := w.CreateNet(parse(t, "op { "+c.op+` } op { type: "Iter" input: "iter" output: "iter" }`))
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := n.Run(ctx); err != nil {
				t.Fatal(err)
			}
		}
		near(t, c.op, fetch(t, w, "p"), c.param())
	}
}

func TestFillers(t *testing.T) {
	def := `device_option { random_seed: 7 }
		op { type: "UniformFill" output: "u" arg { name: "shape" ints: 5000 } arg { name: "min" f: -1 } arg { name: "max" f: 3 } }
		op { type: "GaussianFill" output: "g" arg { name: "shape" ints: 5000 } arg { name: "mean" f: 2 } arg { name: "std" f: 0.5 } }
		op { type: "XavierFill" output: "x" arg { name: "shape" ints: [50, 100] } }
		op { type: "UniformFill" output: "u2" input: "u" }
		op { type: "ConstantFill" output: "c" arg { name: "shape" ints: 2 } arg { name: "dtype" i: 10 } arg { name: "value" i: 4 } }`
	fill := func(seed uint32) *net.Workspace {
		w, d := net.NewWorkspace(), parse(t, def)
		d.DeviceOption.RandomSeed = &seed
		if err := w.RunOnce(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := fill(7)
	for name, want := range map[string][2]float64{"u": {1, 4 / math.Sqrt(12)}, "g": {2, .5}, "x": {0, .1}, "u2": {.5, 1 / math.Sqrt(12)}} {
		mean, square := 0., 0.
		for _, v := range fetch(t, w, name) {
			mean += float64(v) / 5000
			square += float64(v) * float64(v) / 5000
		}
		if std := math.Sqrt(square - mean*mean); math.Abs(mean-want[0]) > .05 || math.Abs(std/want[1]-1) > .05 {
			t.Errorf("%s: mean %v, standard deviation %v, want %v", name, mean, std, want)
		}
	}
	if !slices.Equal(fetch(t, w, "u"), fetch(t, fill(7), "u")) || slices.Equal(fetch(t, w, "u"), fetch(t, fill(8), "u")) {
		t.Error("the numbers do not follow from the seed")
	}
	if c, err := net.Fetch[int64](w, "c"); err != nil || !slices.Equal(c.Values(), []int64{4, 4}) {
		t.Errorf("ConstantFill of int64: %v, %v", c, err)
	}
	if _, err := net.Fetch[float64](w, "c"); !errors.Is(err, expr.ErrType) {
		t.Errorf("fetching another type: %v", err)
	}
}

const mlp = `name: "mlp" %s
	op { type: "FC" input: "x" input: "w1" input: "b1" output: "h" name: "fc1" }
	op { type: "Tanh" input: "h" output: "t" }
	op { type: "FC" input: "t" input: "w2" input: "b2" output: "y" name: "fc2" }
	op { type: "SquaredL2Distance" input: "y" input: "want" output: "d" }
	op { type: "AveragedLoss" input: "d" output: "loss" }`

// newMLP returns a workspace with the inputs of mlp.
func newMLP(t testing.TB) *net.Workspace {
	w := net.NewWorkspace()
	for name, dims := range map[string][]int{"x": {4, 3}, "w1": {5, 3}, "b1": {5}, "w2": {2, 5}, "b2": {2}, "want": {4, 2}} {
		n := 1
		for _, d := range dims {
			n *= d
		}
		x := make([]float32, n)
		for i := range x {
			x[i] = float32((i*7919+len(name)*104729+int(name[0])*31+int(name[len(name)-1]))%1009)/504.5 - 1
		}
		feed(t, w, name, x, dims...)
	}
	return w
}

// TestGradients compares the gradients of a net with differences.
func TestGradients(t *testing.T) {
	ctx := context.Background()
	for _, typ := range []string{"simple", "dag"} {
		w, d := newMLP(t), parse(t, strings.ReplaceAll(mlp, "%s", `type: "`+typ+`"`))
		params := []string{"w1", "b1", "w2", "b2"}
		grads, err := net.AddGradients(d, "loss", params...)
		if err != nil {
			t.Fatal(err)
		}
		n, err := w.CreateNet(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range params {
			if err := n.Run(ctx); err != nil {
				t.Fatal(err)
			}
			x, err := net.Fetch[float32](w, p)
			if err != nil {
				t.Fatal(err)
			}
			got := fetch(t, w, grads[p])
			for i := range x.Data() {
				const h = 1.0 / 128
				loss := [2]float64{}
				before := x.Data()[i]
				for k, s := range []float32{h, -h} {
					x.Data()[i] = before + s
					if err := n.Run(ctx); err != nil {
						t.Fatal(err)
					}
					loss[k] = float64(fetch(t, w, "loss")[0])
				}
				x.Data()[i] = before
				if q := (loss[0] - loss[1]) / (2 * h); math.Abs(q-float64(got[i])) > 1e-3 {
					t.Errorf("%s[%d]: the gradient is %v, the difference quotient %v", p, i, got[i], q)
				}
			}
		}
	}
}

// TestGradientParts adds up the gradients of a blob that several operators use, one
// of them twice.
func TestGradientParts(t *testing.T) {
	w := net.NewWorkspace()
	feed(t, w, "x", []float32{1, 2, 3})
	feed(t, w, "c", []float32{5, 5, 5})
	d := parse(t, `op { type: "Mul" input: "x" input: "x" output: "a" }
		op { type: "Mul" input: "x" input: "c" output: "b" }
		op { type: "Add" input: "a" input: "b" output: "s" }
		op { type: "StopGradient" input: "x" output: "f" }
		op { type: "Mul" input: "s" input: "f" output: "y" }`)
	grads, err := net.AddGradients(d, "y", "x", "unused")
	check(t, "AddGradients", err, nil)
	if grads["x"] != "x_grad" || len(grads) != 1 {
		t.Errorf("gradients %v", grads)
	}
	check(t, "RunOnce", w.RunOnce(context.Background(), d), nil)
	near(t, "x_grad", fetch(t, w, "x_grad"), 7, 18, 33) // (2x + 5)*x
	for _, text := range []string{
		`op { type: "Sqr" input: "x" output: "x" }`,
		`op { type: "Sqr" input: "x" output: "y" } op { type: "Copy" input: "y" output: "z" } op { type: "ConstantFill" output: "x" arg { name: "shape" ints: 3 } }`,
	} {
		d := parse(t, text)
		_, err := net.AddGradients(d, d.Op[min(1, len(d.Op)-1)].Output[0], "x")
		check(t, text, err, expr.ErrUnsupported)
	}
}

func init() {
	net.Define(net.Schema{Type: "TestSwap", Inputs: []string{"a", "b"}, Outputs: []string{"a", "b"}, InPlace: map[int]int{0: 0, 1: 1}},
		func(_ *net.Args, in []*tree.Node) []*tree.Node { return []*tree.Node{in[1], in[0]} })
}

// TestInPlaceHazard runs an operator whose second output reads what the first one
// overwrites.
func TestInPlaceHazard(t *testing.T) {
	w := net.NewWorkspace()
	feed(t, w, "a", []float32{1, 2})
	feed(t, w, "b", []float32{3, 4})
	check(t, "RunOnce", w.RunOnce(context.Background(), parse(t, `op { type: "TestSwap" input: "a" input: "b" output: "a" output: "b" }`)), nil)
	near(t, "a", fetch(t, w, "a"), 3, 4)
	near(t, "b", fetch(t, w, "b"), 1, 2)
}

func TestShapes(t *testing.T) {
	w := newMLP(t)
	w.Remove("x")
	d := parse(t, strings.ReplaceAll(mlp, "%s", ""))
	all, err := w.Shapes(d, map[string]net.Info{"x": {Type: dtype.F32, Shape: []int{4, 3}}})
	check(t, "Shapes", err, nil)
	for name, want := range map[string][]int{"h": {4, 5}, "y": {4, 2}, "d": {4}, "loss": {}} {
		if got := all[name]; !got.Shape.Equal(want) || got.Type != dtype.F32 {
			t.Errorf("%s has %v %v", name, got.Type, got.Shape)
		}
	}
	if w.Blob("h") != nil {
		t.Error("Shapes has made a blob")
	}
	_, err = w.Shapes(d, nil)
	if check(t, "no x", err, expr.ErrValue); err != nil && !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("the error does not name the blob: %v", err)
	}
	_, err = w.Shapes(d, map[string]net.Info{"x": {Type: dtype.F32, Shape: []int{4, 9}}})
	check(t, "a wrong x", err, expr.ErrShape)
}

// TestDefinitionErrors checks what is wrong with a definition before it runs.
func TestDefinitionErrors(t *testing.T) {
	w := net.NewWorkspace()
	feed(t, w, "x", []float32{1})
	for text, want := range map[string]string{
		`op { type: "Nosuch" output: "y" }`:                                                                 `net "", operator 0 (Nosuch): oneloop: there is no operator type "Nosuch"`,
		`op { type: "Relu" output: "y" }`:                                                                   `0 inputs, but the operator has X`,
		`op { type: "Relu" input: "x" output: "y" output: "z" }`:                                            `2 outputs, but the operator has Y`,
		`op { type: "Relu" input: "q" output: "y" name: "r" }`:                                              `operator 0 (Relu "r"), blob "q": oneloop: the blob is no external input`,
		`op { type: "Relu" input: "x" output: "y" arg { name: "slop" f: 1 } }`:                              `there is no argument "slop"`,
		`op { type: "Clip" input: "x" output: "y" arg { name: "min" f: 1 } }`:                               `argument "max" is missing`,
		`op { type: "Scale" input: "x" output: "y" arg { name: "scale" f: 1 } arg { name: "scale" f: 1 } }`: `argument "scale" stands twice`,
		`op { type: "FC" input: "x" input: "x" input: "x" output: "x" }`:                                    `blob "x": oneloop: output 0 may not be input 0`,
		`op { type: "Iter" input: "x" output: "y" }`:                                                        `blob "y": oneloop: output 0 must be input 0, "x"`,
		`op { type: "Adagrad" input: "x" input: "x" input: "x" input: "x" output: "y" output: "y" }`:        `blob "y": oneloop: two outputs are the same blob`,
		`op { type: "Relu" input: "x" output: "y" device_option { device_type: 7 } }`:                       `device type 7 is neither`,
		`type: "dense"`:        `there is no net type "dense"`,
		`external_output: "y"`: `no operator writes the external output "y"`,
		`op { type: "UniformFill" output: "y" device_option { device_type: 1 } }`: `no kernel of UniformFill for cuda`,
	} {
		_, err := w.CreateNet(parse(t, text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	_, err := w.CreateNet(&net.NetDef{Op: []*net.OperatorDef{nil}})
	check(t, "a nil operator", err, expr.ErrUnsupported)
	var zero net.Workspace
	_, err = zero.CreateNet(nil)
	check(t, "a nil net", err, expr.ErrType)
	_, err = net.AddGradients(nil, "loss")
	check(t, "gradients of a nil net", err, expr.ErrType)
	_, err = net.AddGradients(&net.NetDef{Op: []*net.OperatorDef{nil}}, "loss")
	check(t, "gradients of a nil operator", err, expr.ErrUnsupported)
	check(t, "feeding nil", zero.Feed("x", nil), expr.ErrType)
	feed(t, &zero, "x", []float32{1})
	_, err = w.CreateNet(parse(t, `name: "n"`))
	check(t, "CreateNet", err, nil)
	_, err = w.CreateNet(parse(t, `name: "n"`))
	check(t, "a name twice", err, expr.ErrValue)
	if w.Net("n") == nil || w.Net("m") != nil {
		t.Error("Net does not find the net")
	}
}

// TestRunErrors checks that an error of a run names operator and blob and reaches
// the events of those that come after.
func TestRunErrors(t *testing.T) {
	ctx := context.Background()
	for _, typ := range []string{"simple", "dag"} {
		for text, kind := range map[string]error{
			`op { type: "Scale" input: "x" output: "bad" arg { name: "scale" s: "1" } }`:                                  expr.ErrValue,
			`op { type: "Add" input: "x" input: "three" output: "bad" }`:                                                  expr.ErrShape,
			`op { type: "LabelCrossEntropy" input: "p" input: "label" output: "bad" }`:                                    expr.ErrIndex,
			`op { type: "Relu" input: "x" output: "bad" device_option { device_type: 1 } }`:                               expr.ErrDevice,
			`op { type: "Add" input: "x" input: "label" output: "bad" }`:                                                  expr.ErrType,
			`op { type: "GivenTensorFill" output: "bad" arg { name: "shape" ints: 2 } arg { name: "values" floats: 1 } }`: expr.ErrShape,
			`op { type: "ConstantFill" output: "bad" arg { name: "shape" ints: -2 } }`:                                    expr.ErrShape,
			`op { type: "ConstantFill" output: "bad" arg { name: "value" f: nan } }`:                                      expr.ErrValue,
		} {
			w := net.NewWorkspace()
			feed(t, w, "x", []float32{1, 2})
			feed(t, w, "three", []float32{1, 2, 3})
			feed(t, w, "p", []float32{.5, .5}, 1, 2)
			feed(t, w, "label", []int32{2})
			n, err := w.CreateNet(parse(t, `name: "n" type: "`+typ+`" num_workers: 3 op { type: "Relu" input: "x" output: "good" } `+text+` op { type: "Copy" input: "bad" output: "after" }`))
			if err != nil {
				t.Fatal(err)
			}
			err = n.Run(ctx)
			var e *net.Error
			if check(t, text, err, kind); !errors.As(err, &e) || e.Index != 1 || n.LastFailed() != 1 {
				t.Errorf("%s: %v, failed operator %d", text, err, n.LastFailed())
				continue
			}
			if strings.Contains(err.Error(), "waitgroup.go") {
				t.Errorf("the error has a place in the standard library: %v", err)
			}
			ops := n.Operators()
			if ops[0].Event().Query() == net.Scheduled || ops[1].Event().Query() != net.Failed || ops[2].Event().Query() != net.Failed || n.Event().Query() != net.Failed {
				t.Errorf("%s: events %v %v %v %v", text, ops[0].Event().Query(), ops[1].Event().Query(), ops[2].Event().Query(), n.Event().Query())
			}
			check(t, "the event of an operator after it", ops[2].Event().Wait(ctx), err)
			check(t, "the event of the net", n.Event().Wait(ctx), err)
			if w.Blob("after") != nil {
				t.Errorf("%s: an operator after it has run", text)
			}
		}
	}
}

// A goOp is a function that operators of a type call. Tests set it.
type goOp func(ctx context.Context, o *net.Operator) error

var goOps = map[string]goOp{}

func init() {
	for _, typ := range []string{"TestMeet", "TestNote", "TestWait"} {
		net.Register(net.Schema{
			Type: typ, Inputs: []string{"X"}, Optional: 1, Outputs: []string{"Y"},
			Infer: func(_ *net.Args, in []net.Info) ([]net.Info, error) {
				if len(in) > 0 {
					return in, nil
				}
				return []net.Info{{Type: dtype.F32, Shape: []int{1}}}, nil
			},
		})
		net.RegisterKernel(net.Key{Type: typ, Device: "cpu"}, func(_ context.Context, o *net.Operator) (net.Runner, error) {
			f := goOps[typ]
			return net.RunFunc(func(ctx context.Context) error { return f(ctx, o) }), nil
		})
	}
}

// TestParallel checks that independent operators of a dag run at the same time, and
// dependent ones in order.
func TestParallel(t *testing.T) {
	meet := make(chan struct{})
	goOps["TestMeet"] = func(ctx context.Context, _ *net.Operator) error { // returns when two run at once
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-time.After(2 * time.Minute):
			return errors.New("no other operator runs")
		}
		return nil
	}
	var mu sync.Mutex
	var order []string
	goOps["TestNote"] = func(_ context.Context, o *net.Operator) error {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, o.Def().Name)
		return nil
	}
	w := net.NewWorkspace()
	n, err := w.CreateNet(parse(t, `type: "dag" num_workers: 2
		op { type: "TestNote" output: "r" name: "root" }
		op { type: "TestMeet" input: "r" output: "a" }
		op { type: "TestMeet" input: "r" output: "b" }
		op { type: "TestNote" input: "a" output: "c" name: "reads a" }
		op { type: "TestNote" output: "r" name: "writes r again" control_input: "c" }
		op { type: "TestNote" input: "r" output: "d" name: "reads r" }`))
	if err != nil {
		t.Fatal(err)
	}
	trace := &net.Trace{}
	n.AttachAll(trace)
	for range 3 {
		order = nil
		check(t, "Run", n.Run(context.Background()), nil)
		if !slices.Equal(order, []string{"root", "reads a", "writes r again", "reads r"}) {
			t.Errorf("order %v", order)
		}
	}
	type event struct {
		Name, Cat, Ph string
		Ts, Dur       float64
		Pid, Tid      int
	}
	var file struct{ TraceEvents []event }
	var out bytes.Buffer
	_, err = trace.WriteTo(&out)
	check(t, "WriteTo", err, nil)
	check(t, "JSON", json.Unmarshal(out.Bytes(), &file), nil)
	if len(file.TraceEvents) != 3*7 {
		t.Fatalf("%d events in %s", len(file.TraceEvents), out.String())
	}
	var met []event // in the order in which they ended, those of one run together
	for _, e := range file.TraceEvents {
		if e.Name == "TestMeet" {
			met = append(met, e)
		}
	}
	if len(met) != 2*3 {
		t.Fatalf("%d operators met in %s", len(met), out.String())
	}
	a, b := met[0], met[1]
	if a.Tid == b.Tid || a.Ph != "X" || a.Ts+a.Dur < b.Ts || b.Ts+b.Dur < a.Ts {
		t.Errorf("the trace shows no overlap: %+v %+v", a, b)
	}
}

func TestAsync(t *testing.T) {
	ctx := context.Background()
	release := make(chan struct{})
	goOps["TestWait"] = func(ctx context.Context, _ *net.Operator) error {
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	w := net.NewWorkspace()
	n, err := w.CreateNet(parse(t, `op { type: "TestWait" output: "y" }`))
	check(t, "CreateNet", err, nil)
	e := n.RunAsync(ctx)
	if s := e.Query(); s != net.Scheduled {
		t.Errorf("a run that has not ended is %v", s)
	}
	check(t, "a second run", n.RunAsync(ctx).Err(), expr.ErrValue)
	close(release)
	check(t, "Wait", e.Wait(ctx), nil)

	release = make(chan struct{})
	cancelled, cancel := context.WithCancel(ctx)
	e = n.RunAsync(cancelled)
	cancel()
	check(t, "a run that is cancelled", e.Wait(ctx), context.Canceled)

	feed(t, w, "x", []float32{-1, 2})
	m, err := w.CreateNet(parse(t, `name: "m" op { type: "Relu" input: "x" output: "r" }`))
	check(t, "CreateNet", err, nil)
	o := m.Operators()[0]
	s := engine.NewStream()
	check(t, "RunAsync of an operator", o.RunAsync(s).Wait(ctx), nil)
	near(t, "r", fetch(t, w, "r"), 0, 2)
	check(t, "Close", s.Close(), nil)
	check(t, "a closed stream", o.RunAsync(s).Wait(ctx), expr.ErrDevice)
	check(t, "Run of an operator", o.Run(ctx), nil)
	if o.Program() == nil || len(o.Program().Plan().Stages) != 1 {
		t.Error("the operator runs no program")
	}
}

// TestRerun checks that a net runs again without allocating or compiling, sees new
// contents of the same blobs, and compiles again for other shapes.
func TestRerun(t *testing.T) {
	ctx := context.Background()
	w := net.NewWorkspace()
	x := engine.MustFromSlice([]float32{-1, 2})
	check(t, "Feed", w.Feed("x", x.Array()), nil)
	n, err := w.CreateNet(parse(t, `op { type: "Relu" input: "x" output: "r" } op { type: "Scale" input: "r" output: "y" arg { name: "scale" f: 3 } }`))
	check(t, "CreateNet", err, nil)
	check(t, "Run", n.Run(ctx), nil)
	near(t, "y", fetch(t, w, "y"), 0, 6)
	p := n.Operators()[0].Program()
	x.Data()[0] = 5
	check(t, "Run", n.Run(ctx), nil)
	near(t, "y of new contents", fetch(t, w, "y"), 15, 6)
	if n.Operators()[0].Program() != p {
		t.Error("the second run has compiled")
	}
	if a := testlevel.Allocs(50, func() {
		if err := n.Run(ctx); err != nil {
			t.Fatal(err)
		}
	}); a != 0 {
		t.Errorf("a run allocates %v times", a)
	}
	feed(t, w, "x", []float32{1, 2, 3})
	check(t, "Run", n.Run(ctx), nil)
	near(t, "y of another shape", fetch(t, w, "y"), 3, 6, 9)
}

// TestEngines chooses kernels by engine.
func TestEngines(t *testing.T) {
	w := net.NewWorkspace()
	feed(t, w, "a", []float32{1, 2, 3, 4}, 2, 2)
	for engines, want := range map[string]string{"": "", "BLAS": "BLAS", "CUDNN,INTERP,BLAS": "INTERP", "NOSUCH": ""} {
		d := parse(t, `op { type: "MatMul" input: "a" input: "a" output: "y" }`)
		d.Op[0].Engine, d.Name = engines, engines
		n, err := w.CreateNet(d)
		check(t, engines, err, nil)
		check(t, engines, n.Run(context.Background()), nil)
		near(t, engines, fetch(t, w, "y"), 7, 10, 15, 22)
		if got := n.Operators()[0].Engine(); got != want {
			t.Errorf("%q chooses the engine %q, want %q", engines, got, want)
		}
	}
}

// TestSchemas checks that every operator is documented and has a gradient if it is a
// tree.
func TestSchemas(t *testing.T) {
	for _, s := range net.Schemas() {
		if strings.HasPrefix(s.Type, "Test") {
			continue
		}
		if s.Doc == "" || !strings.HasSuffix(s.Doc, ".") {
			t.Errorf("%s: the documentation is %q", s.Type, s.Doc)
		}
		for _, a := range s.Args {
			if a.Name == "" || !strings.HasSuffix(a.Doc, ".") {
				t.Errorf("%s: argument %+v", s.Type, a)
			}
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a type can be registered twice")
		}
	}()
	net.Register(*net.Schemas()[0])
}
