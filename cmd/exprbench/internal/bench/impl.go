// Package bench holds the workloads of the tool and measures them: fused, one
// operator at a time, and as hand-written loops.
package bench

// An Impl is a way to compute a workload.
type Impl int

// The ways.
const (
	Fused Impl = iota // one program of the whole statement list
	Naive             // a program for each operator, temporaries kept
	Alloc             // the same, with new temporaries each time
	Loop              // a plain Go loop, written by hand, on one thread
	impls
)

var implNames = [impls]string{"fused", "naive", "alloc", "goloop"}

func (i Impl) String() string { return implNames[i] }

// Impls lists the ways.
func Impls() []Impl { return []Impl{Fused, Naive, Alloc, Loop} }
