#!/usr/bin/env bash
# LIBSVM 3.37 writes the features of support vectors to a model file with 8 digits. If features are large compared to their
# differences, the model that is read back predicts other classes than the one that was trained.
# Seen: training accuracy 98.0 % before saving, 96.5 % after loading; 3 of 200 predictions differ
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check libsvm-official==3.37.0
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import random

from libsvm.svmutil import svm_load_model, svm_predict, svm_save_model, svm_train

random.seed(0)
X = [[1e6 + random.gauss(0, 1) for _ in range(4)] for _ in range(200)]
y = [1 if (x[0] - 1e6) * (x[1] - 1e6) > 0 else -1 for x in X]
trained = svm_train(y, X, "-q -c 10 -g 0.5")
svm_save_model("saved.model", trained)
before, after = (svm_predict(y, X, model, "-q") for model in (trained, svm_load_model("saved.model")))
differ = sum(one != other for one, other in zip(before[0], after[0]))
print(f"training accuracy {before[1][0]} % before saving, {after[1][0]} % after loading; {differ} of 200 differ")
assert differ > 0
PROGRAM
