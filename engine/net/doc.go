// Package net runs nets of operators on named blobs, as Caffe2 does.
//
//	ws := net.NewWorkspace()
//	err := ws.RunOnce(ctx, initNet)   // fills the weights
//	n, err := ws.CreateNet(trainNet)
//	for ... {
//		ws.Feed("x", batch)
//		err = n.Run(ctx)
//	}
//
// A [NetDef] is what Caffe2 stores in files, in protobuf's binary and text formats.
// A blob is an array of the engine, and an operator runs a compiled program.
//
// An operator is defined once, by a function from trees to trees ([Define]). The
// program, the shapes of its outputs and its gradient operator follow from that
// function. So all operators have gradients, and every operator fuses into as few
// loops as its tree allows. Operators are not fused with each other: code that wants
// a whole network in one program uses package nn.
//
// Operators and nets have events and observers. Nets of type "dag" run operators at
// the same time if none reads or writes what another one writes.
package net
