package op

import (
	"github.com/oneloop/oneloop/expr/op/untyped"
	"github.com/oneloop/oneloop/expr/prim"
)

// B builds the scalar program of an operator; see package prim.
type B = prim.B

// V is a value of such a program.
type V = prim.V

// Sliding says how the windows of convolutions and pools move.
type Sliding = untyped.Sliding

// A Reducer is a reduction with several states; see ReduceStates.
type Reducer = untyped.Reducer

// ScanOptions are the options of a scan.
type ScanOptions = untyped.ScanOptions
