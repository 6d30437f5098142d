package net_test

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/net"
)

// The net says where its operators run, and an operator says by which engines. The first
// engine that has a kernel for the operator counts.
func ExampleOperator_Engine() {
	d := &net.NetDef{}
	err := d.UnmarshalText([]byte(`device_option { device_type: 0 }
		op { type: "MatMul" input: "a" input: "a" output: "y" engine: "CUDNN,BLAS" }
		op { type: "Relu" input: "y" output: "z" }`))
	if err != nil {
		fmt.Println(err)
		return
	}
	ws := net.NewWorkspace()
	if err := ws.Feed("a", engine.MustFromSlice([]float32{1, -2, -3, 4}, 2, 2).Array()); err != nil {
		fmt.Println(err)
		return
	}
	n, err := ws.CreateNet(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := n.Run(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range n.Operators() {
		fmt.Printf("%s %q %d\n", o.Type(), o.Engine(), *o.Device().DeviceType)
	}
	fmt.Println(ws.Blob("z"))
	// Output:
	// MatMul "BLAS" 0
	// Relu "" 0
	// [[ 7  0]
	//  [ 0 22]]
}

// Every operator runs asynchronously on a stream. The event says how the run stands.
func ExampleOperator_RunAsync() {
	d := &net.NetDef{}
	if err := d.UnmarshalText([]byte(`op { type: "Relu" input: "x" output: "y" }`)); err != nil {
		fmt.Println(err)
		return
	}
	ws := net.NewWorkspace()
	if err := ws.Feed("x", engine.MustFromSlice([]float32{-1, 2}).Array()); err != nil {
		fmt.Println(err)
		return
	}
	n, err := ws.CreateNet(d)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := engine.NewStream()
	e := n.Operators()[0].RunAsync(s)
	if err := e.Wait(context.Background()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Query(), ws.Blob("y"))
	fmt.Println(s.Close())
	// Output:
	// success [0 2]
	// <nil>
}
