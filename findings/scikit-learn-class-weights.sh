#!/usr/bin/env bash
# scikit-learn 1.9.1, two surprises with class_weight. NuSVC takes it, shows it as class_weight_, and fits the same model bit for bit as
# without it. And "balanced" means two things where sample_weight is given: LinearSVC balances the weights of the classes, SVC
# their numbers of rows. So with whole numbers as weights LinearSVC has the scores of rows repeated so many times, and SVC has them
# without "balanced" only: with it, a rare class whose rows weigh more is enlarged twice.
# Seen: NuSVC with {1: 50}: scores change by 0.0; weights against repeated rows: SVC 0.000, balanced 1.639 (rare class predicted for 38.0 %,
# not 29.3 %); LinearSVC 0.000, balanced 0.000
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import numpy as np
from sklearn.svm import SVC, LinearSVC, NuSVC

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
y = (X[:, 0] + 0.7 * rng.normal(size=300) > 1).astype(int)
times = rng.integers(1, 4, size=300) * np.where(y == 1, 5, 1)
plain, weighted = NuSVC(nu=0.2).fit(X, y), NuSVC(nu=0.2, class_weight={1: 50}).fit(X, y)
change = float(np.abs(plain.decision_function(X) - weighted.decision_function(X)).max())
print(f"NuSVC with {{1: 50}}: scores change by {change}, class_weight_ {weighted.class_weight_}")
assert change == 0 and weighted.class_weight_.tolist() == [1, 50]


def apart(estimator):
    scores = [
        estimator.fit(X, y, sample_weight=times).decision_function(X),
        estimator.fit(X.repeat(times, axis=0), y.repeat(times)).decision_function(X),
    ]
    print(f"{estimator}: {np.abs(scores[0] - scores[1]).max():.3f}, predicted {[round(float((f > 0).mean()), 3) for f in scores]}")
    return np.abs(scores[0] - scores[1]).max()


assert apart(SVC(gamma=0.3, tol=1e-8)) < 1e-3
assert apart(SVC(gamma=0.3, tol=1e-8, class_weight="balanced")) > 1
assert apart(LinearSVC(dual=False, tol=1e-9)) < 1e-3
assert apart(LinearSVC(dual=False, tol=1e-9, class_weight="balanced")) < 1e-3
PROGRAM
