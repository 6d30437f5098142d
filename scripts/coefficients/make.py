"""Writes expr/op/untyped/lower_coefficients.go: every constant that the lowerings of
mathematical functions use, fitted here from the definitions of the functions.

    python3 scripts/coefficients/make.py [name ...]       (python3-mpmath; gmpy2 helps)

With names, only the polynomials of these names are fitted again. Each polynomial states the error that remains after rounding its coefficients,
relative to the function unless the comment says otherwise.
"""
import os
import re
import subprocess
import sys
from statistics import NormalDist

from mpmath import (acos, asin, asinh, atan, atanh, besseli, cbrt, cos, cosh, digamma, e, erf, erfc, exp, expm1, findroot, log, log1p, log10,
                    loggamma, mp, mpf, pi, sin, sinh, sqrt, tan, tanh)

from remez import fit, fit_once, hexfloat, nearest, truncated

FORMATS = ("f32", "f64")
out = []
target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "expr", "op", "untyped", "lower_coefficients.go")
old = {m[2]: m[1] for m in re.finditer(r"\n((?:// .*\n)+var (\w+) = (?:.*[^{]|.*\{\n(?:\t.*\n)+\})(?=\n))", open(target).read())}


def kept(name):
    """Whether the polynomial of this name stays as it is; then it is copied."""
    if not sys.argv[1:] or name in sys.argv[1:]:
        return False
    out.extend(["", old[name]])
    return True


def emit(name, doc, values, errors=None):
    """One Go variable: the coefficients of both formats."""
    out.append("")
    note = "" if not errors else " Errors: " + ", ".join("2^%.1f" % float(log(x, 2)) for x in errors) + "."
    text = "// " + name + " " + doc + note
    while text:  # wrapped at 100 columns
        cut = len(text) if len(text) <= 100 else text.rfind(" ", 0, 100)
        out.append(text[:cut])
        text = "// " + text[cut + 1:] if cut < len(text) else ""
    out.append("var %s = coefs{" % name)
    for cs in values:
        out.append("\t{" + ", ".join(hexfloat(c) for c in cs) + "},")
    out.append("}")


def poly(name, doc, f, weight, n, interval, fixed=None, fit=fit):
    """Fits n = (float32, float64) coefficients of 1, x, x^2 ..."""
    if kept(name):
        return
    cs, errors = [], []
    for count, fmt, k in zip(n, FORMATS, (0, 1)):
        lo, hi = interval[k] if isinstance(interval[0], tuple) else interval
        c, err = fit(f[k] if isinstance(f, tuple) else f, weight, range(count), lo, hi, fmt, fixed)
        cs.append(c)
        errors.append(err)
    emit(name, doc, cs, errors)


def split(name, doc, x, bits):
    """x as a sum: all but the last part truncated to so many bits (float32, float64)."""
    cs = []
    for widths, fmt in zip(bits, FORMATS):
        rest, parts = mpf(x), []
        for w in widths:
            parts.append(truncated(rest, w))
            rest -= parts[-1]
        parts.append(nearest(rest, fmt))
        cs.append(parts)
    emit(name, doc, cs)


def double(name, doc, x, x64=None):
    """x as the nearest number and what remains; another x for float64 if given."""
    cs = []
    for v, fmt in zip((x, x if x64 is None else x64), FORMATS):
        hi = nearest(v, fmt)
        cs.append([hi, nearest(v - hi, fmt)])
    emit(name, "is " + doc + ", nearest, and what remains.", cs)


def root(f):
    """f(sqrt(z)): even functions, and odd ones divided by x, as functions of z."""
    return lambda z: f(sqrt(z))


slack = mpf("1.001")  # intervals are a little wider than the reduction makes them

