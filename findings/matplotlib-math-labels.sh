#!/usr/bin/env bash
# matplotlib 3.11.2 with text.parse_math: False shows the labels of a logarithmic axis as source text, since its formatter
# writes mathematical text whatever that parameter says. It is needed where labels contain dollar signs.
# Seen: ten to the power of 1 is shown as $\mathdefault{10^{1}}$
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check matplotlib==3.11.2
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

matplotlib.rcParams["text.parse_math"] = False
figure, ax = pyplot.subplots()
ax.semilogx([1, 1000], [0, 1])
figure.canvas.draw()
shown = [label.get_text() for label in ax.get_xticklabels()]
print(*shown)
assert r"$\mathdefault{10^{1}}$" in shown
PROGRAM
