package net_test

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/net"
)

// An init net fills the weights once. The other net runs for each batch: it fits a
// line to points, with gradient operators and an update of the weights.
func Example() {
	ctx := context.Background()
	init := &net.NetDef{Name: "init", Op: []*net.OperatorDef{
		net.Op("GaussianFill", nil, []string{"w"}, net.Arg("shape", []int{1, 1})),
		net.Op("ConstantFill", nil, []string{"b"}, net.Arg("shape", []int{1})),
		net.Op("ConstantFill", nil, []string{"rate"}, net.Arg("shape", []int{1}), net.Arg("value", -.1)),
		net.Op("ConstantFill", nil, []string{"one"}, net.Arg("shape", []int{1}), net.Arg("value", 1.)),
	}}
	train := &net.NetDef{Name: "train", ExternalInput: []string{"x", "want"}, Op: []*net.OperatorDef{
		net.Op("FC", []string{"x", "w", "b"}, []string{"y"}),
		net.Op("SquaredL2Distance", []string{"y", "want"}, []string{"distance"}),
		net.Op("AveragedLoss", []string{"distance"}, []string{"loss"}),
	}}
	grads, err := net.AddGradients(train, "loss", "w", "b")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range []string{"w", "b"} {
		train.Op = append(train.Op, net.Op("WeightedSum", []string{p, "one", grads[p], "rate"}, []string{p}))
	}

	ws := net.NewWorkspace()
	if err := ws.RunOnce(ctx, init); err != nil {
		fmt.Println(err)
		return
	}
	n, err := ws.CreateNet(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, want := engine.MustFromSlice([]float32{-1, 0, 1, 2}, 4, 1), engine.MustFromSlice([]float32{-1, 1, 3, 5}, 4, 1)
	if err := ws.Feed("x", x.Array()); err != nil {
		fmt.Println(err)
	}
	if err := ws.Feed("want", want.Array()); err != nil {
		fmt.Println(err)
	}
	for range 300 {
		if err := n.Run(ctx); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Printf("%.3f %.3f\n", ws.Blob("w"), ws.Blob("b"))
	// Output: [[2.000]] [1.000]
}

// An error names the net, the operator and the blob.
func ExampleError() {
	d := &net.NetDef{}
	if err := d.UnmarshalText([]byte(`name: "train" op { type: "Relu" name: "r1" input: "x" output: "y" }`)); err != nil {
		fmt.Println(err)
	}
	_, err := net.NewWorkspace().CreateNet(d)
	e, _ := err.(*net.Error)
	fmt.Println(e.Net, e.Index, e.Type, e.Name, e.Blob)
	// Output: train 0 Relu r1 x
}