# Exponentials.
h = log(2) / 2 * slack
double("ln2Near", "log 2", log(2))
double("log2e", "1/log 2", 1 / log(2))
poly("expPoly", "is (exp(r) - 1 - r)/r^2 for |r| <= log(2)/2.",
     lambda r: (exp(r) - 1 - r) / r**2, lambda r: r * r / exp(r), (5, 10), (-h, h))
poly("expm1Poly", "is (exp(r) - 1 - r)/r^2 for |r| <= log(2)/2; the errors are relative to exp(r) - 1.",
     lambda r: (exp(r) - 1 - r) / r**2, lambda r: r * r / abs(expm1(r)), (6, 11), (-h, h))
poly("exp2Poly", "is (2^r - 1)/r for |r| <= 1/2.",
     lambda r: (2**r - 1) / r, lambda r: abs(r) / 2**r, (6, 11), (-slack / 2, slack / 2))

# Logarithms.
poly("logPoly", "is (log(1+f) - f)/f^2 for 3/4 <= 1+f <= 3/2.",
     lambda f: (log1p(f) - f) / f**2, lambda f: f * f / abs(log1p(f)), (9, 20), (mpf(-1) / 4, mpf(1) / 2))
lo, hi = sqrt(mpf(1) / 2) - 1 - mpf(2)**-12, sqrt(mpf(2)) - 1 + mpf(2)**-12
for name, base, word in (("log2", mpf(2), "2"), ("log10", mpf(10), "10")):
    lb = log(base)
    poly(name + "Poly", "is (log%s(1+f) - f/log %s)/f^2 for 1/2 <= (1+f)^2 <= 2." % (word, word),
         lambda f: (log1p(f) - f) / f**2 / lb, lambda f: f * f / abs(log1p(f)) * lb, (10, 21), (lo, hi))
double("log10e", "1/log 10", 1 / log(10))
double("log10of2", "log10 2", log10(2))

# Circular functions.
q = (pi / 4)**2 * slack
split("piOver2", "is pi/2 in three parts. The second is short, so that the second step of the reduction leaves an error that is a number.",
      pi / 2, ((24, 12), (53, 31)))
emit("twoOverPi", "is 2/pi.", [[nearest(2 / pi, f)] for f in FORMATS])
double("piOver2Near", "pi/2 * 2^(2-w) for words of w bits", *[pi / 2 * mpf(2)**(2 - w) for w in (32, 64)])
poly("sinPoly", "is (x - sin x)/x^3 in z = x^2, for |x| <= pi/4.",
     root(lambda x: (1 - sin(x) / x) / x**2), root(lambda x: x**3 / sin(x)), (4, 7), (0, q))
poly("cosPoly", "is (cos x - 1 + x^2/2)/x^4 in z = x^2, for |x| <= pi/4.",
     root(lambda x: (cos(x) - 1 + x**2 / 2) / x**4), root(lambda x: x**4), (3, 6), (0, q))
out.append("")
out.append("// twoOverPiBits are the binary digits of 2/pi after the point, in words, the most")
out.append("// significant first, after one word of zeros: what float32 and float64 arguments need.")
out.append("var twoOverPiBits = [2][]uint64{")
mp.dps = 700
digits = int(mp.floor(2 / pi * mpf(2)**2048))
mp.dps = 70
for w, n, used in ((32, 8, 8), (64, 32, 20)):
    words = [0] + [digits >> (2048 - w * (i + 1)) & (1 << w) - 1 for i in range(used - 1)] + [0] * (n - used)
    out.append("\t{" + ", ".join("%#x" % x for x in words) + "},")
out.append("}")

# Hyperbolic tangent and error function.
T = (mpf(".9"), mpf("1"))
emit("tanhSplit", "is where tanh changes its formula.", [[nearest(t, f)] for t, f in zip(T, FORMATS)])
poly("tanhPoly", "is (tanh(x) - x)/x^3 in z = x^2, for |x| <= tanhSplit; the errors near that count up to three times.",
     root(lambda x: (tanh(x) / x - 1) / x**2), root(lambda x: x**3 / tanh(x) * (1 + 2 * x**6)), (6, 15), ((0, T[0]**2), (0, T[1]**2)))

