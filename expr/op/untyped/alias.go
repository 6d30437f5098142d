package untyped

import (
	"github.com/oneloop/oneloop/expr/prim"
)

// B builds the scalar program of an operator; see package prim.
type B = prim.B

// V is a value of such a program.
type V = prim.V
