"""Cyclic dual coordinate ascent a second time, plainly: what the conformance suite compares with."""

#: Parameters to try.
VARIANTS = [{}, {"eps": 1e-8}]


def run(problem, w, rng, iterations, *, eps=1e-3):
    """Return the coefficients after so many iterations, or at the end."""
    diagonal, C, n = w.oracle.diagonal(), problem.C, problem.n
    largest = 0.0
    for t in range(iterations):
        i = t % n
        v = 1.0 - w.response(i)
        v = max(v, 0.0) if w.a[i] == 0.0 else min(v, 0.0) if w.a[i] == C else v
        value = C if diagonal[i] == 0.0 else min(max(w.a[i] + v / diagonal[i], 0.0), C)
        if abs(v) > 1e-10 and value != w.a[i]:
            w.put(i, value)
        largest = max(largest if i else 0.0, abs(v))
        if i == n - 1 and largest <= eps:
            break
    return w.a
