"""Rows of examples that note every inner product that is asked for."""

import numpy as np


class SlowExamples:
    """The training examples of a linear method in float64; ``products`` counts.

    A weight vector is the caller's; `response`, `responses`, `squared_norm`, `squared_norms` and `between`
    make inner products, and `add_measured` one for the change of |w|².
    """

    def __init__(self, X, y):
        self.X = X.astype(np.float64)
        self.y = y
        self.products = 0

    def response(self, i, w):
        self.products += 1
        return self.y[i] * float(self.X[i] @ w)

    def squared_norms(self):
        self.products += len(self.X)
        return np.square(self.X).sum(axis=1)

    def squared_norm(self, i):
        self.products += 1
        return float(self.X[i] @ self.X[i])

    def responses(self, w):
        return np.array([self.response(i, w) for i in range(len(self.X))])

    def between(self, u, v):
        self.products += 1
        return float(u @ v)

    def add(self, i, factor, w):
        w += factor * self.y[i] * self.X[i]

    def add_measured(self, i, factor, w):
        self.products += 1
        self.add(i, factor, w)
