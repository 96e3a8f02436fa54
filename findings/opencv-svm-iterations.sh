#!/usr/bin/env bash
# OpenCV 4.14.0's SVM ends after 1,000 iterations, its default, without a word: train() returns True, and nothing says whether it
# converged. With C 100 on 2,000 examples the objective, with the best bias, is four times that of scikit-learn 1.9.1's SVC, which has no
# limit, and 65 % of the training examples are classified correctly, not 92 %. The wheel of OpenCV 5.0.0 has no module cv2.ml any more;
# opencv-contrib-python-headless 5.0.0 has it.
# Seen: times the optimum [1.0, 4.145] accuracies [(0.867, 0.866), (0.6515, 0.924)] train() returned [True, True]; ml in 5.0.0: False, True
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1 \
	opencv-python-headless==4.14.0.94
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import cv2
import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

rng = np.random.default_rng(0)
X = rng.standard_normal((2000, 5)).astype(np.float32)
y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * rng.standard_normal(2000) > 0, 1, -1)


def objective(coefficients, vectors, C):
    f = rbf_kernel(X.astype(float), vectors.astype(float), gamma=0.2) @ coefficients
    norm = coefficients @ rbf_kernel(vectors.astype(float), gamma=0.2) @ coefficients
    biases = y - f  # the hinge losses have their corners there
    return 0.5 * norm + C * min(np.maximum(0, 1 - y * (f + bias)).sum() for bias in biases)


ratios, accuracies, told = [], [], []
for C in (1.0, 100.0):
    theirs = cv2.ml.SVM_create()
    theirs.setKernel(cv2.ml.SVM_RBF)
    theirs.setGamma(0.2)
    theirs.setC(C)
    told.append(theirs.train(X, cv2.ml.ROW_SAMPLE, y.astype(np.int32)))
    _, alpha, index = theirs.getDecisionFunction(0)
    found = objective(-alpha.ravel(), theirs.getSupportVectors()[index.ravel()], C)
    other = SVC(C=C, gamma=0.2).fit(X, y)
    ratios.append(found / objective(other.dual_coef_.ravel(), other.support_vectors_, C))
    accuracies.append((float((theirs.predict(X)[1].ravel() == y).mean()), other.score(X, y)))
print("times the optimum", [round(r, 3) for r in ratios], "accuracies", accuracies, "train() returned", told)
assert told == [True, True] and theirs.getTermCriteria()[1] == 1000
assert ratios[0] < 1.01 and ratios[1] > 3
PROGRAM
for package in opencv-python-headless opencv-contrib-python-headless; do
	"${PYTHON:-python3}" -m venv "$folder/$package"
	"$folder/$package/bin/pip" install --quiet --no-compile --disable-pip-version-check "$package==5.0.0.93"
	"$folder/$package/bin/python" -c "import cv2; print('ml in', cv2.__version__, hasattr(cv2, 'ml')); assert hasattr(cv2, 'ml') == ('contrib' in '$package')"
done