# erf is x + x P(u), u = x^2 - erfShift, up to erfSplit, and beyond that 1 - q(x - erfSplit)^3.
# The errors of q count 3 q^2 times. Both are fitted most closely where the other errors
# are largest: near erfSplit, and P for small x too. q is made smaller at its end, so that
# erf is 1 there.
def erf_split():
    """The first numbers above 1.0848 whose erfc, just below 1/8, has a cube root that is nearly a number of the format."""
    for fmt, p in (("f32", 24), ("f64", 53)):
        x = nearest(mpf("1.0848"), fmt)
        while True:
            v = erfc(x)**(mpf(1) / 3)
            if abs(v - nearest(v, fmt)) < mpf(2)**-(p + 9):
                yield x
                break
            x += mpf(2)**(1 - p)


lo, hi = list(erf_split()), (mpf("3.92"), mpf("5.9216"))
shift, end = mpf("0.359375"), lo[0]**2
emit("erfSplit", "is where erf changes its formula, and where it is 1.",
     [[s, nearest(h, f)] for s, h, f in zip(lo, hi, FORMATS)])
emit("erfShift", "is where the argument of erfPoly is 0.", [[shift], [shift]])
near = lambda u: (lambda x: (erf(x) / x - 1, x / erf(x)))(sqrt(u + shift))
closer = lambda u: 1 + 2 * ((u + shift) / end)**3 + (1 - (u + shift) / end)**6
poly("erfPoly", "is erf(x)/x - 1 in u = x^2 - erfShift, for |x| <= erfSplit.",
     lambda u: near(u)[0], lambda u: near(u)[1] * closer(u), (7, 14), (-shift * mpf("0.99999"), end - shift))
if not kept("erfcRoot"):
    cs, errors = [], []
    for count, fmt, s, h, bias in zip((10, 23), FORMATS, lo, hi, ((mpf("0.025"), 16), (mpf("0.15"), 64))):
        third = lambda u: erfc(s + u)**(mpf(1) / 3)
        c, err = fit(lambda u: -third(u) * (1 - bias[0] * (u / (h - s))**bias[1]),
                     lambda u: 3 * third(u)**2 * (1 + 2 * (1 - u / (h - s))**12), range(count), 0, h - s, fmt)
        last = nearest(h, fmt) - s
        assert -sum(x * last**k for k, x in enumerate(c))**3 <= mpf(2)**-(25 if fmt == "f32" else 54), "erf(inf) must be 1"
        cs.append(c)
        errors.append(err)
    emit("erfcRoot", "is -erfc(x)^(1/3) in x - erfSplit, between the bounds of erfSplit; the errors are of its cube, absolute.", cs, errors)
poly("erfcPoly", "is erf(x)/x - 1 in z = x^2, for |x| <= 1/2.",
     root(lambda x: erf(x) / x - 1), root(lambda x: x), (5, 10), (0, slack / 4))


def tail(a):
    """The upper tail of the normal distribution, times exp(a^2/2)."""
    return erfc(a / sqrt(mpf(2))) / 2 * exp(a * a / 2)


g = lambda v: (lambda a: (1 + a) * tail(a))(4 * (1 + v) / (1 - v))
poly("tailPoly", "is (1+a) Q(a) exp(a^2/2) in v = (a-4)/(a+4), with Q the upper tail of the normal distribution.",
     g, lambda v: 1 / g(v), (11, 24), tuple((-1, (a - 4) / (a + 4)) for a in (mpf("14.6"), mpf(39))))
double("tanhGelu", "2 sqrt(2/pi)", 2 * sqrt(2 / pi))
double("tanhGelu3", "2 sqrt(2/pi) 0.044715", 2 * sqrt(2 / pi) * mpf("0.044715"))

