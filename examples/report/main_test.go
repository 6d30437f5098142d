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
	// species,count,mean,std,min,max
	// 0,50,1.462,0.1737,1,1.9
	// 1,50,4.26,0.4699,3,5.1
	// 2,50,5.552,0.5519,4.5,6.9
}
