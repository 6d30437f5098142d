package cuda

// integerSource is the CUDA C++ of the kernel, for unsigned elements. Wrapping
// sums and products of signed elements have the same bits.
const integerSource = `typedef %s element;
struct args { const element *a, *b; element *c; long long m, n, k, arow, acol, brow, bcol; };
extern "C" __global__ void product(const __grid_constant__ args p) {
	long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (at >= p.m * p.n) return;
	const element *a = p.a + at / p.n * p.arow, *b = p.b + at %% p.n * p.bcol;
	element sum = 0;
	for (long long i = 0; i < p.k; i++) sum = (element)(sum + a[i * p.acol] * b[i * p.brow]);
	p.c[at] = sum;
}
`

var unsignedNames = map[int]string{1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
