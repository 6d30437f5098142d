package main

func Example() {
	main()
	// Output:
	// price 10.4505835722
	// delta 0.6368306512
	// gamma 0.0187620173
	// vega  37.5240346917
	// theta -6.4140275464
	// rho   53.2324815454
}
