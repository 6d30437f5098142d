// Compares the lowering f with the reference on every n-th float32. The rules
// are those of scripts/ulp/main.go. What looks like a failure is judged again
// with the scalar function, since the vector ones are loose about special cases.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096, THREADS = 2 };

void reference(const float *x, double *y, int n);

static inline double sigmoid(double x)
{
	double e = exp(-fabs(x));
	return (x < 0 ? e : 1) / (1 + e);
}
static inline double rsqrt(double x) { return 1 / sqrt(x); }
static inline double gelu(double x)
{
	return x == -INFINITY ? -0.0 : x * erfc(x * -0x1.6a09e667f3bcdp-1) * .5;
}

struct result {
	uint64_t start, every, samples, failures, sum;
	double worst;
	uint32_t at, first;
};

static double ulps(float got, double want)
{
	double v = isinf(got) ? copysign(0x1p128, got) : got;
	if (isinf(want))
		want = copysign(0x1p128, want);
	int e = want == 0 ? -126 : ilogb(want);
	return fabs(v - want) * ldexp(1, 23 - (e < -126 ? -126 : e));
}

static void check(struct result *r, uint32_t x, uint32_t got, double want)
{
	float g = f32_from_u32(got), near = want;
	uint32_t n = u32_from_f32(near);
	for (int again = 0;; again++) {
		int bad = isnan(want) || isnan(g) ? !isnan(want) != !isnan(g)
			: got != n && ((got ^ n) >> 31 || ulps(g, want) > 1);
		if (!bad && (isnan(want) || isinf(g)))
			return;
		double e = bad && isnan(want - g) ? INFINITY : ulps(g, want);
		if (!bad && e <= r->worst)
			return;
		if (!again) {
			want = REF((double)f32_from_u32(x));
			near = want;
			n = u32_from_f32(near);
			continue;
		}
		if (bad && !r->failures++)
			r->first = x;
		if (e > r->worst)
			r->worst = e, r->at = x;
		return;
	}
}

static void *sweep(void *arg)
{
	struct result *r = arg;
	static __thread float x[N], y[N];
	static __thread double want[N];
	static __thread uint8_t look[N];
	for (uint64_t first = r->start * N * r->every; first < 1ull << 32; first += THREADS * N * r->every) {
		int n = 0;
		for (uint64_t v = first; n < N && v < 1ull << 32; v += r->every)
			x[n++] = f32_from_u32(v);
		for (int i = 0; i < n; i++)
			y[i] = f(x[i]);
		reference(x, want, n);
		r->samples += n;
		double limit = r->worst * 0x1p-23;
		uint64_t sum = 0;
		for (int i = 0; i < n; i++) {
			uint32_t b = u32_from_f32(y[i]);
			b = (b & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : b;
			sum += (uint64_t)b * (u32_from_f32(x[i]) | 1);
			double a = fabs(want[i]), e = fabs(y[i] - want[i]);
			// Certainly no worse than the worst, and so no failure below 1 ULP.
			uint64_t w;
			memcpy(&w, &a, 8);
			w &= 0x7ffull << 52; // the binade
			memcpy(&a, &w, 8);
			double least = limit < 0x1.8p-24 ? limit : 0x1.8p-24;
			look[i] = !(e <= a * least) || !(a >= 0x1p-126 && a <= 0x1p127);
		}
		r->sum += sum;
		for (int i = 0; i < n; i++)
			if (look[i])
				check(r, u32_from_f32(x[i]), u32_from_f32(y[i]), want[i]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct result r[THREADS] = {0}, t = {0};
	pthread_t id[THREADS];
	for (int i = 0; i < THREADS; i++) {
		r[i].start = i;
		r[i].every = argc > 1 ? strtoull(argv[1], 0, 10) : 1;
		pthread_create(id + i, 0, sweep, r + i);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(id[i], 0);
		t.samples += r[i].samples;
		t.sum += r[i].sum;
		if (!t.failures)
			t.first = r[i].first;
		t.failures += r[i].failures;
		if (r[i].worst > t.worst)
			t.worst = r[i].worst, t.at = r[i].at;
	}
	printf("| %llu | %.3f | %a | %llu |\n", (unsigned long long)t.samples, t.worst, f32_from_u32(t.at), (unsigned long long)t.failures);
	fprintf(stderr, "first failure at %a, sum of results %016llx\n", f32_from_u32(t.first), (unsigned long long)t.sum);
	return t.failures != 0;
}
