"""Minimax polynomials with coefficients that are float32 or float64 numbers.

The method is Remez's second algorithm (1934) on a dense grid of Chebyshev
points, with a weight. Coefficients are rounded one after the other, the most
significant first, and the rest is fitted again after each: so the later ones
absorb the rounding of the earlier ones (Brisebarre & Chevillard 2007 find
better ones by lattice reduction; the difference is far below what matters).
"""
import struct

from mpmath import mp, mpf, matrix, lu_solve, cos, pi

mp.dps = 70

BITS = {"f32": 24, "f64": 53}


def nearest(x, fmt):
    """x rounded to the nearest number of the format (normal range)."""
    return significand(x, BITS[fmt])


def significand(x, bits):
    """x rounded to so many significant bits, ties to even."""
    if x == 0:
        return mpf(0)
    m, e = mp.frexp(mpf(x))
    return mp.ldexp(mp.nint(mp.ldexp(m, bits)), e - bits)


def truncated(x, bits):
    """x truncated to so many significant bits."""
    m, e = mp.frexp(mpf(x))
    k = mp.ldexp(m, bits)
    return mp.ldexp(mp.floor(k) if k > 0 else mp.ceil(k), e - bits)


class Problem:
    """Approximate sum(c[k] * x^powers[k]) to f(x), weighted, on [lo, hi]."""

    def __init__(self, f, weight, powers, lo, hi, points=600):
        self.powers = list(powers)
        lo, hi = mpf(lo), mpf(hi)
        self.xs = [(lo + hi) / 2 - (hi - lo) / 2 * cos(pi * (i + mpf(1) / 2) / points) for i in range(points)]
        if lo == 0:
            self.xs = self.xs[1:]
        self.xs = [x for x in self.xs if abs(x) > (hi - lo) * mpf(10) ** -6]
        self.w = [weight(x) for x in self.xs]
        self.y = [f(x) for x in self.xs]
        self.p = [[x**k for k in self.powers] for x in self.xs]

    def solve(self, fixed):
        """Coefficients with those in fixed (index: value) given; the error."""
        free = [k for k in range(len(self.powers)) if k not in fixed]
        y = [v - sum(fixed[k] * row[k] for k in fixed) for v, row in zip(self.y, self.p)]
        n = len(free)
        if n == 0:
            return dict(fixed), max(abs(w * v) for w, v in zip(self.w, y))
        m = len(self.xs)
        ref = [int((m - 1) * (1 - cos(pi * i / n)) / 2) for i in range(n + 1)]
        best = None
        for _ in range(25):
            a, b = matrix(n + 1, n + 1), matrix(n + 1, 1)
            for i, r in enumerate(ref):
                for j, k in enumerate(free):
                    a[i, j] = self.p[r][k]
                a[i, n] = (-1) ** i / self.w[r]
                b[i] = y[r]
            c = lu_solve(a, b)
            err = [w * (sum(c[j] * row[k] for j, k in enumerate(free)) - v) for w, v, row in zip(self.w, y, self.p)]
            worst = max(abs(e) for e in err)
            if best is None or worst < best[1]:
                best = (c, worst)
            level = abs(c[n])
            if worst <= level * mpf("1.002"):
                break
            # The extremes of each run of equal sign; the exchange keeps n+1 of them.
            runs, start = [], 0
            for i in range(1, m + 1):
                if i == m or (err[i] > 0) != (err[start] > 0):
                    runs.append(max(range(start, i), key=lambda t: abs(err[t])))
                    start = i
            while len(runs) > n + 1:
                if len(runs) == n + 2:
                    runs.pop(0 if abs(err[runs[0]]) < abs(err[runs[-1]]) else -1)
                    continue
                k = min(range(len(runs)), key=lambda t: abs(err[runs[t]]))
                if 0 < k < len(runs) - 1:
                    drop = k - 1 if abs(err[runs[k - 1]]) < abs(err[runs[k + 1]]) else k + 1
                    for d in sorted((k, drop), reverse=True):
                        runs.pop(d)
                else:
                    runs.pop(k)
            if len(runs) < n + 1:
                break
            ref = runs
        c, worst = best
        out = dict(fixed)
        for j, k in enumerate(free):
            out[k] = c[j]
        return out, worst

    def rounded(self, fmt, fixed=None):
        """Rounded coefficients, in the order of powers, and the weighted error."""
        fixed = dict(fixed or {})
        scale = max(abs(x) for x in self.xs)
        while True:
            c, err = self.solve(fixed)
            free = [k for k in c if k not in fixed]
            if not free:
                return [c[k] for k in range(len(self.powers))], err
            k = max(free, key=lambda k: abs(c[k]) * scale ** self.powers[k])
            fixed[k] = nearest(c[k], fmt)


def fit(f, weight, powers, lo, hi, fmt, fixed=None):
    return Problem(f, weight, powers, lo, hi).rounded(fmt, fixed)


def fit_once(f, weight, powers, lo, hi, fmt, fixed=None):
    """fit without a second fit of the other coefficients: for many of them, none much larger than the others."""
    p = Problem(f, weight, powers, lo, hi)
    c, _ = p.solve(dict(fixed or {}))
    c, err = p.solve({k: nearest(v, fmt) for k, v in c.items()})
    return [c[k] for k in range(len(c))], err


def hexfloat(x):
    """A Go hexadecimal literal of x, which must be a float64."""
    v = float(x)
    assert mpf(v) == x, x
    return v.hex().replace(".0000000000000p", "p") if v else "0"
