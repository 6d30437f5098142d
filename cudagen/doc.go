// Package cudagen writes CUDA C++ for kernels of the loop IR. It needs no GPU
// and no CUDA: it is a pure function from a kernel and a layout to text, and
// from a binding to the numbers of a launch.
//
//	l, err := cudagen.LayoutOf(k, binding, addresses) // what the code depends on
//	src := cudagen.Generate(k, l)                     // text; equal layouts, equal text
//	b, err := src.Bind(binding, device)               // grids and the argument struct
//	b.SetArgs(addresses, scalars, scratch, faults)    // before each launch
//
// One kernel of the IR becomes one or more CUDA kernels that run one after the
// other on one stream, all with the same argument struct, passed by value, or if
// it is large by the address of a copy on the device ([Source.Indirect]). A full
// reduction, for example, is one that reduces blocks of 4096 positions and one
// that combines them.
//
// The bits are those of docs/numerics.md: every primitive goes through a
// function of the prelude (namespace prim) that rounds once and is not
// contracted, and reductions have the one order of the contract. The source must
// be compiled without contraction and fast math (--fmad=false). A C++ compiler
// can compile it too, given definitions of the few names of CUDA that it uses.
package cudagen
