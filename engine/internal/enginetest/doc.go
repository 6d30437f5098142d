// Package enginetest is the conformance suite that every backend passes.
//
//	func TestConformance(t *testing.T) { enginetest.Run(t, enginetest.Options{Backends: engine.Backends()}) }
//
// The suite compares bits (all NaNs are equal) with a reference. The reference
// shares only the scalar programs of the operators with the engine. It evaluates
// trees one node and one element at a time, and implements the orders of
// docs/numerics.md directly. It works on a copy of all memory that a program can
// reach. So the comparison finds errors of aliasing, of the order of statements,
// and stores outside the targets. A second comparison runs each node of a tree
// as a program of its own: fused and unfused must give the same bits.
//
// Each area has a function of its own, for a backend that passes only some of
// them. Run Random for a long time:
//
//	go test ./engine/internal/enginetest -run 'Conformance/random' -rapid.checks=100000 -timeout 0
//
// Package rapid shrinks a failure. The suite prints it as statements, with a seed
// that repeats it.
package enginetest
