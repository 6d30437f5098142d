// Package enginetest is the conformance suite that every backend passes.
//
//	func TestConformance(t *testing.T) {
//		for _, name := range engine.Backends() {
//			t.Run(name, func(t *testing.T) { enginetest.Run(t, enginetest.Options{Options: engine.Options{Backend: name}}) })
//		}
//	}
//
// It compares bits (all NaNs are equal) with a reference of its own, which
// shares with the engine the operators' scalar programs and nothing else: it
// evaluates trees one node at a time, one element at a time, writes out the
// orders of summation of docs/numerics.md, and works on a copy of all memory
// that a program can reach, so that aliasing, the order of statements and
// stores outside the targets show. A second comparison runs each node of a tree
// as a program of its own: fused and unfused give the same bits.
//
// The areas are functions of their own, for a backend that can pass some of
// them only. Random is the one to run long:
//
//	go test ./engine -run 'Conformance/.*/random' -rapid.checks=100000 -timeout 0
//
// A failure is shrunk, printed as statements, and can be run again by the seed
// that it prints.
package enginetest
