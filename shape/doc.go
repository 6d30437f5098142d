// Package shape is the arithmetic of array shapes: sizes, strides,
// broadcasting, axes, slices, and views that need no copy. Its functions are
// pure, do not depend on element types, and never change their arguments.
// Results share no memory with arguments.
//
// # Semantics
//
// A [Shape] lists the extents of an array, outermost first (row-major). The nil
// and the empty Shape are the same: rank 0, one element. An extent may be 0;
// the array is then empty, even if other extents are large.
//
// A checked Shape ([New], [Shape.Check]) has at most [MaxRank] dimensions and
// no negative extent. The product of its non-zero extents, times 8 bytes, fits
// an int. Zero extents do not relax that rule, so strides and partial products
// do not overflow either. Functions without an error result assume checked
// shapes, and as many strides as dimensions.
//
// [Strides] are in elements, not bytes. A stride is 0 along a broadcast
// dimension and negative along a flipped one. The stride of a dimension of
// extent 1 does not matter.
//
// Broadcasting follows NumPy: shapes are aligned at the last dimension, missing
// dimensions count as 1, and extents agree if they are equal or one of them is
// 1. An extent of 0 agrees with 0 and 1 only.
//
// Axes may be negative where a function says that it makes them canonical
// ([Axis], [Axes]). -1 is the last dimension.
//
// # Errors
//
// Every error is an [*Error], one line without a prefix, and matches [Err]:
//
//	shapes [3 4] and [5] do not broadcast
//	axis 3 is out of range for rank 2
package shape
