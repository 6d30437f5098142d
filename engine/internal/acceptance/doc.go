// Package acceptance holds tests only: worked cases with reference values, from
// option prices to overlapping assignments. Every case is computed fused, as one
// program, and naively, with a program and a temporary for every operator; both
// must give the same bits, for any number of threads, for contiguous, strided
// and transposed arrays, and the reference values within the bound of the type:
// 1e-12 for float64, 1e-5 for float32 and 2e-3 for float16.
//
// The cases:
//
//	 1  Black-Scholes                    14  GELU, exact and by tanh
//	 2  the same, put-call parity        15  Adam
//	 3  implied volatility               16  Rosenbrock and its gradient
//	 4  mortgage                         17  im2col, convolution, adjoint
//	 5  Planck radiance                  18  luma, pixels, sRGB
//	 6  haversine                        19  normal distribution
//	 7  Lennard-Jones, all pairs         20  Anscombe, NIST NumAcc4, Norris
//	 8  Lorenz by Runge-Kutta            21  variance far from zero
//	 9  heat equation                    22  a million times 0.1
//	10  Kepler's equation                23  halves, rounding, integers
//	11  Maxwell-Boltzmann, Magnus        24  overlapping assignments
//	12  Mandelbrot                       25  the update rule
//	13  softmax, log-sum-exp, sigmoid
package acceptance
