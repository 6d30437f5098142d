"""Recognises handwritten digits by two layers. The derivatives are written by hand."""
import sys

import numpy as np


def read(path):
    """Returns images with values from 0 to 1, and their digits."""
    table = np.loadtxt(path, delimiter=",")
    return table[:, :64] / 16, table[:, 64].astype(np.int64)


def initial(rows, columns):
    """Returns numbers that look random, with a deviation that fits the number of rows."""
    k = np.arange(float(rows * columns)).reshape(rows, columns)
    return np.sin(k * k) / np.sqrt(rows)


def forward(x, w1, b1, w2, b2):
    hidden = np.tanh(x @ w1 + b1)
    return hidden, hidden @ w2 + b2


def train(x, digits, steps, rate):
    """Returns the weights, and prints the loss of some steps."""
    w1, b1, w2, b2 = initial(64, 32), np.zeros(32), initial(32, 10), np.zeros(10)
    wanted = np.eye(10)[digits]
    for step in range(steps):
        hidden, z = forward(x, w1, b1, w2, b2)
        shifted = z - z.max(axis=1, keepdims=True)
        log_sum = np.log(np.exp(shifted).sum(axis=1, keepdims=True))
        if step % 100 == 0:
            print(f"loss {np.mean(log_sum[:, 0] - np.sum(shifted * wanted, axis=1)):.6f}")
        dz = (np.exp(shifted - log_sum) - wanted) / len(x)
        dh = (dz @ w2.T) * (1 - hidden**2)
        w2 -= rate * (hidden.T @ dz)
        b2 -= rate * dz.sum(axis=0)
        w1 -= rate * (x.T @ dh)
        b1 -= rate * dh.sum(axis=0)
    return w1, b1, w2, b2


def main():
    path = "testdata/digits/digits.csv.gz"
    if len(sys.argv) > 1:
        path = sys.argv[1]
    x, digits = read(path)
    weights = train(x[:1437], digits[:1437], 300, 0.5)
    _, z = forward(x[1437:], *weights)
    right = np.mean(np.argmax(z, axis=1) == digits[1437:])
    print(f"{right:.6f} of {len(z)} digits are right")


if __name__ == "__main__":
    main()
