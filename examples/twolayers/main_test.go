package main

import (
	"fmt"
	"os"
)

func Example() {
	if err := os.Chdir("../.."); err != nil {
		fmt.Println(err)
	}
	main()
	// Output:
	// loss 2.299881
	// loss 0.168578
	// loss 0.089709
	// 0.911111 of 360 digits are right
}
