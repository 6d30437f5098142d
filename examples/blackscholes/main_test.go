package main

func Example() {
	main()
	// Output:
	// 1 loop, 0 temporaries
	// call 10.4505835722, put 5.5735260223, delta 0.6368306512
}
