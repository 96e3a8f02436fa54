#!/usr/bin/env bash
# Hydra 1.3.8 adds the steps of range(0.1,0.5,0.1) in binary floating point, so that a sweep over it has the job
# x=0.30000000000000004, which is another job than x=0.3.
# Seen: [0.1, 0.2, 0.30000000000000004, 0.4]
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check hydra-core==1.3.8
cd "$folder"
venv/bin/python -W ignore - <<'PROGRAM'
from hydra.core.override_parser.overrides_parser import OverridesParser

sweep = OverridesParser.create().parse_override("x=range(0.1,0.5,0.1)")
jobs = list(sweep.sweep_string_iterator())
print(f"[{', '.join(jobs)}]")
assert jobs == ["0.1", "0.2", "0.30000000000000004", "0.4"]
PROGRAM
