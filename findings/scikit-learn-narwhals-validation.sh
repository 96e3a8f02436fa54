#!/usr/bin/env bash
# scikit-learn 1.9.1 asks narwhals 2.29.0 whether its input is a data frame, also where it is a plain numpy array: one
# SVC.fit of two arrays calls inspect.getattr_static, which walks classes in Python, 22 times, by narwhals alone. Who times
# small fits times this as well.
# Seen: 22 calls, from narwhals
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 narwhals==2.29.0 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python - <<'PROGRAM'
import cProfile
import pstats

import numpy as np
from sklearn.svm import SVC

X = np.random.default_rng(0).normal(size=(100, 20))
y = np.where(X[:, 0] > 0, 1, -1)
SVC().fit(X, y)
profile = cProfile.Profile()
profile.runcall(SVC().fit, X, y)
stats = pstats.Stats(profile).stats
((calls, callers),) = [(values[1], values[4]) for key, values in stats.items() if key[2] == "getattr_static"]
print(calls, "calls, from", *{"narwhals" if "narwhals" in caller[0] else caller[0] for caller in callers})
assert calls == 22
assert all("narwhals" in caller[0] for caller in callers)
PROGRAM
