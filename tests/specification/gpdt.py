"""GPDT.

T. Serafini, G. Zanghirati, L. Zanni, Gradient Projection Methods for Quadratic Programs and Applications in
Training Support Vector Machines, Optim. Methods Softw. 20, 2005.
"""

import numpy as np

from svmbench.solvers.dual.gradient_projection import minimise_projected
from tests.specification.working_sets import Decomposition

VARIANTS = [
    {"q": 12, "inner": "gvpm"},
    {"q": 12, "inner": "dai_fletcher"},
    {"q": 400, "n_new": 6, "inner": "gvpm", "eps": 1e-6},
]
MAINTAINS = True
TIES = True
ROWS_PER_ITERATION = 400


def run(problem, w, rng, iterations, *, q=400, n_new=None, inner="gvpm", eps=1e-3):
    """Run GPDT with the compiled inner method, which has tests of its own: its path amplifies rounding."""
    C = problem.C
    tolerance = eps

    def solve(Q, z, g, labels):
        if not state.with_bias:
            return minimise_projected(Q, g, z, C, rule=inner, tol=tolerance, most=2000)[0]
        # Summed up one by one, as there, for the last digits.
        e = added(added(0.0, labels * z), -problem.y * w.a)
        z, _ = minimise_projected(Q, g, z, C, labels, e, inner, tolerance, 2000)
        short = added(e, -labels * z)
        room = np.minimum(z, C - z)
        widest = int(np.argmax(room))
        if room[widest] > abs(short):
            z[widest] += labels[widest] * short
        return z

    state = Decomposition(problem, w, eps, q, n_new or max(2, q // 3 // 2 * 2), solve)
    while (before := state.violation()) > eps and state.t < iterations:
        state.step()
        if state.violation() <= 2.0 * eps and abs(state.violation() - before) < 0.01 * before:
            tolerance = max(0.5 * tolerance, 0.1 * eps)
    return w.a


def added(total, terms):
    for term in terms:
        total += float(term)
    return total
