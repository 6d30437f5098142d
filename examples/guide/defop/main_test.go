package main

func Example() {
	main()
	// Output:
	// [2 3 4 5]
	// [4 3.5 4.5 5.5]
	// [2.5 2.5 2.5 2.5]
}
