package net_test

import (
	"context"
	"fmt"

	"github.com/oneloop/oneloop/engine"
	"github.com/oneloop/oneloop/engine/net"
)

// A printer writes what runs.
type printer struct{}

func (*printer) Start(r *net.Run) { fmt.Println("start", r.Name()) }

func (*printer) Stop(r *net.Run, err error) { fmt.Println("stop", r.Name(), err) }

// An observer sees the runs of a net and of its operators until it is detached.
func ExampleNet_AttachAll() {
	ctx, ws := context.Background(), net.NewWorkspace()
	if err := ws.Feed("x", engine.MustFromSlice([]float32{-1, 2}).Array()); err != nil {
		fmt.Println(err)
	}
	n, err := ws.CreateNet(&net.NetDef{Name: "n", Op: []*net.OperatorDef{net.Op("Relu", []string{"x"}, []string{"y"})}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := &printer{}
	n.AttachAll(p)
	fmt.Println(n.Run(ctx), ws.Blob("y"))
	n.DetachAll(p)
	fmt.Println(n.Run(ctx), n.Observers())
	// Output:
	// start n
	// start Relu
	// stop Relu <nil>
	// stop n <nil>
	// <nil> [0 2]
	// <nil> 0
}

// Arguments of an operator have types and defaults.
func ExampleArgs() {
	ws := net.NewWorkspace()
	n, err := ws.CreateNet(&net.NetDef{Op: []*net.OperatorDef{
		net.Op("UniformFill", nil, []string{"y"}, net.Arg("shape", []int{2, 3}), net.Arg("max", 4.)),
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	a := n.Operators()[0].Args()
	fmt.Println(a.Has("max"), a.Has("min"), a.Float("max", 1), a.Float("min", 0), a.Ints("shape"), a.Err())
	a.Int("max", 1)
	fmt.Println(a.Err() != nil)
	// Output:
	// true false 4 0 [2 3] <nil>
	// true
}

// An event tells how far a run is, and waits for it.
func ExampleEvent() {
	ctx := context.Background()
	var e net.Event
	fmt.Println(e.Query(), e.Record(), e.Query())
	e.SetFinished(nil)
	fmt.Println(e.Wait(ctx), e.Query(), e.Reset(), e.Query())
	// Output:
	// initialized <nil> scheduled
	// <nil> success <nil> initialized
}
