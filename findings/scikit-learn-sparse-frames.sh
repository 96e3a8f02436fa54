#!/usr/bin/env bash
# scikit-learn 1.9.1 and a pandas 3.1.1 frame of sparse columns, such as get_dummies(sparse=True) makes: SVC, NuSVC, SVR and OneClassSVM
# ask whether the input is sparse before they convert it, then take the CSR matrix for a dense array, and raise errors that name neither
# the frame nor a remedy. LinearSVC fits a frame of 0.0 and 1.0, but not one of truth values, which get_dummies makes by default:
# they reach LIBLINEAR as they are, though it asked for doubles. All accept the same values as a scipy 1.17.1 matrix, from
# frame.sparse.to_coo(), and an SVC fitted to that predicts the frame of 0.0 and 1.0.
# Seen: SVC: 'csr_matrix' object has no attribute 'var'; SVC, NuSVC, SVR, OneClassSVM with gamma=1: a bytes-like object is required, not
# 'csr_matrix'; LinearSVC: fitted (float), Buffer dtype mismatch, expected 'const float32_t' but got 'bool' (bool); to_coo: all fitted
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 pandas==3.1.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import numpy as np
import pandas as pd
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC, OneClassSVM

ESTIMATORS = (SVC(), SVC(gamma=1), NuSVC(gamma=1), SVR(gamma=1), OneClassSVM(gamma=1), LinearSVC())
words = np.random.default_rng(0).choice(list("abcd"), size=200)
y = np.isin(words, ["a", "b"]).astype(int)


def outcome(estimator, rows):
    try:
        estimator.fit(rows, y)
    except (AttributeError, TypeError, ValueError) as error:
        return str(error)
    return "fitted"


for dtype in (float, bool):
    frame = pd.get_dummies(pd.DataFrame({"word": words}), sparse=True, dtype=dtype)
    found = [outcome(estimator, frame) for estimator in ESTIMATORS]
    print(dtype.__name__, found)
    assert found[0] == "'csr_matrix' object has no attribute 'var'"
    assert set(found[1:5]) == {"a bytes-like object is required, not 'csr_matrix'"}
    assert found[5] == "fitted" if dtype is float else "got 'bool'" in found[5]
    assert {outcome(estimator, frame.sparse.to_coo()) for estimator in ESTIMATORS} == {"fitted"}
    if dtype is float:
        assert (SVC().fit(frame.sparse.to_coo(), y).predict(frame) == y).all()
PROGRAM
