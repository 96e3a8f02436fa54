"""One program on every instruction set of this processor."""

import os
import subprocess
import sys

import pytest

from svmbench.simd import isa

LEVELS = ("base", "avx2", "avx512", "avx512_icl")
HERE = LEVELS[: LEVELS.index(isa()) + 1]

several = pytest.mark.skipif(len(HERE) == 1, reason="this processor has one instruction set only")


def output(program: str, level: str, *arguments: object) -> str:
    """Return what a Python program prints on one of them."""
    command, given = (
        [sys.executable, "-c", program, *map(str, arguments)],
        {**os.environ, "SVMBENCH_ISA": level},
    )
    return subprocess.run(command, env=given, capture_output=True, text=True, check=True).stdout


def outputs(program: str, *arguments: object) -> set[str]:
    """Return the different things it prints on all of them."""
    return {output(program, level, *arguments) for level in HERE}
