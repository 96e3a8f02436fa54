#!/usr/bin/env bash
# The wheels of numpy 2.4.6 and scipy 1.17.1 bring a copy of OpenBLAS each, with threads of its own. On two processors, with the kernels
# for AVX2, a product of a 10,000 x 21 matrix by its transpose takes .2 ms by numpy as by scipy.linalg.blas; both in turns take 20 ms and
# more, since threads of the copy that has just worked go on spinning on the processor that the other one needs. With one thread
# each, both take what they add up to, and with the kernels for AVX-512 as well. A Newton step that multiplies by numpy and factorises by
# scipy is such a program.
# Seen: two threads: numpy 0.16, scipy 0.24, both in turns 23.85 ms, 59.9 times the sum (17.6 and 36 times in other runs); one thread: 1.0
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --no-compile --disable-pip-version-check numpy==2.4.6 scipy==1.17.1
cat > "$folder/times.py" <<'PYTHON'
import os
import time

# As many threads as processors: two, where the machine has more.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])

import numpy as np
from scipy.linalg.blas import dsyrk

Z = np.random.default_rng(0).standard_normal((10_000, 21))


def milliseconds(*products):
    """Return the median of 7 times of 20 rounds, per round."""
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(20):
            for product in products:
                product()
        times.append(time.perf_counter() - begin)
    return 1e3 * sorted(times)[3] / 20


def by_numpy():
    return Z.T @ Z


def by_scipy():
    return dsyrk(1.0, Z.T, lower=1)


alone = milliseconds(by_numpy), milliseconds(by_scipy)
both = milliseconds(by_numpy, by_scipy)
print(f"numpy {alone[0]:.2f}, scipy {alone[1]:.2f}, both in turns {both:.2f} ms, {both / sum(alone):.1f} times the sum")
PYTHON
export OPENBLAS_CORETYPE=Haswell
two=$("$folder/venv/bin/python" "$folder/times.py")
one=$(OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" "$folder/times.py")
printf 'two threads: %s\none thread:  %s\n' "$two" "$one"
ratio() { sed 's/.* ms, \(.*\) times.*/\1/' <<< "$1"; }
awk -v two="$(ratio "$two")" -v one="$(ratio "$one")" 'BEGIN { exit !(two > 5 * one) }'
