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
	// [106 160 3], mean 0.23574, 0.1160 of it edges
}
