"""Kernel Perceptron, online, in passes, averaged.

F. Rosenblatt, The Perceptron, Psychological Review 65(6), 1958; kernel form and averaging: Y. Freund, R. E.
Schapire, Large Margin Classification Using the Perceptron Algorithm, Machine Learning 37(3), 1999.
"""

import numpy as np

from tests.specification.expansion import averaged

VARIANTS = [
    {"epochs": None, "average": False, "order": "random"},
    {"epochs": 2, "average": True, "order": "random"},
    {"epochs": 2, "average": True, "suffix": True, "order": "random"},
    {"epochs": 1, "average": False, "order": "given"},
]


def run(problem, w, rng, iterations, *, epochs, average, order, suffix=False):
    n = problem.n
    hypotheses = []
    items = np.arange(n)
    seen = 0
    while seen < iterations and (epochs is None or seen < epochs * n):
        if order == "random":
            items = items[rng.permutation(n)]
        mistakes = 0
        for i in items[: iterations - seen]:
            if w.response(i) <= 0.0:
                w.put(i, w.a[i] + 1.0)
                mistakes += 1
            hypotheses.append(w.a.copy())
            seen += 1
        if mistakes == 0 and seen % n == 0:
            break
    return averaged(hypotheses, suffix) if average else w.a
