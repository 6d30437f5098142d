package blob_test

import (
	"fmt"

	"github.com/oneloop/oneloop/engine/blob"
	"github.com/oneloop/oneloop/expr/op"
)

// A step of gradient descent on a blob of weights. The diff is computed by an
// expression; the step is one loop.
func Example() {
	w, err := blob.New[float32](2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	copy(w.Data().Data(), []float32{1, 2, 3, 4, 5, 6})
	fmt.Println(w.Diff().Assign(op.Scale(.5, w.Data())), w.Update())
	fmt.Println(w.Data())
	fmt.Println(w.SumSqData())
	// Output:
	// <nil> <nil>
	// [[0.5   1 1.5]
	//  [  2 2.5   3]]
	// 22.75 <nil>
}

// A data layer passes over its samples. Each pass gives the blob another part of
// the same slice, without a copy.
func ExampleBlob_Adopt() {
	samples := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	b, err := blob.New[float32](2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for offset := 0; offset < len(samples); offset += b.Count() {
		if err := b.Adopt(samples, offset); err != nil {
			fmt.Println(err)
		}
		fmt.Println(b.ASumData())
	}
	// Output:
	// 10 <nil>
	// 26 <nil>
}

// Blobs of other programs that follow Caffe are files of one BlobProto.
func ExampleBlob_ToProto() {
	b, err := blob.New[float32](1, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	copy(b.Data().Data(), []float32{1, -2})
	p, err := b.ToProto(false)
	if err != nil {
		fmt.Println(err)
		return
	}
	raw, err := p.MarshalBinary()
	fmt.Printf("%x %v\n", raw, err)
	// Output: 2a080000803f000000c03a040a020102 <nil>
}
