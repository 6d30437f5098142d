// Package cudagen writes CUDA C++ for kernels of the loop IR. It needs no GPU
// and no CUDA: it is a pure function from a kernel and a layout to text, and
// from a binding to the numbers of a launch.
//
//	l, err := cudagen.LayoutOf(k, binding, addresses) // what the code depends on
//	src := cudagen.Generate(k, l)                     // text; equal layouts, equal text
//	b, err := src.Bind(binding, device)               // grids and the argument struct
//	b.SetArgs(addresses, scalars, scratch, faults)    // before each launch
//
// One kernel of the IR becomes one or more CUDA kernels. The caller runs them in
// order on one stream. All have the same argument struct. The caller passes it by
// value, or by the address of a copy on the device if it is large
// ([Source.Indirect]). A full reduction, for example, becomes two kernels: one
// reduces blocks of 4096 positions, one combines the blocks.
//
// The bits follow docs/numerics.md. Every primitive is a function of the
// prelude (namespace prim) that rounds once and is not contracted. Reductions have
// the order of the contract. The caller must compile the source without
// contraction and fast math (--fmad=false). A C++ compiler can compile it too, if
// the few names of CUDA that it uses are defined.
package cudagen
