package main

func Example() {
	main()
	// Output:
	// round 0: 98 of 100 are right
	// round 1: 100 of 100 are right
	// round 2: 100 of 100 are right
	// round 3: 100 of 100 are right
}
