"""Prices European calls of a million spots, and their Greeks: delta, gamma, vega, theta and rho."""
from math import erf, exp, pi, sqrt

import numpy as np

erf_of = np.vectorize(erf)


def cdf(x):
    """The distribution function of the normal distribution."""
    return 0.5 * (erf_of(x / sqrt(2)) + 1)


def density(x):
    """The density of the normal distribution."""
    return np.exp(-0.5 * x**2) / sqrt(2 * pi)


def price(s, k, t, r, sigma):
    """The value of a call on a spot s with a strike k in t years."""
    vol = sigma * sqrt(t)
    d1 = (np.log(s / k) + (r + 0.5 * sigma**2) * t) / vol
    paid = k * exp(-r * t)  # the strike, discounted
    return s * cdf(d1) - paid * cdf(d1 - vol)


def greeks(s, k, t, r, sigma):
    """The derivatives of the price, by hand."""
    vol = sigma * sqrt(t)
    d1 = (np.log(s / k) + (r + 0.5 * sigma**2) * t) / vol
    paid = k * exp(-r * t)
    delta = cdf(d1)
    gamma = density(d1) / (s * vol)
    vega = s * density(d1) * sqrt(t)
    theta = -s * density(d1) * sigma / (2 * sqrt(t)) - r * paid * cdf(d1 - vol)
    rho = paid * t * cdf(d1 - vol)
    return delta, gamma, vega, theta, rho


def main():
    s = np.linspace(50, 150, 1_000_001)
    results = (price(s, 100, 1, 0.05, 0.2),) + greeks(s, 100, 1, 0.05, 0.2)
    for name, values in zip(["price", "delta", "gamma", "vega", "theta", "rho"], results):
        print(f"{name:5} {values[500_000]:.10f}")  # at a spot of 100


if __name__ == "__main__":
    main()
