#!/usr/bin/env bash
# liac-arff 2.5.0 cuts the fraction of values of an attribute that is declared "integer", without an error: 1.14 becomes 1,
# and -0.9 becomes 0. The ARFF format treats integer, real and numeric alike, and files declare numbers with fractions as integer.
# Seen: [[1, 1.14], [0, -0.9]]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check liac-arff==2.5.0
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import arff

read = arff.loads("@relation r\n@attribute a integer\n@attribute b numeric\n@data\n1.14,1.14\n-0.9,-0.9\n")
print(read["data"])
assert read["data"] == [[1, 1.14], [0, -0.9]]
PROGRAM
