package blob_test

import (
	"fmt"

	"github.com/oneloop/oneloop/engine/blob"
)

// A blob keeps its memory when it gets smaller, and finds its elements again.
func ExampleBlob_Reshape() {
	b, err := blob.New[float32](2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	copy(b.Data().Data(), []float32{1, 2, 3, 4, 5, 6})
	fmt.Println(b.Reshape(2), b.Data(), b.Reshape(2, 3))
	fmt.Println(b.Data())
	// Output:
	// <nil> [1 2] <nil>
	// [[1 2 3]
	//  [4 5 6]]
}

// Two blobs of one size can have the same data.
func ExampleBlob_ShareData() {
	a, err := blob.New[float32](2)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := blob.New[float32](2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	copy(a.Data().Data(), []float32{1, 2})
	fmt.Println(b.ShareData(a), b.Data(), b.Diff())
	// Output:
	// <nil> [[1]
	//  [2]] [[0]
	//  [0]]
}

// A blob of up to four axes has the four axes of old files.
func ExampleBlob_LegacyShape() {
	b, err := blob.New[float32](5, 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.LegacyShape(0))
	fmt.Println(b.LegacyShape(3))
	n, c, h, w := int32(1), int32(1), int32(5), int32(7)
	fmt.Println(b.ShapeEquals(&blob.Proto{Num: &n, Channels: &c, Height: &h, Width: &w}))
	// Output:
	// 5 <nil>
	// 1 <nil>
	// true
}
