// Package shape holds the arithmetic of array shapes: sizes, strides,
// broadcasting, axes, slices, and which arrays can be seen as which others
// without a copy. Its functions are pure, know nothing of element types, and
// never change their arguments; what they return shares no memory with them.
//
// # Semantics
//
// A [Shape] lists the logical extents of an array, outermost first (row-major).
// The nil and the empty Shape are the same: rank 0, one element. An extent may
// be 0; the array is then empty, however large its other extents.
//
// A checked Shape ([New], [Shape.Check]) has at most [MaxRank] dimensions, no
// negative extent, and a product of its non-zero extents that fits an int even
// as a number of 8-byte elements. Zero extents do not relax the last rule, so
// strides and partial products never overflow either. Functions without an
// error result assume checked shapes, and as many strides as dimensions.
//
// [Strides] count elements, not bytes. A stride is 0 along a broadcast
// dimension and negative along a flipped one. Strides of dimensions of extent
// 1 are never followed and so never matter.
//
// Broadcasting follows NumPy: shapes are aligned at the last dimension, missing
// dimensions count as 1, and extents agree if they are equal or one of them is
// 1. An extent of 0 agrees with 0 and 1 only.
//
// Axes may be negative where a function says that it makes them canonical
// ([Axis], [Axes]); -1 is the last dimension.
//
// # Errors
//
// Every error is an [*Error], one line without a prefix, and matches [Err]:
//
//	shapes [3 4] and [5] do not broadcast
//	axis 3 is out of range for rank 2
package shape
