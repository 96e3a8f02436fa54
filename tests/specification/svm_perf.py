"""The one-slack cutting-plane method of SVM-Perf.

T. Joachims, Training Linear SVMs in Linear Time, KDD 2006: Algorithm 1.
"""

import numpy as np

from tests.specification.one_slack import Cuts

VARIANTS = [{}, {"eps": 0.1}, {"eps": 1e-6}]


def run(problem, x, rng, iterations, *, eps=1e-3):
    cuts, w, least = Cuts(problem, x), np.zeros(x.X.shape[1]), np.inf
    for _ in range(iterations):
        c = x.responses(w)
        V = c < 1.0
        violation = float((1.0 - c[V]).sum() / problem.n - cuts.slack)
        if violation + problem.lam * cuts.gap <= eps:
            break
        least = min(least, violation)
        cuts.add(V)
        w = cuts.solve(absolute=0.5 * max(least, eps) / problem.lam)
        cuts.drop(50)
    return w
