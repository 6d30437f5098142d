package main

func Example() {
	main()
	// Output:
	// 1 stage, 0 temporaries, 0 bytes of scratch
	// stage 0: loop: stores to the program's arrays
	//   reads m float64[2], g float64[2], v float64[2], w float64[2]; writes m float64[2], v float64[2], w float64[2]; 112 bytes
	// intercept 3.000, slope -2.000
}
