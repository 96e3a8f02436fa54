"""SVM-light.

T. Joachims, Making Large-Scale SVM Learning Practical, in Advances in Kernel Methods, MIT Press, 1999,
chapter 11.
"""

import numpy as np

from tests.specification.small_qp import minimise, violation
from tests.specification.working_sets import Decomposition

VARIANTS = [
    {},
    {"q": 5, "n_new": 3, "shrinking": False},
    # At 1e-6 the noise of rows in single precision, 1.1e-6 here, is above half the tolerance: values are then
    # recomputed in double precision once, of which the specification knows nothing.
    {"q": 2, "n_new": 2, "shrinking": True, "h": 4, "eps": 1e-5},
]
MAINTAINS = True
TIES = True
ROWS_PER_ITERATION = 10


def run(problem, w, rng, iterations, *, q=10, n_new=10, eps=1e-3, shrinking=True, h=100):
    y, C, n = problem.y, problem.C, problem.n

    def inner(Q, z, g, labels):
        given = labels if state.with_bias else None
        tolerance = 1e-2 * max(eps, violation(z, g, C, given))
        return minimise(Q, z, g, C, given, tolerance, 1000 * z.size)

    state = Decomposition(problem, w, eps, q, n_new, inner)
    loose = np.full(n, -1)
    known, v_known = np.zeros(n), y.copy()
    while state.violation() > eps and state.t < iterations:
        state.step()
        if not shrinking:
            continue
        up, down = state.movable()
        held = (~up & (state.v > state.b())) | (~down & (state.v < state.b()))
        loose[state.active & ~held] = state.t - 1
        if state.violation() <= eps and not state.active.all():
            aside = np.flatnonzero(~state.active)
            moved = y * (w.a - known)
            state.v[aside] = v_known[aside]
            if np.count_nonzero(moved) <= aside.size:
                for j in np.flatnonzero(moved):
                    state.v[aside] -= moved[j] * w.oracle.row(j)[aside]
            else:
                for t in reversed(aside):
                    state.v[t] -= w.oracle.row(t) @ moved
            state.active[:] = True
            known, v_known = w.a.copy(), state.v.copy()
            loose[:] = state.t - 1
        elif state.t % h == 0 and state.violation() > eps:
            state.active &= ~(state.t - 1 - loose >= h)
    return w.a
