"""Statistics of a table of flowers: standard scores, correlations, groups, outliers."""
import sys

import numpy as np


def means(x, group):
    """Returns the mean of each column in each of three groups."""
    member = np.eye(3)[group.astype(np.int64)]
    return member.T @ x / member.sum(axis=0)[:, None]


def outliers(x):
    """Returns the distance of Mahalanobis of each row from the mean."""
    centred = x - x.mean(axis=0)
    inverse = np.linalg.inv(np.cov(x.T))
    weighted = centred @ inverse
    return np.sqrt(np.sum(weighted * centred, axis=1))


def main():
    path = "testdata/iris/iris.csv"
    if len(sys.argv) > 1:
        path = sys.argv[1]
    with open(path) as file:
        names = file.readline().strip().split(",")
        table = np.loadtxt(file, delimiter=",")
    x = table[:, :4]
    species = table[:, names.index("species")]
    np.set_printoptions(precision=4, suppress=True)
    print(np.corrcoef(x.T))
    print(means(x, species))
    far = outliers(x)
    at = np.argmax(far)
    print(f"row {at} is farthest: {far[at]:.6f}")
    x[...] = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    print(table[0, :4])


if __name__ == "__main__":
    main()
