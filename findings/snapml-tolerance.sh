#!/usr/bin/env bash
# snapml 1.17.2: SupportVectorMachine ends below max_iter, without a warning, when `tol` (1e-3 by default) is reached, but the same tol
# means errors of very different size: on 2,000 normal examples with noise the objective is 0.001 % above the optimum with
# regularizer 1000 and at least 40 % above with regularizer 0.01, where tol=1e-8 still ends 1 % above. The optimum is bounded from
# above by LinearSVC of scikit-learn 1.9.1, so the true excess is not smaller than what is printed.
# Seen: regularizer 1000, tol 0.001: 0.001 % above after 6 iterations; regularizer 0.01, tol 0.001: 42.4 % above after 715;
# regularizer 0.01, tol 1e-08: 1.1 % above after 5421 of 10000; warnings: 0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check snapml==1.17.2 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python - <<'PROGRAM'
import warnings

import numpy as np
from snapml import SupportVectorMachine
from sklearn.svm import LinearSVC

rng = np.random.default_rng(0)
X = rng.normal(size=(2000, 20))
y = np.sign(X[:, 0] + 0.5 * rng.normal(size=2000))


def objective(w, C):
    return 0.5 * w @ w + C * np.maximum(0, 1 - y * (X @ w)).sum()


def excess(regularizer, tol, most):
    C = 1 / regularizer
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # LinearSVC need not converge: any point bounds the optimum from above
        bound = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-8, max_iter=200000).fit(X, y)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = SupportVectorMachine(regularizer=regularizer, fit_intercept=False, tol=tol, max_iter=most).fit(X, y)
    above = 100 * (objective(np.ravel(model.coef_), C) / objective(bound.coef_[0], C) - 1)
    print(f"regularizer {regularizer}, tol {tol}: {above:.3f} % above after {model.n_iter_} of {most}; warnings: {len(told)}")
    assert model.n_iter_ < most and not told
    return above


assert excess(1000, 1e-3, 1000) < 0.01
assert excess(0.01, 1e-3, 1000) > 20
assert excess(0.01, 1e-8, 10000) > 0.5
PROGRAM
