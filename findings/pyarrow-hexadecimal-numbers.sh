#!/usr/bin/env bash
# pyarrow 26.0.1: read_csv takes "0x10" as the number 16 when a column holds integers or nothing but such words, so a column of
# names (codes, addresses, hashes) becomes numbers; beside a number with a fraction the same word makes the column text.
# pandas 3.1.1 and polars 2.1.0 keep it as text in all three.
# Seen: [16, 17], [16, 3], ['0x10', '0.5']; text from pandas and polars
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check polars==2.1.0 pandas==3.1.1 pyarrow==26.0.1
cd "$folder"
venv/bin/python - <<'PROGRAM'
import io

import pandas as pd
import polars as pl
import pyarrow.csv

for words, expected in ((["0x10", "0x11"], [16, 17]), (["0x10", "3"], [16, 3]), (["0x10", "0.5"], ["0x10", "0.5"])):
    text = "x\n" + "\n".join(words) + "\n"
    table = pyarrow.csv.read_csv(io.BytesIO(text.encode())).column("x").to_pylist()
    print(words, table)
    assert table == expected
    assert pd.read_csv(io.StringIO(text))["x"].tolist() == words
    assert pl.read_csv(io.StringIO(text))["x"].to_list() == words
PROGRAM
