#!/usr/bin/env bash
# mlpack 4.8.0, linear_svm of its Python package: a model that was trained with no_intercept=True refuses the examples that it was
# trained on, since it counts one dimension less than they have. Its output "probabilities" holds scores, negative ones as well. With
# delta=10, the same problem as a ten times larger lambda, five trainings end without a word at five different places, all of them worse
# than to name the larger class always.
# Seen: Test data dimensionality (5) must be the same as the dimensionality of the training data (4); least "probability" -1.11;
# [0.712, 0.492, 0.52, 0.466, 0.691]; larger class 0.962
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check mlpack==4.8.0 numpy==2.4.6
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import numpy as np
from mlpack import linear_svm

rng = np.random.default_rng(1)
X = rng.standard_normal((1000, 5))
y = (X @ rng.standard_normal(5) + 2 > 0).astype(int)


def predicted(**given):
    model = linear_svm(training=X, labels=y, lambda_=1e-4, num_classes=2, **given)["output_model"]
    return linear_svm(input_model=model, test=X)


try:
    predicted(no_intercept=True)
    raise SystemExit("a model without an intercept predicts")
except RuntimeError as error:
    print(error)
least = predicted()["probabilities"].min()
accuracies = [float((predicted(delta=10.0)["predictions"].ravel() == y).mean()) for _ in range(5)]
larger = max(y.mean(), 1 - y.mean())
print(f"least probability {least:.2f}, accuracies {accuracies}, larger class {larger}")
assert least < 0 and max(accuracies) < larger and len(set(accuracies)) > 1
PROGRAM
