package main

func Example() {
	main()
	// Output:
	// [0 0 5 6 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1]
	// oneloop: Tensor.Assign: a value of shape [2 5 2] cannot be assigned to a target of shape [5 2] (main.go:30)
	// [[3 3]
	//  [3 3]]
	// [[4.5 4.5]
	//  [4.5 4.5]]
	// [[21 31]
	//  [21 31]] 24 [2 5 2]
}
