// Package oneloop evaluates numeric expressions over arrays in one loop.
//
// An expression is a tree. Nothing is computed while it is built. When it is
// assigned, a plan compiler turns the whole right side into as few passes over
// memory as it can, in most cases one, without temporaries:
//
//	w := engine.MustFromSlice(weights)
//	g := engine.MustFromSlice(gradient)
//	err := w.SubAssign(op.Scale(.1, op.Add(g, op.Scale(1e-4, w))))
//
// The pass fuses element-wise operations, broadcasts, views (slices, transposes,
// padding, windows, indexing), reductions with what feeds them and what uses
// them, and several assignments. A softmax over rows reads and writes each row
// once. A matrix product runs together with the loops before and after it, block of
// rows by block of rows, where that pays.
//
// # Packages
//
//   - [github.com/oneloop/oneloop/engine]: tensors, compilation, running.
//   - [github.com/oneloop/oneloop/expr/op]: the operators; docs/ops.md lists them.
//   - [github.com/oneloop/oneloop/expr]: expressions, parameters, statements, kinds
//     of error; expr/tree is for code that makes operators, or reads trees.
//   - [github.com/oneloop/oneloop/expr/formula]: the same trees from NumPy-like text.
//   - [github.com/oneloop/oneloop/expr/grad]: gradients, as trees.
//   - [github.com/oneloop/oneloop/engine/nn]: training; engine/autograd, engine/blob
//     and engine/net are for code that follows PyTorch, Caffe and Caffe2; engine/ps
//     adds up the gradients of several workers.
//   - [github.com/oneloop/oneloop/engine/npy], engine/csv, engine/picture,
//     engine/stream: files.
//   - [github.com/oneloop/oneloop/engine/cuda]: NVIDIA GPUs, by a blank import.
//   - [github.com/oneloop/oneloop/engine/blas]: a BLAS for gonum; engine/gonum shares
//     its matrices.
//
// # What holds
//
// Results do not depend on how an expression is cut into loops, on the number of
// threads, or on how arrays are laid out: fused and unfused evaluation give the
// same bits. Assignments are safe under any overlap of target and operands.
// Building a tree never fails; an assignment returns the first mistake with the
// line that made it, and a failed assignment leaves its target as it was.
// docs/numerics.md states the rounding, the order of sums and the special cases.
package oneloop
