#!/usr/bin/env bash
# dlib 20.0.1 (dlib-bin 20.0.1.post1): the C of svm_c_trainer_linear is the factor of the mean of the hinge losses, that of
# svm_c_trainer_radial_basis the factor of their sum, and no Python docstring says so. So a C carried over from the Gaussian kernel is, on 300
# examples, one 300 times smaller: with each example given twice the linear scores stay as they are and the Gaussian ones move. The
# linear trainer regularises the bias as well: its C = 1 is LinearSVC(loss="hinge", C=1/300) of scikit-learn 1.9.1, far from
# SVC(kernel="linear", C=1), while the Gaussian one is SVC(C=1).
# Seen: each example twice: scores change by 0.0000 linear, 0.61 Gaussian; differences from scikit-learn: linear and SVC 9.2,
# linear and LinearSVC with C/300 0.0000; Gaussian and SVC 0.0000
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check dlib-bin==20.0.1.post1 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import dlib
import numpy as np
from sklearn.svm import SVC, LinearSVC

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 3)) + 1
y = np.where(X[:, 0] + 0.5 * rng.normal(size=300) > 1, 1, -1)


def scores(trainer, times):
    trainer.set_c(1)
    trainer.epsilon = 1e-8
    rows = dlib.vectors()
    rows.extend([dlib.vector(row) for row in np.repeat(X, times, axis=0).tolist()])
    function = trainer.train(rows, dlib.array(np.repeat(y, times).astype(float).tolist()))
    return np.array([function(dlib.vector(row)) for row in X.tolist()])


def gaussian():
    trainer = dlib.svm_c_trainer_radial_basis()
    trainer.gamma = 0.5
    return trainer


def apart(f, g):
    return float(np.abs(f - g).max())


linear, radial = scores(dlib.svm_c_trainer_linear(), 1), scores(gaussian(), 1)
twice = apart(scores(dlib.svm_c_trainer_linear(), 2), linear), apart(scores(gaussian(), 2), radial)
svc = apart(SVC(kernel="linear", tol=1e-8).fit(X, y).decision_function(X), linear)
mean = apart(LinearSVC(loss="hinge", C=1 / 300, tol=1e-10, max_iter=1000000).fit(X, y).decision_function(X), linear)
total = apart(SVC(gamma=0.5, tol=1e-8).fit(X, y).decision_function(X), radial)
print(f"each example twice: scores change by {twice[0]:.4f} linear, {twice[1]:.2f} Gaussian; differences from scikit-learn:", end=" ")
print(f"linear and SVC {svc:.1f}, linear and LinearSVC with C/300 {mean:.4f}; Gaussian and SVC {total:.4f}")
assert twice[0] < 0.01 and twice[1] > 0.1
assert svc > 1 and mean < 0.01 and total < 0.01
PROGRAM
