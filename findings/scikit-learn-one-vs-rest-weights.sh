#!/usr/bin/env bash
# scikit-learn 1.9.1: OneVsRestClassifier and OneVsOneClassifier number the two classes of each of their problems 0 and 1, and apply the
# class_weight of the estimator inside to these numbers. With the classes 0, 1 and 2, class_weight={1: 5} then does not weigh class 1, but
# each class against the rest, or the second class of each pair, without a word: class 1 is predicted less often than without weights.
# LinearSVC alone, which is one-vs-rest as well, weighs class 1. Weights of class 2 alone, or of classes named by words, raise an error
# about the classes 0 and 1.
# Seen, predictions of classes 0, 1, 2 by LinearSVC, alone and in the two wrappers: without weights [142, 231, 227] [142, 231, 227]
# [176, 211, 213]; {1: 5}: [49, 387, 164] [176, 214, 210] [0, 122, 478]; {2: 5}, {"b": 5}: The classes, [0, 1], are not in class_weight
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import numpy as np
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.svm import LinearSVC

rng = np.random.default_rng(0)
y = np.arange(600) % 3
X = np.array([[0, 0], [1, 0], [0, 1]])[y] + rng.normal(size=(600, 2))


def wrapped(weights):
    return [wrap(LinearSVC(class_weight=weights, dual=False)) for wrap in (lambda model: model, OneVsRestClassifier, OneVsOneClassifier)]


counts = {}
for weights in (None, {1: 5}):
    counts[str(weights)] = [np.bincount(model.fit(X, y).predict(X), minlength=3).tolist() for model in wrapped(weights)]
    print("LinearSVC, OneVsRestClassifier, OneVsOneClassifier with", weights, *counts[str(weights)])
refused = []
for weights, labels in ({2: 5}, y), ({"b": 5}, np.array(["a", "b", "c"])[y]):
    try:
        OneVsRestClassifier(LinearSVC(class_weight=weights, dual=False)).fit(X, labels)
    except ValueError as error:
        refused.append(str(error))
print('{2: 5}, {"b": 5}:', refused)
without, weighted = counts["None"], counts["{1: 5}"]
assert weighted[0][1] > 1.5 * without[0][1] and all(weighted[i][1] < without[i][1] for i in (1, 2))
assert refused == ["The classes, [0, 1], are not in class_weight"] * 2
PROGRAM
