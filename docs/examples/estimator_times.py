"""Time `KernelSVC` beside scikit-learn's SVC and oneDAL's, by turns.

    python docs/examples/estimator_times.py --rows 4000 --turns 3

Every fit is of the first rows of a data set's training part, in a fixed random order, with the
papers' γ and C. The turns go round the three, so that what else a machine does meets all alike. With
one thread CPU seconds, because wall seconds of a busy machine say little; with several wall seconds,
for which the machine should do nothing else, and without SVC, which has one thread. The answers are
held against each other: the least objective of the λ-form on the same rows, in double precision, is
what the others are measured from.
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np

from svmbench import data
from svmbench.config import resolve

#: Data set -> γ and C of its `suggested` section, with which the papers solve it.
SETS = ("adult", "mnist", "usps", "ijcnn1", "reuters", "covtype")


def estimators(gamma: float, C: float, threads: int) -> dict[str, object]:
    """Return those that have so many threads, with the same problem and cache."""
    import daal4py
    from sklearn.svm import SVC
    from sklearnex.svm import SVC as OneDAL

    from svmbench.sklearn import KernelSVC

    daal4py.daalinit(threads)
    made = {
        "KernelSVC": KernelSVC(C=C, gamma=gamma, tol=1e-4, cache_size=500, n_jobs=threads),
        "SVC": SVC(C=C, gamma=gamma, cache_size=500),
        "oneDAL": OneDAL(C=C, gamma=gamma, cache_size=500),
    }
    if threads > 1:
        del made["SVC"]
    return made


def objective(fitted, X, y, gamma: float, C: float) -> float:
    """Return C times the hinge losses plus half of the squared norm, from the coefficients alone."""
    from sklearn.metrics.pairwise import rbf_kernel

    found = fitted.dual_coef_
    a = np.ravel(found.toarray() if hasattr(found, "toarray") else found)
    support = X[fitted.support_]
    blocks = np.array_split(np.arange(y.size), -(-y.size // 1000))  # the whole matrix may not fit the memory
    scores = np.concatenate([rbf_kernel(X[block], support, gamma=gamma) @ a for block in blocks])
    margins = y * (scores + float(np.ravel(fitted.intercept_)[0]))
    return 0.5 * float(a @ scores[fitted.support_]) + C * float(np.maximum(0.0, 1.0 - margins).sum())


def main() -> None:
    """Print a line for each data set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--rows", type=int, default=4000, help="training rows of each set")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    clock = time.process_time if given.threads == 1 else time.perf_counter
    print(f"load {os.getloadavg()[0]:.1f} at the beginning, {given.threads} threads, {given.turns} turns")
    header = ["data", "rows", "features"]
    for name in given.sets:
        config = resolve([f"dataset={name}", "solver=decomposition", "problem.bias=unregularised"])
        gamma = config.kernel.parameters["gamma"]
        C = config.problem.C or 1.0
        part = data.load({"name": config.dataset.name, **config.dataset.parameters}).train
        rows = np.random.default_rng(0).permutation(part.y.size)[: given.rows]
        X, y = part.X[rows], part.y[rows]
        made, seconds = estimators(gamma, C, given.threads), {}
        for _ in range(given.turns):
            for label, one in made.items():
                before = clock()
                one.fit(X, y)
                seconds.setdefault(label, []).append(clock() - before)
        objectives = {label: objective(one, X, y, gamma, C) for label, one in made.items()}
        least = min(objectives.values())
        if header:
            print(
                *header, *(f"{label} s" for label in made), *(f"{label} above" for label in made), sep=" | "
            )
            header = []
        medians = [f"{np.median(seconds[label]):.2f}" for label in made]
        above = [f"{objectives[label] / least - 1:.0e}" for label in made]
        title = f"{name}, γ={gamma:g}, C={C:g}"
        print(title, rows.size, X.shape[1], *medians, *above, sep=" | ", flush=True)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
