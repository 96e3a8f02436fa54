#!/usr/bin/env bash
# A CSR array may hold several values for one place, which scipy 1.17.1 adds up: counting words row by row with a 1 for each word makes
# such arrays. scikit-learn 1.9.1's SVC, rbf_kernel and Nystroem, scikit-learn-intelex 2026.2.0's SVC, libsvm-official 3.37.0,
# liblinear-official 2.50.0 (-s 3), snapml 1.17.2 and LightGBM 4.7.0 accept them and give other scores than for the same array after
# sum_duplicates(). scikit-learn's LinearSVC (squared hinge loss) and skglm 0.5 add them up.
# Seen, largest difference of scores: SVC 0.96; intelex SVC 27; libsvm 0.96; rbf_kernel 1; Nystroem 6.3e+05; snapml 5.3; lightgbm 1.3;
# LinearSVC 3.1e-13; liblinear 15; skglm 1.8e-15
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 scikit-learn-intelex==2026.2.0 \
    libsvm-official==3.37.0 liblinear-official==2.50.0 snapml==1.17.2 lightgbm==4.7.0 skglm==0.5 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import lightgbm
import numpy as np
import skglm
import sklearnex.svm
import snapml
from liblinear.liblinearutil import predict, train
from libsvm.svmutil import svm_predict, svm_train
from scipy.sparse import csr_matrix
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC

rng = np.random.default_rng(0)
rows, words = 200, 8
y = np.where(rng.random(rows) < 0.5, 1, -1)
texts = [rng.choice(words, size=12, p=np.roll(np.arange(1, words + 1) / 36, label)) for label in y]
ends = np.cumsum([0, *map(len, texts)])
counted = csr_matrix((np.ones(ends[-1]), np.concatenate(texts), ends), shape=(rows, words))
summed = counted.copy()
summed.sum_duplicates()
assert (counted.toarray() == summed.toarray()).all() and counted.nnz > summed.nnz


def scores(model):
    return lambda X: model.fit(X, y).decision_function(X)


def libsvm(X):
    return np.array(svm_predict(y, X, svm_train(y, X, "-q -g 0.1"), "-q")[2])


def liblinear(X):
    return np.array(predict(y, X, train(y, X, "-q -s 3 -e 1e-6"), "-q")[2])


MAKERS = {
    "SVC": scores(SVC(gamma=0.1)),
    "intelex SVC": scores(sklearnex.svm.SVC(gamma=0.1)),
    "libsvm": libsvm,
    "rbf_kernel": lambda X: rbf_kernel(X, gamma=0.1),
    "Nystroem": Nystroem(gamma=0.1, n_components=20, random_state=0).fit_transform,
    "snapml": scores(snapml.SupportVectorMachine(tol=1e-8, random_state=0)),
    "lightgbm": lambda X: lightgbm.LGBMClassifier(n_estimators=5, verbose=-1).fit(X, y).predict(X, raw_score=True),
    "LinearSVC": scores(LinearSVC(tol=1e-8, max_iter=100000)),
    "liblinear": liblinear,
    "skglm": scores(skglm.LinearSVC(tol=1e-8)),
}
differ = {name: np.abs(make(counted.copy()) - make(summed.copy())).max() for name, make in MAKERS.items()}
print("; ".join(f"{name} {largest:.2g}" for name, largest in differ.items()))
same = {name for name, largest in differ.items() if largest < 1e-3}
assert same == {"LinearSVC", "skglm"}
PROGRAM
