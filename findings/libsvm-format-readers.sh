#!/usr/bin/env bash
# Four readers of the LIBSVM format disagree about what SVMlight's description allows. scikit-learn 1.9.1 and xgboost-cpu 3.2.0 read a
# comment after a row, a first line that is a comment, and qid; svm_read_problem of libsvm-official 3.37.0 and LightGBM 4.7.0 raise
# an error for each; a blank line is refused by svm_read_problem only. XGBoost and LightGBM keep column 0 in a file that counts from 1,
# so they see one column more than the other two.
# Seen: comment: read by scikit-learn, xgboost; headline: read by scikit-learn, xgboost; qid: read by scikit-learn, xgboost;
# blank: read by scikit-learn, xgboost, lightgbm; plain: read by all
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check xgboost-cpu==3.2.0 lightgbm==4.7.0 libsvm-official==3.37.0 \
    scikit-learn==1.9.1 numpy==2.4.6 scipy==1.17.1
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import lightgbm
import xgboost
from libsvm.svmutil import svm_read_problem
from sklearn.datasets import load_svmlight_file

xgboost.set_config(verbosity=0)
lightgbm.register_logger(type("Silent", (), {"info": print, "warning": lambda self, text: None})())
READERS = {
    "scikit-learn": lambda name: load_svmlight_file(name)[0].shape[1],
    "libsvm": lambda name: svm_read_problem(name, return_scipy=True)[1].shape[1],
    "xgboost": lambda name: xgboost.DMatrix(name + "?format=libsvm").num_col(),
    "lightgbm": lambda name: lightgbm.Dataset(name, params={"verbose": -1}).construct().num_feature(),
}
FILES = {
    "comment": "1 1:0.5 3:2 # first\n-1 2:1.5 # second\n",
    "headline": "# two rows\n1 1:0.5 3:2\n-1 2:1.5\n",
    "qid": "1 qid:1 1:0.5 3:2\n0 qid:1 2:1.5\n",
    "blank": "1 1:0.5 3:2\n\n-1 2:1.5\n",
    "plain": "1 1:0.5 3:2\n-1 2:1.5\n",
}


def columns(text):
    """Return the number of columns that each reader finds, of those that read the file."""
    with open("rows.svm", "w", encoding="ascii") as file:
        file.write(text)
    found = {}
    for reader, read in READERS.items():
        try:
            found[reader] = read("rows.svm")
        except (ValueError, lightgbm.basic.LightGBMError):
            continue
    return found


found = {name: columns(text) for name, text in FILES.items()}
for name, counts in found.items():
    print(f"{name}: read by {', '.join(counts)}")
for name in ("comment", "headline", "qid"):
    assert list(found[name]) == ["scikit-learn", "xgboost"]
assert list(found["blank"]) == ["scikit-learn", "xgboost", "lightgbm"]
assert found["plain"] == {"scikit-learn": 3, "libsvm": 3, "xgboost": 4, "lightgbm": 4}
PROGRAM
