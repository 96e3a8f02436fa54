#!/usr/bin/env bash
# xgboost-cpu 3.2.0 reads numbers of LIBSVM files with its own parser: a number of 30 digits, which float32 holds as 1.2345679e+29,
# becomes 1.4083848e+19, 1e300 becomes 1e38 and 1e-40 becomes 1.1754942e-38, the smallest normal float32, all without a word. Of
# 20,000 normal random doubles in shortest notation 3.8 % are not rounded to the nearest float32; its floats come back exactly.
# numpy 2.4.6 and scikit-learn 1.9.1's load_svmlight_file read all of them as IEEE 754 says.
# Seen: 123456789012345678901234567890 is 1.4083848e+19, 1e300 is 1.0000001e+38, 1e-40 is 1.1754942e-38; 0.0383 of the doubles, 0.0 of
# the floats differ
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check xgboost-cpu==3.2.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import numpy as np
import xgboost
from sklearn.datasets import load_svmlight_file

xgboost.set_config(verbosity=0)


def read(numbers):
    """Return what both readers make of numbers: those of XGBoost, and those of scikit-learn."""
    with open("rows.svm", "w", encoding="ascii") as file:
        file.writelines(f"1 1:{number}\n" for number in numbers)
    theirs = xgboost.DMatrix("rows.svm?format=libsvm").get_data().toarray()[:, 1]
    return theirs, load_svmlight_file("rows.svm")[0].toarray()[:, 0]


words = ["123456789012345678901234567890", "1e300", "1e-40"]
theirs, exact = read(words)
print(", ".join(f"{word} is {number:.8g}" for word, number in zip(words, theirs, strict=True)), end="; ")
assert np.array_equal(exact, [float(word) for word in words])
assert 1e19 < theirs[0] < 2e19 and 9e37 < theirs[1] < 2e38 and 1e-38 < theirs[2] < 2e-38
doubles = np.random.default_rng(0).standard_normal(20000)
floats = doubles.astype(np.float32)
changed = (read(map(repr, doubles.tolist()))[0] != floats).mean()
same = (read(map(repr, floats.astype(float).tolist()))[0] != floats).mean()
print(f"{changed} of the doubles, {same} of the floats differ")
assert 0.03 < changed < 0.05 and same == 0
PROGRAM
