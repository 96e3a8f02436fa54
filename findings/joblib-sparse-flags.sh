#!/usr/bin/env bash
# joblib 1.6.0's Memory computes a function of a scipy 1.17.1 csr_array that was made from a dense array twice for the same array. The key of
# an answer is a hash of all attributes of the array, and scipy adds attributes when it is first asked whether the indices are sorted and
# unique, as SVC of scikit-learn 1.9.1 asks. So the first answer is stored under the hash before the call, and the second call looks for
# another. Where the function uses random numbers without a seed, there are then two stored answers for one matrix.
# Seen: computed after 1, 2, 3 calls: 1, 2, 2; hashes before and after X.has_canonical_format equal: False; numpy array: 1, 1, 1
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check joblib==1.6.0 scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
cat > cached.py <<'PROGRAM'
import joblib
import numpy as np
from scipy.sparse import csr_array
from sklearn.svm import SVC

computed = 0


def support(X, y):
    global computed
    computed += 1
    return SVC(gamma=1.0).fit(X, y).n_support_


cached = joblib.Memory("cache", verbose=0).cache(support)
rng = np.random.default_rng(0)
dense = (rng.random((50, 8)) < 0.3).astype(float)
y = np.arange(50) % 2
counts = []
for X in (csr_array(dense), dense):
    computed = 0
    counts.append([])
    for _ in range(3):
        cached(X, y)
        counts[-1].append(computed)
asked = csr_array(dense)
before = joblib.hash(asked)
asked.has_canonical_format
equal = joblib.hash(asked) == before
print("computed:", counts[0], "equal hashes:", equal, "numpy array:", counts[1])
assert counts == [[1, 2, 2], [1, 1, 1]] and not equal
PROGRAM
venv/bin/python -W ignore cached.py
