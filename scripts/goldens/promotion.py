"""Writes testdata/promotion.txt: the element types that NumPy 2
gives to operations on all pairs of element types, Python scalars included.

    python3 scripts/goldens/promotion.py > testdata/promotion.txt

A line is: formula, a TAB, the type of a, the type of b (int, float and bool are
Python scalars, - is none), the result type or "error".
"""

import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")
TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
SCALARS = {"pybool": True, "pyint": 3, "pyfloat": 2.5}

BINARY = [f"a {op} b" for op in "+ - * / // % ** < == & | ^ << >> @".split()]
BINARY += [f"{f}(a, b)" for f in "maximum fmin power arctan2 hypot copysign fmod logical_and where(a>0,a,b) outer".split() if "(" not in f]
BINARY += ["where(a > 0, a, b)", "clip(a, 0, b)", "concatenate([a, a])", "stack([a, a])"]
BINARY.remove("a @ b")

UNARY = """-a|+a|~a|abs(a)|exp(a)|sqrt(a)|rint(a)|floor(a)|trunc(a)|round(a)|sign(a)|square(a)|reciprocal(a)|isnan(a)|signbit(a)
logical_not(a)|sum(a)|prod(a)|max(a)|min(a)|argmax(a)|mean(a)|var(a)|std(a)|any(a)|all(a)|nanmax(a)|nansum(a)|count_nonzero(a)|ptp(a)
a @ a|a ** 2|a ** 3|a ** 0.5|a ** -1|a ** -1.0|2 ** a|2.0 ** a|a + 1|a + 300|a - 1.5|a * True|a / 2|1 / a|1 // a|a & 1|a < 300|a == 1.5|-1 < a
exp(1) * a|a * pi|a.sum() + 1|a.sum() * 1.5|a[0] + 1|a[0] * 1.5|maximum(a, 300)|where(a > 0, a, 1)|where(a > 0, 1, 2)|where(a > 0, 1.5, a)
clip(a, 0, 300)|clip(a, None, 1.5)|full_like(a, 3)|full_like(a, 1.5)|zeros_like(a)|nan_to_num(a)|linspace(0, 1, 3) * a|arange(3) + a|arange(3.0) + a
float32(2) * a|int8(2) * a|[1, 2, 3] * a|(1 < 2) + a|arctan2(a, 1)|hypot(a, 1.5)|a << 1|a >> True|sum(a, dtype=float32)|a.astype(float16)|dot(a, a)|outer(a, a)
eye(3) @ a|a % 2|a // 2|a // 2.5|fabs(a)|log1p(a)|cbrt(a)""".replace("\n", "|").split("|")


def result(text, env):
    scope = {k: getattr(np, k) for k in dir(np) if not k.startswith("__")}
    scope.update(env)
    try:
        return str(np.asarray(eval(text, scope)).dtype)
    except (TypeError, ValueError, OverflowError):
        return "error"


print("# made by scripts/goldens/promotion.py with NumPy", np.__version__)
for text in BINARY:
    for a in TYPES:
        for b in TYPES + (list(SCALARS) if "concat" not in text and "stack" not in text else []):
            x = np.ones(3, a)
            y = SCALARS[b] if b in SCALARS else np.ones(3, b)
            if text in ("concatenate([a, a])", "stack([a, a])"):
                env, shown = {"a": x, "b": y}, text.replace("a, a", "a, b")
            else:
                env, shown = {"a": x, "b": y}, text
            print(shown, a, b, result(shown, env), sep="\t")
for text in UNARY:
    for a in TYPES:
        print(text, a, "-", result(text, {"a": np.ones(3, a)}), sep="\t")
