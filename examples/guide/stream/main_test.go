package main

func Example() {
	main()
	// Output:
	// [8 16 24] [9 17 25]
}
