"""Writes testdata/lowerings/goldens/*.txt: arguments and correctly rounded
results of mathematical functions, computed with mpmath, which shares nothing
with the lowerings that are tested against them.

    python3 scripts/goldens/make.py [function ...]

A line is a type and hexadecimal bits: the arguments, then the correctly rounded
result; then by how much the result exceeds the exact value, in units of the last
place of the exact value. NaN is written as "nan". Arguments are stratified over all
binades, with more where the functions are interesting, plus special values and those
of hard.txt; a fixed seed makes them stable.
"""
import math
import os
import random
import struct
import sys

from mpmath import mp, mpf
import mpmath

INF, NAN = float("inf"), float("nan")
# format: significant bits, exponents of the least and the largest binade
FORMATS = {"f32": (24, -126, 127, "<f", "<I", 8), "f64": (53, -1022, 1023, "<d", "<Q", 16)}


def bits(fmt, v):
    _, _, _, f, i, w = FORMATS[fmt]
    return "nan" if v != v else "%0*x" % (w, struct.unpack(i, struct.pack(f, v))[0])


def value(fmt, n):
    return struct.unpack(FORMATS[fmt][3], struct.pack(FORMATS[fmt][4], n))[0]


def rounded(fmt, v, zero=0.0):
    """An mpf, or a special float, as the nearest float of the format."""
    if isinstance(v, float):
        return v
    if mpmath.isnan(v):
        return NAN
    if mpmath.isinf(v):
        return INF if v > 0 else -INF
    if v == 0:
        return zero
    p, lo, hi = FORMATS[fmt][:3]
    e = max(mp.frexp(v)[1] - 1, lo)
    n = int(mp.nint(mp.ldexp(v, p - 1 - e)))
    if n == 0:
        return math.copysign(0.0, 1 if v > 0 else -1)
    if abs(n).bit_length() + e - p >= hi + 1:
        return INF if v > 0 else -INF
    return math.ldexp(n, e - p + 1)  # exact


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def gelu(x):
    return x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def ndtr(x):
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def upper(h):
    """The quantile z with Q(z) = h, for h below 1/2: Newton's method for log Q."""
    z = mpmath.sqrt(-2 * mpmath.log(h)) if h < mpf(".1") else mpf(1)
    for _ in range(40):
        q = mpmath.erfc(z / mpmath.sqrt(2)) / 2
        step = (mpmath.log(q) - mpmath.log(h)) * q * mpmath.sqrt(2 * mpmath.pi) * mpmath.exp(z * z / 2)
        z += step
        if abs(step) < abs(z) * mpf(2)**-160:
            return z
    raise ArithmeticError(h)


def centre(x):
    """The inverse of erf between -0.9 and 0.9: Newton's method for erf."""
    y = x * mpmath.sqrt(mpmath.pi) / 2
    for _ in range(60):
        step = (x - mpmath.erf(y)) * mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(y * y)
        y += step
        if abs(step) <= abs(y) * mpf(2)**-160:
            return y
    raise ArithmeticError(x)


def erfinv(x):
    if abs(x) >= 1:
        return math.copysign(INF, x) if abs(x) == 1 else NAN
    return centre(x) if abs(x) < mpf(".9") else mpmath.sign(x) * upper((1 - abs(x)) / 2) / mpmath.sqrt(2)


def ndtri(x):
    if not 0 < x < 1:
        return -INF if x == 0 else INF if x == 1 else NAN
    if abs(x - mpf(".5")) < mpf(".4"):
        return centre(2 * x - 1) * mpmath.sqrt(2)
    return -upper(x) if x < mpf(".5") else upper(1 - x)


def pole(x):
    return x <= 0 and x == mpmath.floor(x)


def gammaln(x):
    if pole(x):
        return INF
    if x > 0:
        return mpmath.loggamma(x)
    return mpmath.log(mpmath.pi / abs(mpmath.sinpi(x))) - mpmath.loggamma(1 - x)


