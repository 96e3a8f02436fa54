#!/usr/bin/env bash
# polars 2.1.0 reads "NaN" as a number, "nan" not: a file that numpy.savetxt wrote, whose missing values are "nan", becomes
# columns of text, without a word. A blank before or after a number, as in many public files ("39, 77516"), does the same.
# pandas 3.1.1 and pyarrow 26.0.1 read all three as numbers.
# Seen: String for numpy's file and for the blank, Float64 for "NaN"; float64 and double from the others
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1 numpy==2.4.6
cd "$folder"
venv/bin/python - <<'PROGRAM'
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.csv

file = io.StringIO()
np.savetxt(file, [[0.5, 1.0], [np.nan, 2.0]], fmt="%g", delimiter=",", header="x,y", comments="")
texts = {"numpy": file.getvalue(), "NaN": file.getvalue().replace("nan", "NaN"), "blank": "x,y\n0.5,1\n 1.5,2\n"}
for name, text in texts.items():
    ours = pl.read_csv(io.StringIO(text))["x"].dtype
    frame = pd.read_csv(io.StringIO(text))["x"].dtype
    table = pyarrow.csv.read_csv(io.BytesIO(text.encode())).column("x").type
    print(name, ours, frame, table)
    assert ours == (pl.Float64 if name == "NaN" else pl.String)
    assert str(frame) == "float64"
    assert str(table) == "double"
PROGRAM
