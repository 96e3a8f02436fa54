"""One-slack cutting planes on Nyström features.

T. Joachims, Training Linear SVMs in Linear Time, KDD 2006, on the features that S. Lee, S. J. Wright, ASSET,
ICPRAM 2012, compare with; greedy basis: S. Fine, K. Scheinberg, Efficient SVM Training Using Low-Rank Kernel
Representations, JMLR 2, 2001.
"""

import numpy as np

from svmbench.solvers.cutting_plane.one_slack import OneSlack

VARIANTS = [{"k": 12}, {"k": 500}, {"k": 9, "basis": "greedy"}]
MAINTAINS = True
SIGNS = "either"


def run(problem, w, rng, iterations, *, k, basis="strides", eps=1e-3):
    y, n = problem.y, problem.n
    diagonal = w.oracle.diagonal()
    k = min(k, n)
    chosen = []
    rows = []
    tried = set()

    def features():
        K = np.array(rows).reshape(-1, n)
        L = np.linalg.cholesky(K[:, chosen]) if chosen else np.zeros((0, 0))
        return (np.linalg.solve(L, K) if chosen else K), L

    for t in range(iterations):
        if t == k or len(tried) == n:
            break
        Z, _ = features()
        outside = diagonal - np.square(Z).sum(axis=0)
        i = t * n // k
        if basis == "greedy":
            outside[list(tried)] = 0.0
            i = int(np.argmax(outside))
            if outside[i] <= 1e-6 * diagonal[i]:
                break
        tried.add(i)
        row = w.oracle.exact_row(i)
        if row[i] - np.square(Z[:, i]).sum() > 1e-6 * row[i]:
            chosen.append(i)
            rows.append(row)
    Z, L = features()
    weights, slack, nearest = np.zeros(len(chosen)), 0.0, np.inf
    program, cuts = OneSlack(problem.C * n), np.zeros((0, len(chosen)))
    for _ in range(iterations - len(tried)):
        below = y * (weights @ Z) < 1.0
        g = Z @ (y * below) / n
        missing = below.mean() - weights @ g - slack
        if missing <= eps:
            break
        nearest = min(nearest, missing)
        cuts = np.vstack([cuts, g])
        program.add_cut(below.mean(), cuts @ g)
        weights = program.solution(absolute=0.5 * nearest * problem.C * n) @ cuts
        slack = program.slack
        cuts = cuts[program.drop_idle(50)]
    beta = np.zeros(n)
    if chosen:
        beta[chosen] = np.linalg.solve(L.T, weights)
    return beta * y
