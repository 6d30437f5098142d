// Searches for the worst error of a lowering f of two arguments, in units of the last
// place of the exact value. The reference is libquadmath. Arguments are random: near 1,
// near each other, and of all magnitudes. Those of pow have results of all magnitudes.
#include <float.h>
#include <math.h>
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SINGLE
typedef float T;
enum { BITS = 24, LEAST = -125, LARGEST = 127 };
#else
typedef double T;
enum { BITS = 53, LEAST = -1021, LARGEST = 1023 };
#endif

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x9e3779b97f4a7c15u;
}

static double uniform(double lo, double hi) { return lo + (hi - lo) * (double)(next() >> 11) * 0x1p-53; }

static double magnitude(int e) { return exp2(uniform(-e, e)); }

static void powers(T *x, T *y)
{
	switch (next() % 5) {
	case 0: *x = 1 + uniform(-.05, .05); break;
	case 1: *x = 1 + uniform(-1, 1) * magnitude(BITS) * exp2(-BITS); break;
	case 2: *x = uniform(0, 4); break;
	case 3: *x = magnitude(20); break;
	default: *x = magnitude(LARGEST);
	}
	*y = next() % 4 ? uniform(-1, 1) * (LARGEST - 1) / log2(*x) : uniform(-8, 8);
}

static void any(T *x, T *y)
{
	*x = uniform(-1, 1) * magnitude(LARGEST - 1);
	*y = next() % 4 ? *x * magnitude(next() % 2 ? 3 : BITS) * (next() % 2 ? 1 : -1) : uniform(-1, 1) * magnitude(LARGEST - 1);
}

static double ulps(T got, __float128 want)
{
	int e;
	frexpq(want, &e);
	if (e < LEAST)
		e = LEAST;
	return (double)(fabsq((__float128)got - want) * ldexpq(1, BITS - e));
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1000000;
	double worst = 0;
	T wx = 0, wy = 0;
	for (long i = 0; i < count; i++) {
		T x, y;
		(strcmp(NAME, "pow") ? any : powers)(&x, &y);
		__float128 want = REF((__float128)x, (__float128)y);
		if (!(fabsq(want) < ldexpq(1, LARGEST) && want != 0))
			continue;
		double e = ulps(f(x, y), want);
		if (!(e <= worst))
			worst = e, wx = x, wy = y;
	}
	printf("| %ld | %.3f | %a, %a |\n", count, worst, wx, wy);
	return 0;
}
