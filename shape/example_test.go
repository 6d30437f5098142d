package shape_test

import (
	"fmt"

	"github.com/oneloop/oneloop/shape"
)

func ExampleBroadcast() {
	s, _ := shape.Broadcast(shape.Shape{3, 1}, shape.Shape{4})
	fmt.Println(s)

	// These strides view a contiguous row of 4 as an array of the broadcast
	// shape.
	row := shape.Shape{4}
	st, _ := row.Strides().BroadcastTo(row, s)
	fmt.Println(st)

	_, err := shape.Broadcast(shape.Shape{3, 4}, shape.Shape{5})
	fmt.Println(err)
	// Output:
	// [3 4]
	// [0 1]
	// shapes [3 4] and [5] do not broadcast
}

func ExampleCollapse() {
	// Two contiguous arrays need one loop; a transposed one needs two.
	s := shape.Shape{2, 3, 4}
	loop, _ := shape.Collapse(s, s.Strides(), s.Strides())
	fmt.Println(loop)
	t, st := shape.Shape{4, 2, 3}, s.Strides().Permute([]int{2, 0, 1})
	loop, sts := shape.Collapse(t, st, t.Strides())
	fmt.Println(loop, sts)
	// Output:
	// [24]
	// [4 6] [[1 4] [6 1]]
}

func ExampleSlice_Resolve() {
	// x[::-2] of 5 elements
	start, count, step, _ := shape.Slice{Step: shape.At(-2)}.Resolve(5)
	fmt.Println(start, count, step)
	// Output: 4 3 -2
}
