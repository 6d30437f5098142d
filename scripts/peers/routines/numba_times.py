"""Times scatters and scans of numba and NumPy: thread time in ns for each element, least of 9.

    pip install numba; python3 numba_times.py

oneloop's times for the same sizes: go test -run - -bench BenchmarkCalls ./engine
"""

import time

import numba
import numpy as np

N = 1 << 20


@numba.njit
def bincount(index):
    y = np.zeros(1000, np.int64)
    for i in index:
        y[i] += 1
    return y


@numba.njit
def add_at(y, index, w):
    for k in range(index.size):
        y[index[k]] += w[k]
    return y


@numba.njit(fastmath=True)
def segment_sum(segments, x):
    y = np.zeros((1000, x.shape[1]), x.dtype)
    for k in range(segments.size):
        for j in range(x.shape[1]):
            y[segments[k], j] += x[k, j]
    return y


@numba.njit
def cumsum(x, y):
    s = x[0] * 0
    for k in range(x.size):
        s += x[k]
        y[k] = s


@numba.njit
def cummax(x, y):
    s = x[0]
    for k in range(x.size):
        s = max(s, x[k])
        y[k] = s


@numba.njit
def cumsum_down(x, y):
    for j in range(x.shape[1]):
        y[0, j] = x[0, j]
    for i in range(1, x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = y[i - 1, j] + x[i, j]


@numba.njit
def paths(count, dates):
    total = 0.0
    for _ in range(count):
        s = 0.0
        for _ in range(dates):
            s += 0.01 * np.random.standard_normal()
        total += max(np.exp(s) - 1, 0)
    return total / count


def least(f, elements):
    f()
    best = np.inf
    for _ in range(9):
        begin = time.thread_time_ns()
        f()
        best = min(best, time.thread_time_ns() - begin)
    return best / elements


rng = np.random.default_rng(1)
philox = np.random.Generator(np.random.Philox(1))
index, w, x = rng.integers(0, 1000, N), rng.random(N), rng.standard_normal(N)
x32, square = x.astype("f4"), x.reshape(1024, 1024)
y, y32, y2, sums = np.zeros(N), np.zeros(N, "f4"), np.zeros((1024, 1024)), np.zeros(1000)
rows, segments = x32.reshape(1 << 13, 128), index[: 1 << 13].copy()
for name, f, elements in [
    ("bincount, numba", lambda: bincount(index), N),
    ("bincount, NumPy", lambda: np.bincount(index, minlength=1000), N),
    ("bincount with weights, NumPy", lambda: np.bincount(index, w, 1000), N),
    ("add.at, numba", lambda: add_at(sums, index, w), N),
    ("add.at, NumPy", lambda: np.add.at(sums, index, w), N),
    ("segment sum, numba", lambda: segment_sum(segments, rows), N),
    ("cumsum float64, numba", lambda: cumsum(x, y), N),
    ("cumsum float32, numba", lambda: cumsum(x32, y32), N),
    ("cummax float64, numba", lambda: cummax(x, y), N),
    ("cumsum down columns, numba", lambda: cumsum_down(square, y2), N),
    ("Monte-Carlo, a date of a path, numba", lambda: paths(4000, 252), 4000 * 252),
    ("normal float64, NumPy", lambda: philox.standard_normal(N), N),
    ("normal float32, NumPy", lambda: philox.standard_normal(N, dtype="f4"), N),
]:
    print(f"{name:40} {least(f, elements):6.2f}", flush=True)
