// Searches for the worst error of a float64 lowering f, in units of the last
// place of the exact value. The reference is libquadmath, whose error is below
// 2^-57 of such a unit.
//
// The search has two steps. The first takes random arguments of every binade:
// a few in each, and many in the binades LO to HI, where the function is not
// trivial. Each binade is divided into CELLS cells. The second step repeatedly
// takes more arguments in the cells with the worst errors.
#include <float.h>
#include <math.h>
#include <quadmath.h>
#include <stdio.h>
#include <stdlib.h>

typedef __float128 quad;

static inline quad sigmoidq(quad x)
{
	quad e = expq(-fabsq(x));
	return (x < 0 ? e : 1) / (1 + e);
}
static inline quad rsqrtq(quad x) { return 1 / sqrtq(x); }
static inline quad geluq(quad x) { return x * erfcq(-x * M_SQRT1_2q) / 2; }
static inline quad log2_q(quad x) { return logq(x) * M_LOG2Eq; }
static inline quad exp2_q(quad x) { return exp2q(x); }
static inline quad log10_q(quad x) { return logq(x) * M_LOG10Eq; }

static uint64_t state = 88172645463325252u;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x9e3779b97f4a7c15u;
}

static double worst;
static uint64_t at, count;

static double ulps(double got, quad want)
{
	int e;
	frexpq(want, &e);
	if (e < -1021)
		e = -1021;
	quad g = isinf(got) ? copysignq(ldexpq(1, 1024), got) : (quad)got;
	return (double)(fabsq(g - want) * ldexpq(1, 53 - e));
}

static double look(uint64_t bits)
{
	double x = f64_from_u64(bits), y = f(x);
	quad want = REF((quad)x);
	if (isnanq(want) || isinfq(want) || fabsq(want) >= FLT128_MAX || want == 0)
		return 0;
	if (fabsq(want) > (quad)DBL_MAX && isinf(y))
		return 0; // overflow
	double e = ulps(y, want);
	count++;
	if (!(e <= worst))
		worst = e, at = bits;
	return e;
}

enum { CELLS = 64, KEEP = 512 };
struct cell { uint64_t low, span; double worst; };

static int order(const void *a, const void *b)
{
	double x = ((const struct cell *)a)->worst, y = ((const struct cell *)b)->worst;
	return x < y ? 1 : x > y ? -1 : 0;
}

static void sample(struct cell *c, int n)
{
	for (int i = 0; i < n; i++) {
		double e = look(c->low + next() % c->span);
		if (!(e <= c->worst))
			c->worst = e;
	}
}

int main(int argc, char **argv)
{
	int effort = argc > 1 ? atoi(argv[1]) : 40;
	static struct cell cells[2 * 2047 * CELLS];
	int n = 0;
	for (int sign = 0; sign < 2; sign++)
		for (int e = 0; e < 2047; e++) {
			int busy = e - 1023 >= LO && e - 1023 <= HI;
			for (int k = 0; k < (busy ? CELLS : 1); k++) {
				uint64_t span = (1ull << 52) / (busy ? CELLS : 1);
				struct cell c = {(uint64_t)sign << 63 | (uint64_t)e << 52, span, 0};
				c.low += k * span;
				sample(&c, busy ? effort * 4 : 4);
				cells[n++] = c;
			}
		}
	for (int round = 0; round < 12; round++) {
		qsort(cells, n, sizeof cells[0], order);
		int keep = n < KEEP ? n : KEEP, m = keep;
		for (int i = 0; i < keep; i++) { // halves of the worst cells
			struct cell c = cells[i];
			if (c.span >= 4096) {
				cells[i].span = c.span / 2;
				cells[m] = (struct cell){c.low + c.span / 2, c.span / 2, 0};
				cells[i].worst = 0;
				sample(&cells[m++], effort * 4);
			}
			sample(&cells[i], effort * 4);
		}
		n = m;
	}
	printf("| %llu | %.3f | %a | - |\n", (unsigned long long)count, worst, f64_from_u64(at));
	return 0;
}
