"""Measures lowerings on random arguments and on those of hard.txt against mpmath, and
prints rows of docs/accuracy.md: functions of two arguments, gelu_tanh, and those of the normal distribution.

    python3 scripts/goldens/measure.py [-n 50000] [function ...]

The error is the distance from the exact value in units of the last place of the
exact value. "off" counts results with an error above 1.
"""
import math
import os
import random
import subprocess
import sys

from mpmath import mp, mpf
import mpmath

from make import FORMATS, FUNCTIONS, INF, UNARY, atan2 as arctangent, bits, exact, hard, hypot, pairs_of, pow_special, power, rounded, value

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def run(name, fmt, args):
    """The results of the lowering, from Go."""
    lines = "\n".join(" ".join(bits(fmt, v) for v in a) for a in args) + "\n"
    out = subprocess.run(os.environ.get("ULP", "go run ./scripts/ulp").split() + ["-fn", name, "-type", fmt, "-eval"], input=lines, cwd=ROOT,
                         capture_output=True, text=True, check=True).stdout.split()
    return [value(fmt, int(r, 16)) for r in out]


def ulps(fmt, got, want):
    p, lo, hi = FORMATS[fmt][:3]
    e = max(mp.frexp(want)[1] - 1, lo) if want else lo
    g = mp.ldexp(mpf(1), hi + 1) * (1 if got > 0 else -1) if abs(got) == INF else mpf(got)
    return abs(g - want) / mp.ldexp(mpf(1), e - p + 1)


def arguments(name, fmt, n):
    """Random arguments in the range where the function is not trivial."""
    rng = random.Random("measure" + name)
    if name not in UNARY:
        return [a for a in pairs_of(name, fmt, n, "measure") if all(abs(v) != INF and v == v and v != 0 for v in a)]
    _, _, _, _, points, (lo, hi) = UNARY[name]
    out = []
    while len(out) < n:
        s = rng.choice((1, -1))
        kind = rng.randrange(4)
        if kind == 0:
            x = math.ldexp(1 + rng.random(), rng.randint(lo, hi))
        elif kind == 1:
            x = math.ldexp(1 + rng.random(), rng.randint(-4, min(hi, 4)))
        elif kind == 2:
            x = float(rng.choice(points)) * (1 + rng.uniform(-.05, .05))
        else:
            x = math.ldexp(1 + rng.random(), rng.randint(-1074, 1023)) if rng.randrange(8) == 0 else 4 * rng.random()
        out.append((s * x,))
    return out


def reference(name):
    if name in UNARY:
        return UNARY[name][0]
    return {"pow": power, "hypot": hypot, "atan2": arctangent}[name]


def measure(name, fmt, n):
    args = arguments(name, fmt, n) + list(hard(name, fmt))
    args = [tuple(rounded(fmt, mpf(v)) for v in a) for a in args]
    args = [a for a in args if all(abs(v) != INF and v != 0 for v in a)]
    worst, at, off, count = mpf(0), None, 0, 0
    f = reference(name)
    for a, got in zip(args, run(name, fmt, args)):
        if name == "pow" and pow_special(*a) is not None:
            continue
        if name in ("exp", "exp2", "expm1", "sinh", "cosh", "tanh", "i0", "i1", "erf", "erfc", "sigmoid", "gelu", "gelu_tanh", "ndtr") and abs(a[0]) > 1e4:
            continue
        want = exact(fmt, f, *a)
        if got != got or isinstance(want, float) or mpmath.isinf(want):
            continue
        count += 1
        if rounded(fmt, want) == got and abs(got) == INF:
            continue
        e = ulps(fmt, got, want)
        off += e > 1
        if e > worst:
            worst, at = e, a
    where = ", ".join(float(v).hex().replace("0000000p", "p") for v in at)
    print("| %s | %s | %d | %.3f | %s | %d |" % (name, "float64" if fmt == "f64" else "float32", count, float(worst), where, off), flush=True)


def main(argv):
    n = 50000
    if argv[:1] == ["-n"]:
        n, argv = int(argv[1]), argv[2:]
    for name in argv or ("atan2", "erfinv", "gamma", "gelu_tanh", "hypot", "i0", "i1", "ndtr", "ndtri", "pow", "trigamma"):
        for fmt in FORMATS:
            measure(name, fmt, n)


main(sys.argv[1:])
