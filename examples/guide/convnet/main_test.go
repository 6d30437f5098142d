package main

func Example() {
	main()
	// Output:
	// step 0: loss 1.09
	// step 10: loss 0.68
	// step 20: loss 0.23
	// step 30: loss 0.07
	// 30 of 30 are right
}