# Inverse circular functions, the tangent and the hyperbolic sine.
double("piOver4", "pi/4", pi / 4)
poly("asinPoly", "is (asin(x) - x)/x^3 in z = x^2, for |x| <= 1/2.",
     root(lambda x: (asin(x) / x - 1) / x**2), root(lambda x: x**3 / asin(x)), (5, 13), (0, slack / 4))
poly("atanPoly", "is (atan(x) - x)/x^3 in z = x^2, for |x| <= 9/16.",
     root(lambda x: (atan(x) / x - 1) / x**2), root(lambda x: x**3 / atan(x)), (6, 14), (0, mpf("0.5625")**2 * slack))
poly("tanPoly", "is (2 tan(x/2) - x)/x^3 in z = x^2, for |x| <= pi/4.",
     root(lambda x: (2 * tan(x / 2) / x - 1) / x**2), root(lambda x: x**3 / (2 * tan(x / 2))), (4, 9), (0, q))
poly("sinhPoly", "is (sinh(x) - x)/x^3 in z = x^2, for |x| <= 1.",
     root(lambda x: (sinh(x) / x - 1) / x**2), root(lambda x: x**3 / sinh(x)), (4, 8), (0, slack))
poly("asinhPoly", "is (asinh(x) - x)/x^3 in z = x^2, for |x| <= 1/8.",
     root(lambda x: (asinh(x) / x - 1) / x**2), root(lambda x: x**3 / asinh(x)), (3, 7), (0, slack / 64))
poly("atanhPoly", "is (atanh(x) - x)/x^3 in z = x^2, for |x| <= 1/8.",
     root(lambda x: (atanh(x) / x - 1) / x**2), root(lambda x: x**3 / atanh(x)), (3, 7), (0, slack / 64))
poly("acoshPoly", "is (asinh(x) - x)/x^3 in z = x^2 = (acoshSplit - 1)/2.",
     root(lambda x: (asinh(x) / x - 1) / x**2), root(lambda x: x**3 / asinh(x)), (7, 7), ((0, mpf(".5")), (0, slack / 64)))

thirds = lambda k: (lambda x: ((1 - x)**(-mpf(k) / 3) - 1) / x if x else mpf(k) / 3)
poly("cbrtPoly", "is ((1-e)^(-k/3) - 1)/e for |e| <= 0.106, with k = 2 for float32 and k = 1 for float64; the errors are absolute.",
     (thirds(2), thirds(1)), lambda x: mpf(".106"), (3, 3), (mpf("-.106"), mpf(".106")))

# Logarithms in two parts, by tables. Entry i of a table belongs to the numbers m with
# bits(m) - bits(logTableFrom) in [i, i+1) 2^(mant-5). Its c is nearly 1/m and has so few bits that
# c m - 1 is exact; it is 1 where m is nearly 1, so that no terms cancel. -log c is split so that the sum of the first part and of n log 2 is exact.
start = 1 - mpf("18.5") / 64
emit("logTableFrom", "is where the intervals of logTable begin.", [[start], [start]])
tables, widest = [[], [], []], mpf(0)
for i in range(32):
    a, b = (start + mpf(k) / 64 if start + mpf(k) / 64 < 1 else 1 + (mpf(k) - mpf("18.5")) / 32 for k in (i, i + 1))
    best = lambda bits: mp.nint(2**bits * 2 / (a + b)) / mpf(2)**bits
    c = mpf(1) if a < 1 and b > mpf("0.98") else best(5 if b < 1 else 6)
    widest = max(widest, abs(a * c - 1), abs(b * c - 1))
    tables[0].append([c, c])
    parts = [mp.nint(-log(c) * mpf(2)**k) / mpf(2)**k for k in (16, 42)]
    tables[1].append(parts)
    tables[2].append([nearest(-log(c) - x, f) for x, f in zip(parts, FORMATS)])
