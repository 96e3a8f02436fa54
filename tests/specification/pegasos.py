"""Kernelised Pegasos.

S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter, Pegasos: Primal Estimated sub-GrAdient SOlver for SVM,
Math. Programming 127(1), 2011: section 4; the test with `exact` is that of w_t by equation 13.
"""

from tests.specification.expansion import averaged

VARIANTS = [
    {"exact": True},
    {"exact": False},
    {"exact": True, "average": True},
    {"exact": True, "average": True, "suffix": True},
]


def run(problem, w, rng, iterations, *, exact, average=False, suffix=False):
    iterates = []
    for t in range(1, iterations + 1):
        i = rng.integers(problem.n)
        response = w.response(i)
        if t > 1 or not exact:
            response /= problem.lam * (t - 1 if exact else t)
        if response < 1.0:
            w.put(i, w.a[i] + 1.0)
        iterates.append(w.a / (problem.lam * t))
    return averaged(iterates, suffix) if average else iterates[-1]
