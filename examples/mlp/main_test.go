package main

func Example() {
	main()
	// Output:
	// a step: 10 loops, 5 products, 4461044 bytes
	// step 0: loss 687.4
	// step 100: loss 52.93
	// step 200: loss 1.045
	// step 300: loss 0.009752
	// step 400: loss 4.614e-05
}
