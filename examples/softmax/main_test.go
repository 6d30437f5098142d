package main

func Example() {
	main()
	// Output:
	// 1 stage, 0 temporaries, 0 bytes of scratch
	// stage 0: chain of 3 parts, on tiles with 20 columns: its loops run on what the product has just stored
	//   reads x float32[1000 16], weights float32[16 20], bias float32[20]; writes p float32[1000 20], best int64[1000]; 153360 bytes
	//   part 0: matrix product: a matrix product has a schedule of its own; the next stage reads its result in the target
	//     reads x float32[1000 16], weights float32[16 20]; writes p float32[1000 20]
	//   part 1: loop: stores to the program's arrays
	//     reads p float32[1000 20], bias float32[20]; writes p float32[1000 20]
	//   part 2: loop: stores to the program's arrays
	//     reads p float32[1000 20]; writes best int64[1000]
	// row 0: class 0 with 9.4%, all classes 100.0%
}
