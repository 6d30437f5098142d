"""The edges of a picture, blended over it."""
import sys

import numpy as np
from PIL import Image


def filter(x, axis, *weights):
    """Returns the sum of neighbours along an axis with weights, with the edge repeated outside."""
    widths = [(0, 0), (0, 0)]
    widths[axis] = (1, 1)
    padded = np.pad(x, widths, "edge")
    total = np.float32(0)
    n = x.shape[axis]
    for i, w in enumerate(weights):
        spans = [slice(None), slice(None)]
        spans[axis] = slice(i, i + n)
        total = total + np.float32(w) * padded[tuple(spans)]
    return total


def edges(rgb):
    """Returns where the brightness of a picture changes, from 0 to 1."""
    grey = rgb.mean(axis=2)
    low, high = grey.min(), grey.max()
    contrast = (grey - low) / (high - low)
    smooth = filter(filter(contrast, 0, 0.25, 0.5, 0.25), 1, 0.25, 0.5, 0.25)
    across = filter(filter(smooth, 0, 1, 2, 1), 1, -1, 0, 1)
    down = filter(filter(smooth, 0, -1, 0, 1), 1, 1, 2, 1)
    return np.clip(np.hypot(across, down), 0, 1)


def main():
    x = np.asarray(Image.open("testdata/flower/flower.png")).astype(np.float32) / np.float32(255)
    rgb = x[:, :, :3]
    e = edges(rgb)
    red = np.array([1, 0, 0], dtype=np.float32)
    shown = e[:, :, None]
    y = rgb * (1 - shown) + red * shown
    if len(sys.argv) > 1:
        levels = np.rint(np.clip(y, 0, 1) * 255).astype(np.uint8)
        Image.fromarray(levels).save(sys.argv[1])
    share = np.mean((e > 0.5).astype(np.float64))
    print(f"{y.shape}, mean {y.astype(np.float64).mean():.5f}, {share:.4f} of it edges")


if __name__ == "__main__":
    main()
