#!/usr/bin/env bash
# Weights of examples in ARFF ("1.5, a, {2}", written by Weka when weights are not 1): scipy 1.17.1's loadarff drops them without a
# word, so that the example counts once; liac-arff 2.5.0 refuses the whole file as badly laid out. On the names of classes it is the
# other way round: with blanks inside the braces ("{ a , b }") scipy keeps the blank behind a name and then refuses the value,
# liac-arff reads the file.
# Seen: [(1.5, b'a'), (3.0, b'b')] and BadLayout; ValueError and [[1.5, 'a'], [3.0, 'b']]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check liac-arff==2.5.0 scipy==1.17.1 numpy==2.4.6
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import io

import arff
from scipy.io.arff import loadarff

HEAD = "@relation r\n@attribute x numeric\n@attribute y {}\n@data\n"


def outcome(read, text):
    try:
        return read(text)
    except (arff.ArffException, ValueError) as error:
        return type(error).__name__


def scipy_rows(text):
    return loadarff(io.StringIO(text))[0].tolist()


def liac_rows(text):
    return arff.loads(text)["data"]


weights = HEAD.format("{a,b}") + "1.5,a,{2}\n3,b\n"
blanks = HEAD.format("{ a , b }") + "1.5,a\n3,b\n"
for text in (weights, blanks):
    print(outcome(scipy_rows, text), outcome(liac_rows, text))
assert outcome(scipy_rows, weights) == [(1.5, b"a"), (3.0, b"b")]
assert outcome(liac_rows, weights) == "BadLayout"
assert outcome(scipy_rows, blanks) == "ValueError"
assert outcome(liac_rows, blanks) == [[1.5, "a"], [3.0, "b"]]
PROGRAM