def gamma(x):
    if pole(x):
        return NAN
    if abs(x) > 250:
        return INF if x > 0 else math.copysign(0.0, -1 if int(mpmath.floor(x)) % 2 else 1)
    return mpmath.gamma(x)


def digamma(x):
    if pole(x):
        return NAN
    if x > 0:
        return mpmath.psi(0, x)
    return mpmath.psi(0, 1 - x) - mpmath.pi * mpmath.cospi(x) / mpmath.sinpi(x)


def trigamma(x):
    if pole(x):
        return INF
    if x > 0:
        return mpmath.psi(1, x)
    return (mpmath.pi / mpmath.sinpi(x))**2 - mpmath.psi(1, 1 - x)


def gelu_tanh(x):
    u = mpmath.sqrt(2 / mpmath.pi) * (x + mpf("0.044715") * x**3)
    return x / (1 + mpmath.exp(-2 * u))


def cbrt(x):
    return mpmath.sign(x) * mpmath.cbrt(abs(x))


def domain(lo, hi, f):
    return lambda x: f(x) if lo <= x <= hi else NAN


def logarithm(f):
    return lambda x: NAN if x < 0 else f(x)


# name: function, results at 0, inf, -inf, interesting points, range of interest
# (beyond it the results are all alike, and one sample a binade is enough).
UNARY = {
    "exp": (mpmath.exp, 1.0, INF, 0.0, [(k + .5) * math.log(2) for k in range(-4, 4)] + [88.72, -87.3, -103.97, 709.78, -708.4, -745.13], (-30, 10)),
    "exp2": (lambda x: mpf(2)**x, 1.0, INF, 0.0, [-2.5, -.5, .5, 1, 2, 127.99, -126, -149.5, 1023.99, -1022, -1074.5], (-30, 10)),
    "expm1": (mpmath.expm1, 0.0, INF, -1.0, [(k + .5) * math.log(2) for k in range(-4, 4)] + [88.72, 709.78, -17.3, -36.7], (-30, 10)),
    "log": (logarithm(mpmath.log), -INF, INF, NAN, [.5, .75, 1, 1.5, 2, .375, 3], (-3, 3)),
    "log2": (logarithm(lambda x: mpmath.log(x) / mpmath.log(2)), -INF, INF, NAN, [.5, .7071, 1, 1.4142, 2, 8, .25], (-3, 3)),
    "log10": (logarithm(lambda x: mpmath.log(x) / mpmath.log(10)), -INF, INF, NAN, [.5, .7071, 1, 1.4142, 2, 10, 100, .1], (-3, 3)),
    "log1p": (lambda x: mpmath.log1p(x) if x > -1 else (-INF if x == -1 else NAN), 0.0, INF, NAN, [-.25, .5, -.625, 2, -1, -.9999], (-30, 5)),
    "sin": (mpmath.sin, 0.0, NAN, NAN, [k * math.pi / 4 for k in range(-9, 10)] + [252.89820861397837, 4607, 4609, 524287, 823549], (-14, 25)),
    "cos": (mpmath.cos, 1.0, NAN, NAN, [k * math.pi / 4 for k in range(-9, 10)] + [252.89820861397837, 4607, 4609, 524287, 823549], (-14, 25)),
    "tan": (mpmath.tan, 0.0, NAN, NAN, [k * math.pi / 4 for k in range(-9, 10)] + [252.89820861397837, 4607, 4609, 524287, 823549], (-14, 25)),
    "sinh": (mpmath.sinh, 0.0, INF, -INF, [.3466, 1, 2, 22, 89.41, 710.47], (-15, 10)),
    "cosh": (mpmath.cosh, 1.0, INF, INF, [.3466, 1, 2, 22, 89.41, 710.47], (-15, 10)),
    "tanh": (mpmath.tanh, 0.0, 1.0, -1.0, [.3, .5, .8, 1, 9.01, 19.06], (-15, 6)),
    "asin": (domain(-1, 1, mpmath.asin), 0.0, NAN, NAN, [.5, .7071, 1, -1, .99], (-15, 1)),
    "acos": (domain(-1, 1, mpmath.acos), mpmath.pi / 2, NAN, NAN, [.5, .7071, 1, -1, .99], (-25, 1)),
    "atan": (mpmath.atan, 0.0, mpmath.pi / 2, -mpmath.pi / 2, [.4142, 1, 2.4142, .5], (-15, 30)),
    "asinh": (mpmath.asinh, 0.0, INF, -INF, [.5, 1, 2], (-15, 30)),
    "acosh": (lambda x: mpmath.acosh(x) if x >= 1 else NAN, NAN, INF, NAN, [1, 1.5, 2], (0, 30)),
    "atanh": (lambda x: NAN if abs(x) > 1 else math.copysign(INF, x) if abs(x) == 1 else mpmath.atanh(x), 0.0, NAN, NAN, [.5, 1, -1, .999], (-15, 1)),
    "erf": (mpmath.erf, 0.0, 1.0, -1.0, [.5, 1.1875, 1, 2, 3.92, 5.92], (-15, 3)),
    "erfc": (mpmath.erfc, 1.0, 0.0, 2.0, [.5, 1, 2, 10.05, 9.2, 26.5, 27.22, -3, -5.8], (-15, 5)),
    "erfinv": (erfinv, 0.0, NAN, NAN, [.5, .8, .9, .99, .9999, .99999994, 1, -1], (-15, 0)),
    "ndtr": (ndtr, .5, 1.0, 0.0, [.5, 1, 2, 5, 8.3, 10, 13, 14.1, 37, 38.4], (-15, 6)),
    "ndtri": (ndtri, -INF, NAN, NAN, [.1, .2, .5, .7, .9, .99, .9999999, 1, 2.0**-26, 2.0**-54, 1e-30, 1e-300], (-40, 0)),
    "cbrt": (cbrt, 0.0, INF, -INF, [1, 8, 27, 2, 4], (-6, 6)),
    "inverse_square": (lambda x: 1 / x**2, INF, 0.0, 0.0, [1, 1.26, 1.414, 3], (-30, 30)),
    "cube": (lambda x: x**3, 0.0, INF, -INF, [1, 1.26, 1.587, 3], (-30, 30)),
    "sigmoid": (sigmoid, .5, 1.0, 0.0, [-.3466, -1, -17.3, -88, -103.97, 17, 36.7, -745.1, -708], (-30, 10)),
    "rsqrt": (lambda x: 1 / mpmath.sqrt(x) if x > 0 else NAN, INF, 0.0, NAN, [1, 2, 4], (-4, 4)),
    "gammaln": (gammaln, INF, INF, INF, [.5, .75, 1, 1.5, 2, 2.5, 3, 4, 8, 100, 1e5, -2.4570247382208006, -2.7476826467274127, -.5, -1.5, -1, -2, -33.25], (-15, 12)),
    "gamma": (gamma, INF, INF, NAN, [.5, .75, 1, 2, 2.5, 3, 4, 34, 35.04, -34.5, -38.5, 171.6, 170, -171.5, -177.7, -1, -2, -.25, -.75], (-10, 7)),
    "digamma": (digamma, -INF, INF, NAN, [.5, .75, 1, 1.4616321449683623, 2, 2.5, 3, 10, 1e5, -.5040830082644554, -1.5734984731623904, -1, -2, -33.25], (-15, 12)),
    "trigamma": (trigamma, INF, 0.0, NAN, [.5, 1, 2, 3, 10, 1e5, -.5, -1.5, -1, -2, -33.25, -33.75], (-15, 12)),
    "i0": (lambda x: mpmath.besseli(0, x), 1.0, INF, INF, [.5, 1, 2, 4, 8, -8, 8.5, 16, 40, 90.5, 91.9, 92.1, 709.8, 713.9, 714.1], (-15, 10)),
    "i1": (lambda x: mpmath.besseli(1, x), 0.0, INF, -INF, [.5, 1, 2, 4, 8, -8, 8.5, 16, 40, 90.5, 91.9, 92.1, 709.8, 713.9, 714.1], (-15, 10)),
    "gelu": (gelu, 0.0, INF, -0.0, [-.5, -1, -2, -5, -10, -13, -14.1, 1, 3, -37, -38.4], (-15, 6)),
    "gelu_tanh": (gelu_tanh, 0.0, INF, -0.0, [-.5, -1, -2, -5, -9, -10, 1, 3, -21], (-15, 5)),
}
# Results that are odd, so that f(-0) = -0.
ODD = {"expm1", "log1p", "sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "erf", "erfinv", "cbrt", "cube", "gelu", "gelu_tanh", "gamma", "i1"}


def unary_samples(fmt, points, busy, rng):
    p, lo, hi, _, _, _ = FORMATS[fmt]
    mant = p - 1
    out = []

    def binade(e, sign, n):
        field = e + hi if e >= lo else 0
        for _ in range(n):
            out.append(value(fmt, (sign << (mant + (8 if fmt == "f32" else 11))) | field << mant | rng.getrandbits(mant)))

    a, z = busy
    wide = fmt == "f64"
    each = max(4, (330 if wide else 380) // (z - a + 1))
    for e in range(a, z + 1):
        for sign in (0, 1):
            binade(e, sign, each)
    for e in range(lo - 1, hi + 1, 23 if wide else 5):
        for sign in (0, 1):
            binade(e, sign, 1)
    for pt in points:
        for s in (1, -1):
            v = rounded(fmt, mpf(pt) * s)
            n = int(bits(fmt, v), 16)
            for d in (-2, -1, 0, 1, 2, -77, 91, -12345, 54321):
                out.append(value(fmt, n + d) if 0 <= n + d else v)
            out.append(rounded(fmt, mpf(pt) * s * (1 + mpf(rng.uniform(-.02, .02)))))
    tiny, big = value(fmt, 1), value(fmt, int(bits(fmt, INF), 16) - 1)
    for v in (tiny, math.ldexp(1.0, lo), value(fmt, (1 << mant) - 1), big, 1.0, 2.0, 3.0, 10.0, 100.0, 1000.0, .5, 1e30):
        v = rounded(fmt, mpf(v))
        out += [v, -v]
    return sorted(set(x for x in out if x == x and abs(x) != INF and x != 0), key=lambda x: (abs(x), x))


def exact(fmt, f, *args):
    """f of exact arguments, in enough precision to round."""
    size = max([abs(mp.frexp(mpf(a))[1]) for a in args if a] or [0])
    mp.prec = 180 + 3 * FORMATS[fmt][0] + (2 * size if f in (mpmath.sin, mpmath.cos, mpmath.tan) else 0)
    if f in (mpmath.asinh, mpmath.atanh, mpmath.tanh, mpmath.sinh, gelu_tanh, sigmoid, mpmath.log1p, mpmath.expm1, mpmath.acosh):
        mp.prec += min(2 * size, 2200)
    return f(*[mpf(a) for a in args])


class Rounded(float):
    """A result that knows by how many ULP of the exact value it is too large."""
    excess = 0.0


def evaluate(fmt, f, *args):
    v = exact(fmt, f, *args)
    r = Rounded(rounded(fmt, v))
    p, lo, _ = FORMATS[fmt][:3]
    if not isinstance(v, float) and mpmath.isfinite(v) and v != 0 and abs(r) != INF:
        r.excess = float(mp.ldexp(mpf(float(r)) - v, p - max(mp.frexp(v)[1], lo + 1)))
    return r


HERE = os.path.dirname(os.path.abspath(__file__))


def hard(name, fmt):
    """The arguments of hard.txt."""
    for line in open(os.path.join(HERE, "hard.txt")):
        fields = line.split()
        if fields[:2] == [name, fmt]:
            yield tuple(float.fromhex(a) for a in fields[2:])


def near_multiples(fmt):
    """For each large binade an argument very near a multiple of pi/2: x = m 2^e
    where m is a denominator of a convergent of 2^e 2/pi, times what makes it fit."""
    p, _, hi = FORMATS[fmt][:3]
    mp.prec = 3000
    for e in range(12 - p if fmt == "f32" else 20 - p, hi - p + 2, 1 if fmt == "f32" else 8):
        alpha = mp.ldexp(2 / mpmath.pi, e)
        alpha -= mp.floor(alpha)
        q0, q1, rest = 0, 1, alpha
        while True:  # continued fraction of alpha
            rest = 1 / rest
            a = int(mp.floor(rest))
            rest -= a
            if a * q1 + q0 >= 1 << p:
                break
            q0, q1 = q1, a * q1 + q0
        yield math.ldexp(q1 * ((1 << p) // q1), e)


def unary(name, fmt):
    f, at0, atinf, atminf, points, busy = UNARY[name]
    rng = random.Random(name + fmt)
    mp.prec = 200
    for x, r in ((0.0, at0), (-0.0, at0), (INF, atinf), (-INF, atminf), (NAN, NAN)):
        r = rounded(fmt, r)
        if x == 0 and name in ODD or x == 0 and name == "rsqrt":
            r = math.copysign(r, x)
        if x == 0 and name == "digamma":
            r = -math.copysign(r, x)
        yield (x,), r
    samples = unary_samples(fmt, points, busy, rng)
    if name in ("sin", "cos", "tan"):
        samples += near_multiples(fmt)
    samples += [s * x for x, in hard(name, fmt) for s in (1, -1)]
    for x in samples:
        huge = abs(x) > 1e6
        if huge and name in ("exp", "exp2", "expm1", "sinh", "cosh", "tanh", "erf", "erfc", "sigmoid", "gelu", "gelu_tanh", "ndtr"):
            r = {"exp": (INF, 0.0), "exp2": (INF, 0.0), "expm1": (INF, -1.0), "sinh": (INF, -INF), "cosh": (INF, INF),
                 "tanh": (1.0, -1.0), "erf": (1.0, -1.0), "erfc": (0.0, 2.0), "sigmoid": (1.0, 0.0), "ndtr": (1.0, 0.0),
                 "gelu": (x, -0.0), "gelu_tanh": (x, -0.0)}[name][x < 0]
        else:
            r = evaluate(fmt, f, x)
            if r == 0 and name in ("gelu", "gelu_tanh"):
                r = math.copysign(0.0, x)
        yield (x,), r


def pow_special(x, y):
    """C99 annex F.10.4.4; None where the ordinary definition holds."""
    if y == 0 or x == 1:
        return 1.0
    if x != x or y != y:
        return NAN
    odd = abs(y) < 2.0**53 and y == math.floor(y) and int(y) % 2 == 1
    if abs(y) == INF:
        if abs(x) == 1:
            return 1.0
        return INF if (abs(x) > 1) == (y > 0) else 0.0
    if x == 0 or abs(x) == INF:
        r = INF if (x == 0) == (y < 0) else 0.0
        return math.copysign(r, x) if odd else r
    if x < 0 and y != math.floor(y):
        return NAN
    return None


def power(x, y):
    a = abs(x)
    s = -1 if x < 0 and mpmath.floor(y) % 2 == 1 else 1
    t = y * mpmath.log(a) / mpmath.log(2)
    if t > 2000 or t < -2000:
        return s * mpf(2)**(4000 if t > 0 else -4000)
    return s * mpmath.exp(y * mpmath.log(a))


def pairs_of(name, fmt, n, seed=""):
    """The special values with each other, and random pairs."""
    mp.prec = 300
    p, lo, hi, _, _, _ = FORMATS[fmt]
    rng = random.Random(name + fmt + seed)
    tiny, big = value(fmt, 1), value(fmt, int(bits(fmt, INF), 16) - 1)
    special = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, .5, -.5, tiny, -tiny, big, -big, 2.0**(p - 1) + 1, -2.0**p]
    pairs = [(x, y) for x in special for y in special]

    def any_float(a, z):
        e = rng.randint(a, z)
        return rounded(fmt, mp.ldexp(mpf(1 + rng.random()), e))
    while len(pairs) < n:
        s, t = rng.choice((1, -1)), rng.choice((1, -1))
        if name == "pow":
            kind = rng.randrange(5)
            if kind == 0:
                x, y = any_float(-4, 4), any_float(-6, 6) * t
            elif kind == 1:  # near 1, large exponents
                x = rounded(fmt, 1 + mpf(rng.uniform(-1, 1)) * mpf(2)**-rng.randint(1, p - 4))
                y = rounded(fmt, mpf(rng.uniform(-1, 1)) * hi / mpmath.log(abs(mpf(x) - 1) + mpf(2)**-p + 1) * mpf(".7"))
            elif kind == 2:  # all magnitudes of x, results in range
                x = any_float(lo - 3, hi)
                y = rounded(fmt, mpf(rng.uniform(-1, 1)) * hi / max(1, abs(mpmath.log(mpf(x), 2))))
            elif kind == 3:
                x, y = -any_float(-3, 6), float(rng.randint(-20, 20))
            else:  # near overflow and underflow
                x = any_float(-8, 8)
                y = rounded(fmt, rng.choice((hi + 1, lo, lo - p + 1)) / mpmath.log(mpf(x), 2) * mpf(rng.uniform(.999, 1.001)))
        elif rng.randrange(3):
            x = any_float(-20, 20) * s
            y = rounded(fmt, mpf(x) * any_float(-12, 12)) * t
        else:
            x, y = any_float(lo - 3, hi) * s, any_float(lo - 3, hi) * t
        if x == x and y == y:
            pairs.append((x, y))
    return pairs


def hypot(x, y):
    return mpmath.sqrt(x * x + y * y)


def atan2(y, x):
    mp.prec = 2600
    return mpmath.atan2(y, x)


def binary(name, fmt):
    for x, y in pairs_of(name, fmt, 1400) + list(hard(name, fmt)):
        if name == "pow":
            r = pow_special(x, y)
            if r is None:
                r = evaluate(fmt, power, x, y)
        elif name == "hypot":
            r = INF if INF in (abs(x), abs(y)) else NAN if x != x or y != y else evaluate(fmt, hypot, x, y)
        else:  # atan2(x, y): x is the ordinate
            if x != x or y != y:
                r = NAN
            elif x == 0 or y == 0 or INF in (abs(x), abs(y)):
                mp.prec = 300
                k = {0.0: 0, math.pi: 4, math.pi / 2: 2, math.pi / 4: 1, 3 * math.pi / 4: 3}[abs(math.atan2(x, y))]
                r = rounded(fmt, mpmath.pi * k / 4) if k else 0.0
                r = math.copysign(r, x)
            else:
                r = evaluate(fmt, atan2, x, y)
                r = r if r else math.copysign(r, x)
        yield (x, y), r


FUNCTIONS = list(UNARY) + ["pow", "hypot", "atan2"]


def main(names):
    folder = os.path.join(HERE, "..", "..", "testdata", "lowerings", "goldens")
    os.makedirs(folder, exist_ok=True)
    for name in names or FUNCTIONS:
        with open(os.path.join(folder, name + ".txt"), "w") as fh:
            for fmt in FORMATS:
                for args, r in unary(name, fmt) if name in UNARY else binary(name, fmt):
                    excess = "%+.4f" % getattr(r, "excess", 0)
                    fh.write(" ".join([fmt] + [bits(fmt, a) for a in args] + [bits(fmt, r), excess]) + "\n")
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
