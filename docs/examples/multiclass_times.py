"""Time `KernelSVC` beside scikit-learn's SVC on problems of several classes, by turns.

    python docs/examples/multiclass_times.py FOLDER --sets letter usps mnist --rows 20000

FOLDER holds the published files: ``letter/letter.scale`` and ``usps/usps_zip.train.svm.bz2`` in LIBSVM's
format, and ``mnist/`` with the images and labels of MNIST. Every fit is of the first rows of the training
part in a fixed random order, on one thread, with the same cache. Parameters are letter: C = 16, γ = 4 (C.-W.
Hsu and C.-J. Lin, A Comparison of Methods for Multiclass Support Vector Machines, IEEE Trans. Neural Networks
13, 2002, table II); usps in rows of length 1: C = 1, γ = 2; mnist divided by 255: C = 1, γ = 0.02, as in the
suggested settings of the two sets. SVC stops by its default ``tol=1e-3``, `KernelSVC` by a certified gap of
1e-4 of each pair. The last column is the objective of SVC, summed over the pairs, relative to that of
`KernelSVC`, less 1.
"""

from __future__ import annotations

import argparse
import gzip
import os
import time
from itertools import combinations
from pathlib import Path

import numpy as np

SETTINGS = {"letter": (16.0, 4.0), "usps": (1.0, 2.0), "mnist": (1.0, 0.02)}


def loaded(folder: Path, name: str, part: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows in float32 and classes of the training or the test part."""
    from sklearn.datasets import load_svmlight_file

    from svmbench.data.sets.mnist import read_idx

    test = part == "test"
    if name == "letter":
        X, y = load_svmlight_file(str(folder / ("letter.scale.t" if test else "letter.scale")), n_features=16)
        return X.toarray().astype(np.float32), y.astype(int)
    if name == "usps":
        X, y = load_svmlight_file(str(folder / f"usps_zip.{part}.svm.bz2"), n_features=256)
        X = X.toarray().astype(np.float32)
        return X / np.linalg.norm(X, axis=1, keepdims=True), y.astype(int)
    stem = "t10k" if test else "train"
    images = read_idx(gzip.decompress((folder / f"{stem}-images-idx3-ubyte.gz").read_bytes()), name, 3)
    labels = read_idx(gzip.decompress((folder / f"{stem}-labels-idx1-ubyte.gz").read_bytes()), name, 1)
    return images.reshape(len(images), -1).astype(np.float32) / np.float32(255.0), labels.astype(int)


def objective(fitted, X, y, gamma: float, C: float) -> float:
    """Return the sum of the primal objectives of all pairs, from the coefficients alone."""
    from sklearn.metrics.pairwise import rbf_kernel

    ends = np.cumsum(fitted.n_support_)
    parts = [slice(end - count, end) for end, count in zip(ends, fitted.n_support_, strict=True)]
    total = 0.0
    for pair, (i, j) in enumerate(combinations(range(len(ends)), 2)):
        support = np.concatenate([fitted.support_[parts[i]], fitted.support_[parts[j]]])
        beta = np.concatenate([fitted.dual_coef_[j - 1, parts[i]], fitted.dual_coef_[i, parts[j]]])
        support, beta = support[beta != 0.0], beta[beta != 0.0]
        members = np.flatnonzero(np.isin(y, fitted.classes_[[i, j]]))
        labels = np.where(y[members] == fitted.classes_[i], 1.0, -1.0)
        scores = np.empty(members.size)
        for block in np.array_split(np.arange(members.size), -(-members.size // 1000)):
            scores[block] = rbf_kernel(X[members[block]], X[support], gamma=gamma) @ beta
        norm2 = float(beta @ scores[np.searchsorted(members, support)])
        total += 0.5 * norm2 + C * np.maximum(0.0, 1.0 - labels * (scores + fitted.intercept_[pair])).sum()
    return total


def main() -> None:
    """Print a line for each data set."""
    from sklearn.svm import SVC

    from svmbench.sklearn import KernelSVC

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(SETTINGS), choices=list(SETTINGS))
    parser.add_argument("--rows", type=int, default=60000, help="training rows of each set")
    parser.add_argument(
        "--threads", type=int, default=1, help="of KernelSVC; with more, seconds are wall time"
    )
    parser.add_argument("--turns", type=int, default=3, help="of KernelSVC; SVC has one less, at least one")
    parser.add_argument("--objectives", action="store_true", help="compare the objectives, too")
    given = parser.parse_args()
    clock = time.process_time if given.threads == 1 else time.perf_counter
    print(f"load {os.getloadavg()[0]:.1f} at the beginning")
    print("data | rows | classes | KernelSVC s | SVC s | ratio | test error KernelSVC, SVC | objectives")
    for name in given.sets:
        (C, gamma), folder = SETTINGS[name], given.folder / name
        X, y = loaded(folder, name, "train")
        rows = np.random.default_rng(0).permutation(y.size)[: given.rows]
        X, y, test = X[rows], y[rows], loaded(folder, name, "test")
        made = {
            "ours": KernelSVC(C=C, gamma=gamma, n_jobs=given.threads),
            "SVC": SVC(C=C, gamma=gamma, cache_size=500),
        }
        seconds: dict[str, list[float]] = {"ours": [], "SVC": []}
        for turn in range(given.turns):
            for label, one in made.items():
                if label == "SVC" and turn >= max(1, given.turns - 1):
                    continue
                before = clock()
                one.fit(X, y)
                seconds[label].append(clock() - before)
        ours, theirs = (float(np.median(seconds[label])) for label in made)
        errors = [f"{100.0 * (1.0 - one.score(*test)):.2f} %" for one in made.values()]
        off = "-"
        if given.objectives:
            mine, other = (objective(one, X, y, gamma, C) for one in made.values())
            off = f"{other / mine - 1.0:+.0e}"
        title = f"{name}, γ={gamma:g}, C={C:g}"
        values = [f"{ours:.2f}", f"{theirs:.2f}", f"{theirs / ours:.1f}", ", ".join(errors), off]
        print(title, rows.size, made["ours"].classes_.size, *values, sep=" | ", flush=True)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
