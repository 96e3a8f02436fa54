#!/usr/bin/env bash
# scikit-learn-intelex 2026.2.0 (the wheel of PyPI, oneDAL as `sklearnex`): sklearnex.__version__ is "2199.9.9", not the
# version that was installed, and daal4py, which comes with it, has no __version__. A program that records the versions of
# its libraries by __version__ records a number that no release has; only the metadata of the package tell it.
# Seen: 2199.9.9, False, 2026.2.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check scikit-learn-intelex==2026.2.0 scikit-learn==1.9.1
cd "$folder"
venv/bin/python - <<'PROGRAM'
from importlib.metadata import version

import daal4py
import sklearnex

print(sklearnex.__version__, hasattr(daal4py, "__version__"), version("scikit-learn-intelex"))
assert sklearnex.__version__ == "2199.9.9"
assert not hasattr(daal4py, "__version__")
assert version("scikit-learn-intelex") == "2026.2.0"
PROGRAM
