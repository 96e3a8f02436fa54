#!/usr/bin/env bash
# scikit-learn-intelex 2026.2.0: an SVC that ends at max_iter gives no warning and has fit_status_ 0, as if it had converged; scikit-learn
# 1.9.1 warns (ConvergenceWarning) and has fit_status_ 1. max_iter counts another thing as well: working sets of many examples, not
# pairs, so that one iteration leaves hundreds of support vectors. A cross-validation that drops fits that did not converge keeps them.
# Seen: sklearnex: 0 warnings, fit_status_ 0, n_iter_ 1, 199 support vectors; sklearn: 1 warning, fit_status_ 1, n_iter_ 1, 2 support vectors
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn-intelex==2026.2.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import warnings

import numpy as np
import sklearn.svm
import sklearnex.svm

X = np.random.default_rng(0).standard_normal((800, 5))
y = (np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] > 0).astype(int)
seen = {}
for module in (sklearnex.svm, sklearn.svm):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fitted = module.SVC(C=100, gamma=0.5, max_iter=1).fit(X, y)
    iterations = np.ravel(fitted.n_iter_).tolist()
    seen[module] = len(told), fitted.fit_status_, iterations, len(fitted.support_)
    print(module.__name__, seen[module])
assert seen[sklearnex.svm][:3] == (0, 0, [1]) and seen[sklearnex.svm][3] > 100
assert seen[sklearn.svm] == (1, 1, [1], 2)
PROGRAM