assert widest < mpf(2)**-5
for name, doc, t in zip(("logTable", "logTableHigh", "logTableLow"),
                        ("has numbers c near 1/m, see scripts/coefficients.", "has -log c, rounded to few bits.", "has what remains of -log c."), tables):
    emit(name, doc, list(zip(*t)))
emit("ln2Short", "is log 2, rounded to so few bits that exponents times it are exact, and what remains.",
     [[h, nearest(log(2) - h, f)] for h, f in ((mp.nint(log(2) * mpf(2)**k) / mpf(2)**k, f) for k, f in zip((16, 42), FORMATS))])
poly("logTablePoly", "is (log(1+r) - r + r^2/2)/r^3 for 1+r = c m; the errors are relative to log(1+r).",
     lambda r: (log1p(r) - r + r**2 / 2) / r**3, lambda r: abs(r**3 / log1p(r)), (4, 9), (-widest, widest * slack))

# The quantiles of the normal distribution. x is 2p - 1, and w is -log(1-x^2).
quantiles = {}


def quantile(w):
    """The quantile divided by x, by Newton's method from NormalDist's. At 0 it is its limit."""
    if w < mpf(10)**-12:
        return sqrt(pi / 2)
    if w not in quantiles:
        a = exp(-w) / (1 + sqrt(-expm1(-w)))  # 1 - |x|
        z = mpf(-NormalDist().inv_cdf(float(a / 2)))
        for _ in range(5):
            z += (erfc(z / sqrt(mpf(2))) - a) / (sqrt(2 / pi) * exp(-z * z / 2))
        quantiles[w] = z / (1 - a)
    return quantiles[w]


def normals(name, doc, of, n, interval):
    """Fits quantiles in t, where w is of(t)."""
    f = lambda t: quantile(of(t))
    poly(name, doc, f, lambda t: 1 / f(t), n, interval)


edge = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)
poly("normalLog", "is log((1+s)/(1-s))/s in z = s^2, for 1/2 <= ((1+s)/(1-s))^2 <= 2; the errors are absolute.",
     root(lambda s: 2 * atanh(s) / s if s else mpf(2)), root(lambda s: s), (3, 6), (0, edge**2 * slack))
# The float with the bits of the exponent of s = m 2^k, with 1 <= m < 2, is p + k. Here p + k times log 2, plus normalShift, plus log(m/sqrt(2)) is
# log(4 s) + normalMiddle.
shift = [mpf(-84), -705 - mpf(2)**52 * nearest(log(2), "f64")]
middle = [-84 + mpf("124.5") * log(2), -705 + mpf("1020.5") * log(2)]
emit("normalShift", "is what follows the exponents of normalOf, an exact number.", [[shift[0]], [shift[1]]])
emit("normalMiddle", "is t - log(1-x^2) in normalOf.", [[nearest(m, f)] for m, f in zip(middle, FORMATS)])
poly("normalCentre", "is 2z/x in log(1-x^2) + normalMiddle, for -5 <= log(1-x^2) <= 0, with z the quantile of (1+x)/2.",
     tuple(lambda t, m=m: 2 * quantile(m - t) for m in middle), lambda t: 1 / (2 * quantile(middle[1] - t)), (10, 17),
     tuple((m - 5, m) for m in middle))
normals("quantileCentre", "is the same with more digits.", lambda t: mpf("2.5") - t, (11, 24), (mpf("-2.502"), mpf("2.5")))
poly("erfInvCentre", "is quantileCentre over the root of 2.", lambda t: quantile(mpf("2.5") - t) / sqrt(mpf(2)),
     lambda t: sqrt(mpf(2)) / quantile(mpf("2.5") - t), (11, 24), (mpf("-2.502"), mpf("2.5")))
normals("normalTails", "is z/x in r - 4, for r = sqrt(-log(1-x^2)) from sqrt(5) to 4, and to 6.01.",
        lambda t: (t + 4)**2, (10, 20), tuple((sqrt(mpf(5)) * mpf("0.9999") - 4, mpf(r) - 4) for r in ("4", "6.01")))

