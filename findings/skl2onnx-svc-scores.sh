#!/usr/bin/env bash
# skl2onnx 1.20.0 converts a binary scikit-learn SVC so that the first score column, of class 0, is the decision value and the
# second its negative: the column with the larger score is always the class that is not predicted. The label output is right.
# With decision_function_shape="ovo" and four classes, the declared width of the scores is 4, and the width is 6.
# Seen: labels equal 1.0, larger column equals label 0.0; declared 4 columns, 6 made
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check skl2onnx==1.20.0 onnx==1.23.2 onnxruntime==1.32.0 scikit-learn==1.9.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import numpy as np
import onnxruntime
from skl2onnx import to_onnx
from sklearn.svm import SVC

onnxruntime.set_default_logger_severity(3)


def converted(model, X):
    made = to_onnx(model, X[:1], target_opset=15, options={"zipmap": False})
    session = onnxruntime.InferenceSession(made.SerializeToString())
    return session.get_outputs()[1].shape[1], *session.run(None, {session.get_inputs()[0].name: X})


rng = np.random.default_rng(0)
X = rng.normal(size=(100, 4)).astype(np.float32)
model = SVC(gamma=0.5).fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
_, labels, scores = converted(model, X)
equal, larger = (labels == model.predict(X)).mean(), (scores.argmax(axis=1) == model.predict(X)).mean()
four = SVC(gamma=0.5, decision_function_shape="ovo").fit(X, rng.integers(0, 4, 100))
declared, _, scores = converted(four, X)
print(f"labels equal {equal}, larger column equals label {larger}; declared {declared} columns, {scores.shape[1]} made")
assert (equal, larger, declared, scores.shape[1]) == (1.0, 0.0, 4, 6)
PROGRAM
