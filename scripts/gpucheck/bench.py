"""Measures formulas on a GPU in turns with torch, CuPy and JAX, and writes the
tables of a report. Called by scripts/gpu-check; needs ./gpucheck beside it.

Rounds are interleaved: every way once a round, in turning order. A way runs once
before its time begins, because the GPU has another process's context then. A figure
is the median over the rounds; ratios are the medians of the ratios of each round.
Values are compared with torch's float64 first. Products of float32 are exact ones
everywhere, not those of TF32.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time

import numpy as np
import torch

try:
    import cupy
except ImportError:
    cupy = None
try:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
except ImportError:
    jax = None

PERIOD, GOLDEN = 65521, 0.6180339887498949
DTYPES = {"float32": 4, "float64": 8, "float16": 2, "bfloat16": 2}


def softmax(m, x):
    t = m.exp(x - m.max(x, -1))
    return t / m.sum(t, -1)


def layer_norm(m, x, gamma, beta):
    d = x - m.mean(x, -1)
    return d / m.sqrt(m.mean(d * d, -1) + 1e-5) * gamma + beta


def black_scholes(m, S, K, T):
    v = 0.2 * m.sqrt(T)
    d1 = (m.log(S / K) + (0.05 + 0.5 * 0.2 * 0.2) * T) / v
    d2 = d1 - v
    h = 1.4142135623730951
    return 0.5 * S * (1 + m.erf(d1 / h)) - 0.5 * K * m.exp(-0.05 * T) * (1 + m.erf(d2 / h))


def adam(m, w, mm, v, g):
    mm = 0.9 * mm + 0.1 * g
    v = 0.999 * v + 0.001 * g * g
    return w - 1e-3 * mm / (m.sqrt(v) + 1e-8), mm, v


def stencil(m, u):
    return u[1:-1, 1:-1] + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])


SOFTMAX = "t = exp(x - max(x, axis=-1, keepdims=True)); y = t/sum(t, axis=-1, keepdims=True)"
LAYER_NORM = "d = x - mean(x, axis=-1, keepdims=True); y = d/sqrt(mean(d*d, axis=-1, keepdims=True) + 1e-5)*gamma + beta"

# name, formula, function of the peers, arguments, targets; (name, axes, lo, hi):
# axes are letters of extents (function extents). Targets that are read too are
# arguments. The formulas are those of `exprbench run`, then others of docs/cuda.md.
CASES = [
    ("Update", "w += -0.01*(g + 1e-4*w)", lambda m, w, g: w + -0.01 * (g + 1e-4 * w), [("w", "n", -1, 1), ("g", "n", -1, 1)], [("w", "n")]),
    ("Six", "y = b*c + d*e - f/g", lambda m, b, c, d, e, f, g: b * c + d * e - f / g, [(x, "n", 1, 2) for x in "bcdefg"], [("y", "n")]),
    ("Add", "a = b + c", lambda m, b, c: b + c, [("b", "n", -1, 1), ("c", "n", -1, 1)], [("a", "n")]),
    ("GELU", "y = 0.5*x*(1 + tanh(0.7978845608*(x + 0.044715*x*x*x)))",
     lambda m, x: 0.5 * x * (1 + m.tanh(0.7978845608 * (x + 0.044715 * x * x * x))), [("x", "n", -4, 4)], [("y", "n")]),
    ("Sigmoid", "y = 1/(1 + exp(-x))", lambda m, x: 1 / (1 + m.exp(-x)), [("x", "n", -8, 8)], [("y", "n")]),
    ("Hypot", "z = sqrt(x*x + y*y)", lambda m, x, y: m.sqrt(x * x + y * y), [("x", "n", -1, 1), ("y", "n", -1, 1)], [("z", "n")]),
    ("BlackScholes", "v = 0.2*sqrt(T); d1 = (log(S/K) + (0.05 + 0.5*0.2*0.2)*T)/v; d2 = d1 - v; "
     "call = 0.5*S*(1 + erf(d1/1.4142135623730951)) - 0.5*K*exp(-0.05*T)*(1 + erf(d2/1.4142135623730951))",
     black_scholes, [("S", "n", 80, 120), ("K", "n", 80, 120), ("T", "n", 0.25, 2)], [("call", "n")]),
    ("Softmax", SOFTMAX, softmax, [("x", "rc", -4, 4)], [("y", "rc")]),
    ("LayerNorm", LAYER_NORM, layer_norm, [("x", "rc", -4, 4), ("gamma", "c", 0.5, 1.5), ("beta", "c", -1, 1)], [("y", "rc")]),
    ("SumSqDiff", "s = sum((a - b)**2)", lambda m, a, b: m.total((a - b) * (a - b)), [("a", "n", -1, 1), ("b", "n", -1, 1)], [("s", "")]),
    ("Adam", "m = 0.9*m + 0.1*g; v = 0.999*v + 0.001*g*g; w -= 1e-3*m/(sqrt(v) + 1e-8)",
     adam, [("w", "n", -1, 1), ("m", "n", -0.1, 0.1), ("v", "n", 0.01, 0.1), ("g", "n", -1, 1)], [("w", "n"), ("m", "n"), ("v", "n")]),
    ("AddTransposed", "A = B + C.T", lambda m, B, C: B + C.T, [("B", "ss", -1, 1), ("C", "ss", -1, 1)], [("A", "ss")]),
    ("Broadcast", "Y = X*row + col", lambda m, X, row, col: X * row + col, [("X", "ss", -1, 1), ("row", "s", -1, 1), ("col", "s1", -1, 1)], [("Y", "ss")]),
    ("Stencil", "v[1:-1,1:-1] = u[1:-1,1:-1] + 0.2*(u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:] - 4*u[1:-1,1:-1])",
     stencil, [("u", "ss", 1, 2)], [("v", "ss")]),
    ("SumAll", "s = sum(a)", lambda m, a: m.total(a), [("a", "n", -1, 1)], [("s", "")]),
    ("SumRows", "s = sum(a, axis=1)", lambda m, a: m.sum(a, 1)[:, 0], [("a", "ss", -1, 1)], [("s", "s")]),
    ("SumColumns", "s = sum(a, axis=0)", lambda m, a: m.sum(a, 0)[0], [("a", "ss", -1, 1)], [("s", "s")]),
    ("Softmax8192", SOFTMAX, softmax, [("x", "RC", -4, 4)], [("y", "RC")]),
    ("LayerNorm8192", LAYER_NORM, layer_norm, [("x", "RC", -4, 4), ("gamma", "C", 0.5, 1.5), ("beta", "C", -1, 1)], [("y", "RC")]),
    ("Dense", "C = relu(A @ B + bias)", lambda m, A, B, bias: m.relu(A @ B + bias), [("A", "ss", 0, 1), ("B", "ss", 0, 1), ("bias", "s", -1, 1)], [("C", "ss")]),
]


class Torch:
    exp, log, sqrt, tanh, erf, relu = torch.exp, torch.log, torch.sqrt, torch.tanh, torch.erf, torch.relu
    max = staticmethod(lambda x, a: torch.amax(x, a, keepdim=True))
    sum = staticmethod(lambda x, a: torch.sum(x, a, keepdim=True))
    mean = staticmethod(lambda x, a: torch.mean(x, a, keepdim=True))
    total = staticmethod(torch.sum)


def module(np_like, erf):
    class M:
        exp, log, sqrt, tanh = np_like.exp, np_like.log, np_like.sqrt, np_like.tanh
        max = staticmethod(lambda x, a: np_like.max(x, axis=a, keepdims=True))
        sum = staticmethod(lambda x, a: np_like.sum(x, axis=a, keepdims=True))
        mean = staticmethod(lambda x, a: np_like.mean(x, axis=a, keepdims=True))
        total = staticmethod(np_like.sum)
        relu = staticmethod(lambda x: np_like.maximum(x, 0))
    M.erf = staticmethod(erf)
    return M


class Ours:
    """The child process that runs formulas."""

    def __init__(self):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "gpucheck")
        self.p = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.device = self.ask(op="open")["device"]

    def close(self):
        self.p.kill()
        self.p.wait()

    def ask(self, **request):
        self.p.stdin.write(json.dumps(request) + "\n")
        line = self.p.stdout.readline()
        if not line:
            raise RuntimeError("gpucheck has ended")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer


def extents(n):
    """Extents by letter: n elements, r rows of c, R rows of C, s rows of s."""
    c, C = 128 if n < 1 << 21 else 1024, 8192
    return {"n": n, "c": c, "r": max(n // c, 1), "C": C, "R": max(n // C, 1), "s": round(math.sqrt(n)), "1": 1}


def values(shape, lo, hi):
    n = math.prod(shape)
    head = lo + (hi - lo) * np.modf(np.arange(min(n, PERIOD)) * GOLDEN)[0]
    return np.resize(head, n).reshape(shape)


def peers(f, args, dtype):
    """Functions that queue one evaluation, by name; None waits for all work."""
    out = {}
    tt = [torch.tensor(a, dtype=getattr(torch, dtype), device="cuda") for a in args]
    out["torch"] = lambda: f(Torch, *tt)
    torch._dynamo.reset()  # it compiles one function for a few cases only
    compiled = torch.compile(lambda *a: f(Torch, *a), dynamic=False)
    out["compile"] = lambda: compiled(*tt)
    if cupy is not None and dtype != "bfloat16":
        from cupyx.scipy.special import erf

        ca = [cupy.asarray(a.astype(dtype)) for a in args]
        m = module(cupy, erf)
        out["cupy"] = lambda: f(m, *ca)
        fused = cupy.fuse(lambda *a: f(m, *a))
        try:
            fused(*ca)
            out["cupy.fuse"] = lambda: fused(*ca)
        except Exception:  # what it cannot fuse is measured without it
            pass
    if jax is not None:
        ja = [jnp.asarray(a, dtype=getattr(jnp, dtype)) for a in args]
        jitted = jax.jit(lambda *a: f(module(jnp, jax.scipy.special.erf), *a))
        out["jax"] = lambda: jitted(*ja)
    return out


def finish(result):
    if jax is not None and isinstance(jax.tree_util.tree_leaves(result)[0], jax.Array):
        jax.block_until_ready(result)
    torch.cuda.synchronize()


def sample(call, reps):
    finish(call())
    start = time.perf_counter_ns()
    for _ in range(reps):
        result = call()
    finish(result)
    return (time.perf_counter_ns() - start) / reps


def copy_bandwidth():
    """Bytes a nanosecond of a device copy of 1e8 float32, read and written."""
    a = torch.zeros(100_000_000, device="cuda")
    b = torch.empty_like(a)
    copy = lambda: b.copy_(a)
    sample(copy, 10)
    return 8e8 / statistics.median(sample(copy, 20) for _ in range(9))


def check(ours, f, args, targets, dtype):
    """Compares the first elements with torch's float64."""
    want = f(Torch, *[torch.tensor(a, dtype=getattr(torch, dtype), device="cuda").double() for a in args])
    want = want if isinstance(want, tuple) else (want,)
    for (name, _), w in zip(targets, want):
        if name == "v" and len(targets) == 1:  # the border of the stencil is not written
            continue
        got = np.array(ours.ask(op="read", name=name, n=1000)["values"])
        w = w.flatten()[: len(got)].cpu().numpy()
        tol = {"float32": 1e-4, "float64": 1e-9, "float16": 2e-2, "bfloat16": 1e-1}[dtype]
        if not np.allclose(got, w, rtol=tol, atol=tol * max(1, np.abs(w).max())):
            return f"{name} differs from torch by up to {np.abs(got - w).max():.3g}"
    return ""


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--sizes", default="10000,1000000,100000000")
    p.add_argument("--dtypes", default=",".join(DTYPES))
    p.add_argument("--rounds", type=int, default=9)
    p.add_argument("--only", default="")
    o = p.parse_args()
    ours = Ours()
    copy = copy_bandwidth()
    versions = [f"torch {torch.__version__}"] + [f"{m.__name__} {m.__version__}" for m in (cupy, jax) if m is not None]
    print(f"{ours.device}; {', '.join(versions)}; device copy {copy:.0f} GB/s\n")
    print("| workload | dtype | n | us | GB/s | of copy | waited us | compile ms | " + " | ".join(
        f"{x}/ours" for x in ("torch", "compile", "cupy", "cupy.fuse", "jax")) + " | notes |")
    print("|" + "---|" * 14)
    failed = 0
    for name, text, f, inputs, targets in CASES:
        if o.only and name not in o.only.split(","):
            continue
        for dtype in o.dtypes.split(","):
            for n in map(int, o.sizes.split(",")):
                try:
                    failed += row(ours, copy, o.rounds, name, text, f, inputs, targets, dtype, n) != ""
                except Exception as e:
                    failed += 1
                    print(f"| {name} | {dtype} | {n} |" + " |" * 10 + f" {type(e).__name__}: {str(e).partition(chr(10))[0][:200]} |")
                    # A GPU that a fault has taken from the child, or a child that has
                    # ended, must not fail the rows that follow.
                    ours.close()
                    ours = Ours()
                sys.stdout.flush()
                torch.cuda.empty_cache()
    if failed:
        sys.exit(f"bench.py: {failed} rows failed; their notes say why")


