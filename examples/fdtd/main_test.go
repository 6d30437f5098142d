package main

func Example() {
	main()
	// Output:
	// -0.000388584639 0.498225613682
}