# The gamma function and its logarithm, and digamma. y is x, or x + 1 for x below 3/4, and u is y - 13/8.
# Beyond 5/2 they are Stirling's formula, and z is 1/x^2.
centre, y0 = mpf(13) / 8, findroot(digamma, mpf("1.4616321449683623"))
near, far = (mpf(3) / 4 - centre, mpf(5) / 2 - centre), (mpf(0), mpf(4) / 25)


def quotient(f, *zeros):
    """f(y) over the distances from its zeros, as a function of u; near a zero the mean of both sides."""
    def at(y):
        if any(abs(y - r) < mpf(10)**-12 for r in zeros):
            return (at(y - mpf(10)**-11) + at(y + mpf(10)**-11)) / 2
        v = f(y)
        for r in zeros:
            v /= y - r
        return v
    return lambda u: at(u + centre)


def inverse(f):
    """f(x) as a function of z."""
    return lambda z: f(1 / sqrt(z))


binet = inverse(lambda x: (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x)
rest = inverse(lambda x: (log(x) - 1 / (2 * x) - digamma(x)) * x**2)
double("digammaZero", "the zero of digamma, less 1", y0 - 1)
poly("gammaNear", "is log(gamma(y))/((y-1)(y-2)) in u = y - 13/8, for 3/4 <= y <= 5/2.",
     quotient(loggamma, 1, 2), lambda u: 1 / quotient(loggamma, 1, 2)(u), (15, 31), near, fit=fit_once)
poly("gammaFar", "is (log(gamma(x)) - (x-1/2) log x + x - log(2 pi)/2) x in z = 1/x^2, for x >= 5/2; the errors are absolute.",
     binet, lambda z: mpf(1), (5, 14), far, fit=fit_once)
poly("digammaNear", "is digamma(y) over the distance from its zero in u = y - 13/8, for 3/4 <= y <= 5/2.",
     quotient(digamma, y0), lambda u: 1 / quotient(digamma, y0)(u), (16, 33), near, fit=fit_once)
poly("digammaFar", "is (log x - 1/(2 x) - digamma(x)) x^2 in z = 1/x^2, for x >= 5/2; the errors are absolute.",
     rest, lambda z: mpf(1), (6, 15), far, fit=fit_once)

# The modified Bessel functions of order 0 and 1. Beyond 8 u is 16/x - 1.
def bessel(order, scale):
    """i0(x), or i1(x)/x, as a function of x^2; or with scale times sqrt(x)/exp(x), as a function of u."""
    def near(z):
        x = sqrt(z)
        return besseli(order, x) / x**order if z else mpf(1) / 2**order

    def far(u):
        w = (u + 1) / 16
        return besseli(order, 1 / w) / exp(1 / w) / sqrt(w) if w > mpf(10)**-10 else (1 - (4 * order**2 - 1) * w / 8) / sqrt(2 * pi)
    return far if scale else near


for order, of in (0, "i0(x)"), (1, "i1(x)/x"):
    f, g = bessel(order, False), bessel(order, True)
    poly("i%dNear" % order, "is %s in z = x^2, for |x| <= 8." % of, f, lambda z, f=f: 1 / f(z), (12, 20), (mpf(0), mpf(64)), fit=fit_once)
    poly("i%dFar" % order, "is i%d(x) sqrt(x)/exp(x) in u = 16/x - 1, for x >= 8." % order, g, lambda u, g=g: 1 / g(u), (8, 25), (mpf(-1), mpf(1)), fit=fit_once)

with open(target, "w") as fh:
    fh.write("// Code generated by scripts/coefficients/make.py; DO NOT EDIT.\n\npackage untyped\n" + "\n".join(out) + "\n")
subprocess.run(["gofmt", "-w", target], check=True)