def row(ours, copy, rounds, name, text, f, inputs, targets, dtype, n):
    """Measures one case and returns what is wrong with its values."""
    dims = extents(n)
    shapes = {x: [dims[a] for a in axes] for x, axes, *_ in inputs + targets}
    known = {x[0] for x in inputs}
    arrays = [{"name": x, "shape": shapes[x], "lo": lo, "hi": hi} for x, _, lo, hi in inputs]
    arrays += [{"name": x, "shape": shapes[x], "lo": 0, "hi": 0} for x, _ in targets if x not in known]
    args = [values(shapes[x], lo, hi) for x, _, lo, hi in inputs]
    made = ours.ask(op="case", text=text, dtype=dtype, arrays=arrays)
    notes = check(ours, f, args, targets, dtype)
    ways = peers(f, args, dtype)
    for call in ways.values():
        finish(call())
    ours_ns = lambda reps: ours.ask(op="queue", n=reps)["ns"] / reps
    reps = max(3, min(1000, int(2e6 / max(ours_ns(3), 1))))
    times = {w: [] for w in ["ours", *ways]}
    order = list(times)
    for r in range(rounds):
        for k in range(len(order)):
            w = order[(k + r) % len(order)]
            times[w].append(ours_ns(reps) if w == "ours" else sample(ways[w], reps))
    mine = statistics.median(times["ours"])
    waited = statistics.median(ours.ask(op="wait", n=reps)["ns"] / reps for _ in range(5))
    rate = made["bytes"] / mine
    ratios = []
    for w in ("torch", "compile", "cupy", "cupy.fuse", "jax"):
        ratios.append(f"{statistics.median(t / s for t, s in zip(times[w], times['ours'])):.2f}" if w in times else "-")
    print(f"| {name} | {dtype} | {n} | {mine / 1e3:.2f} | {rate:.0f} | {100 * rate / copy:.0f} % | {waited / 1e3:.2f} | {made['compile_ns'] / 1e6:.1f} | "
          + " | ".join(ratios) + f" | {notes} |")
    return notes


main()
