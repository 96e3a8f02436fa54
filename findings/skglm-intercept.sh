#!/usr/bin/env bash
# skglm 0.5: LinearSVC has fit_intercept=True as its default, which its docstring explains, and fits no intercept: intercept_ is 0.0,
# without a warning. Of 200 examples that a threshold at 4 separates it classifies 83.5 % correctly, of the same examples moved so that
# the threshold is 0, 99 %.
# Seen: fit_intercept True, intercept 0.0, warnings 0; moved 0.835, centred 0.99
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check skglm==0.5 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python - <<'PROGRAM'
import warnings

import numpy as np
import skglm

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5))
y = np.where(X[:, 0] > 0, 1, -1)
moved = X + 4
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    ours = skglm.LinearSVC().fit(moved, y)
centred = skglm.LinearSVC().fit(X, y)
shares = ours.score(moved, y), centred.score(X, y)
print(f"fit_intercept {ours.fit_intercept}, intercept {ours.intercept_}, warnings {len(told)}; moved {shares[0]}, centred {shares[1]}")
assert ours.fit_intercept and ours.intercept_ == 0 and not told
assert shares[0] < 0.9 and shares[1] > 0.95
PROGRAM
