# The loops of routines.txt for numba; numpy.py follows and runs them.
import math

import numba
import numpy

jit = numba.njit


@jit
def sums(x, y):
    s = x[0] * 0
    for i in range(x.size):
        s += x[i]
        y[i] = s


@jit
def moving_sums(x, y):
    last = x.size - y.size
    s = x[:last].sum()
    for i in range(y.size):
        s += x[i + last]
        y[i] = s
        s -= x[i]


@jit
def products(x, y):
    s = x[0] * 0 + x.dtype.type(1)
    for i in range(x.size):
        s *= x[i]
        y[i] = s


@jit
def maxima(x, y):
    s = x[0]
    for i in range(x.size):
        s = max(s, x[i])
        y[i] = s


@jit
def minima(x, y):
    s = x[0]
    for i in range(x.size):
        s = min(s, x[i])
        y[i] = s


def along(step):
    @jit
    def rows(x, y):
        for i in range(x.shape[0]):
            step(x[i], y[i])

    return rows


rows_sums, rows_products, rows_maxima, rows_minima = map(along, (sums, products, maxima, minima))


def down(combine):
    combine = jit(combine)

    @jit
    def columns(x, y):
        y[0] = x[0]
        for i in range(1, x.shape[0]):
            for j in range(x.shape[1]):
                y[i, j] = combine(y[i - 1, j], x[i, j])

    return columns


columns_sums, columns_products = down(lambda a, b: a + b), down(lambda a, b: a * b)
columns_maxima, columns_minima = down(lambda a, b: max(a, b)), down(lambda a, b: min(a, b))


@jit
def bincount(x, y):
    y[:] = 0
    for i in x:
        y[i] += 1


@jit
def bincount_weights(x, w, y):
    y[:] = 0
    for k in range(x.size):
        y[x[k]] += w[k]


@jit
def add_at(y, index, w):
    for k in range(index.size):
        y[index[k]] += w[k]


@jit(fastmath=True)
def segment_sum(x, segments, y):
    y[:] = 0
    for k in range(segments.size):
        for j in range(x.shape[1]):
            y[segments[k], j] += x[k, j]


@jit
def asian(dates, y):
    one = y.dtype.type
    for p in range(y.size):
        price, total = one(100), one(0)
        for _ in range(dates):
            price *= math.exp(one(numpy.random.standard_normal()) * one(0.0126) - one(0.00008))
            total += price
        y[p] = max(total / one(dates) - one(100), one(0))


