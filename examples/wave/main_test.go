package main

func Example() {
	main()
	// Output:
	// 0.009227603689 1.753622189579
}
