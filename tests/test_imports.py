"""Imports point one way, and the command line imports nothing heavy. See docs/architecture.md."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "svmbench"
IMPORT = re.compile(
    r"^\s*(?:from|import|cimport)\s+(svmbench[\w.]*)(?:\s+(?:c?import)\s+(.+))?", re.MULTILINE
)

# What each folder may use beside errors, problem and config.
ALLOWED = {
    "kernels": {"kernels"},
    "data": {"data"},
    "solvers": {"solvers", "kernels"},
    "features": {"features", "kernels", "solvers"},  # solvers: the random generator
    "store": {"store", "kernels"},  # kernels: the environment record names the instruction set
    "run": {"run", "store", "solvers", "features", "kernels", "data"},
    "report": {"report", "store"},
    "papers": {"papers", "report", "store", "run"},
    "speed": {"speed", "run", "store", "solvers", "kernels", "data"},
    "config": {"config", "solvers", "features", "data"},
}
EVERYWHERE = {"errors", "problem", "config", ""}


def sources() -> list[Path]:
    return [path for path in sorted(PACKAGE.rglob("*.p*")) if path.suffix in (".py", ".pyx", ".pxd")]


def imported(path: Path) -> set[str]:
    """Return the top-level rooms of svmbench that a file imports; '' is the package itself."""
    rooms = set()
    for module, names in IMPORT.findall(path.read_text()):
        parts = module.split(".")
        if len(parts) > 1:
            rooms.add(parts[1])
        else:
            rooms.update(name.split(" as ")[0].strip(" ()") for name in names.split(",") if "__" not in name)
    return rooms


def test_the_guard_sees_imports():
    assert imported(PACKAGE / "kernels" / "_oracle.pyx") == {"kernels"}
    assert "problem" in imported(PACKAGE / "solvers" / "base.py")


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if room not in ALLOWED:
        return  # the top level: errors, problem, and the command line, which may use everything
    wrong = imported(path) - ALLOWED[room] - EVERYWHERE
    assert not wrong, f"{path.name} in {room}/ must not import {', '.join(sorted(wrong))}"


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_solvers_see_no_clock(path):
    if path.relative_to(PACKAGE).parts[0] == "solvers":
        assert not re.search(
            r"^\s*(?:from|import|cimport)\s+(?:time|datetime|logging)\b", path.read_text(), re.M
        )


def test_help_imports_nothing_heavy():
    program = (
        "import sys; from svmbench.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'scipy', 'hydra', 'omegaconf', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")
