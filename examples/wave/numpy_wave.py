"""The wave equation on a square with a fixed rim, and a picture of the result."""
import sys

import numpy as np


def solve(n, steps):
    """Returns the displacement of n by n points after some steps."""
    before, now, next_ = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    now[n // 3, n // 2] = 1

    def part(x, i, j):
        return x[1 + i:n - 1 + i, 1 + j:n - 1 + j]

    for _ in range(steps):
        around = (part(now, -1, 0) + part(now, 1, 0)) + (part(now, 0, -1) + part(now, 0, 1))
        inertia = 2 * part(now, 0, 0) - part(before, 0, 0)
        force = 0.25 * (around - 4 * part(now, 0, 0))
        part(next_, 0, 0)[...] = inertia + force
        before, now, next_ = now, next_, before
    return now


def main():
    u = solve(128, 150)
    grey = 20 * u + 0.5
    if len(sys.argv) > 1:
        from PIL import Image
        levels = np.rint(np.clip(grey, 0, 1) * 255).astype(np.uint8)
        Image.fromarray(levels, mode="L").save(sys.argv[1])
    energy = np.sum(np.square(u))
    print(f"{u[64, 64]:.12f} {energy:.12f}")


if __name__ == "__main__":
    main()
