package dtype_test

import (
	"fmt"

	"github.com/oneloop/oneloop/expr/dtype"
)

func Example() {
	t, err := dtype.Parse("bfloat16")
	fmt.Println(t, t.Size(), "bytes, held as", t.Register(), err)
	fmt.Println(dtype.Of[uint8](), dtype.Of[uint8]().IsUnsigned())
	// Output:
	// bfloat16 2 bytes, held as float32 <nil>
	// uint8 true
}

func ExampleF16From() {
	fmt.Println(dtype.F16From(1+0x1p-11), dtype.F16From(65519), dtype.F16From(65520))
	// Output: 1 65504 +Inf
}
