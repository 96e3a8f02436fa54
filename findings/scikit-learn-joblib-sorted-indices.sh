#!/usr/bin/env bash
# scikit-learn 1.9.1's SVC sorts the column numbers of a CSR matrix in place, in the caller's matrix. joblib 1.6.0 hands arrays of more than
# 1 MB to its processes as read-only memory maps. So OneVsRestClassifier(SVC()) on a product of two sparse matrices, whose columns scipy
# 1.17.1 leaves unsorted, fits with n_jobs=1, and with n_jobs=2 ends in an error about WRITEBACKIFCOPY. With fewer rows, or sorted
# columns, n_jobs=2 fits.
# Seen: n_jobs=1: fitted, and the matrix was changed; n_jobs=2: ValueError: WRITEBACKIFCOPY base is read-only; sorted: fitted; few rows: fitted
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 joblib==1.6.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import scipy.sparse as sp
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC


def product(rows):
    return sp.random(rows, 600, density=0.5, format="csr", random_state=0) @ sp.random(
        600, 500, density=0.2, format="csr", random_state=1
    )


def outcome(X, jobs):
    try:
        OneVsRestClassifier(SVC(), n_jobs=jobs).fit(X, [row % 3 for row in range(X.shape[0])])
    except ValueError as error:
        return f"ValueError: {error}"
    return "fitted"


X = product(400)
assert not X.has_sorted_indices
first = X.indices[:9].tolist()
print("n_jobs=1:", outcome(X, 1), X.indices[:9].tolist() != first)
changed = X.indices[:9].tolist() != first
two, few = outcome(product(400), 2), outcome(product(40), 2)
ordered = product(400)
ordered.sort_indices()
print("n_jobs=2:", two, "; few rows:", few, "; sorted:", outcome(ordered, 2))
assert changed and "read-only" in two and few == "fitted" and outcome(ordered, 2) == "fitted"
PROGRAM
