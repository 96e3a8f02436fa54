#!/usr/bin/env bash
# scikit-learn 1.9.1, with the defaults of both functions: load_svmlight_file moves every column by one and loses one if
# dump_svmlight_file wrote a matrix whose first column is empty. dump counts columns from 0, and load takes a file
# without an index 0 for one that counts from 1. n_features=3 does not help: the columns are moved all the same.
# Seen: [[0, 1, 2]] written; [[1, 2]] read, and with n_features=3 [[1, 2, 0]]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

dump_svmlight_file(np.array([[0.0, 1.0, 2.0]]), [1], "rows.svm")
read, three = (load_svmlight_file("rows.svm", n_features=n)[0].toarray().tolist() for n in (None, 3))
print("read:", read, "and with n_features=3:", three)
assert read == [[1.0, 2.0]] and three == [[1.0, 2.0, 0.0]]
PROGRAM
