"""A solver from another distribution: chosen by name."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.plugin import install

SOLVER = '''
from dataclasses import dataclass, field

from svmbench.solvers.base import Solver


@dataclass(frozen=True)
class Params:
    """Parameters of ``solver=still``."""

    pace: float = field(default=0.5, metadata={"above": 0})


class Still(Solver):
    """Does nothing."""

    name = "still"
    title = "Standing Still"
    citation = "No paper."
    Params = Params

    def start(self, problem, oracle, rng):
        raise NotImplementedError
'''


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A folder that is installed like a distribution with one solver."""
    return install(tmp_path, "standing", SOLVER, "still = standing:Still")


def svmbench(plugin: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "svmbench.cli.main", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, cwd=plugin, env={"PYTHONPATH": str(plugin)}
    )


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("solver.pace=0", "solver.pace=0 is not allowed: give a number above 0"),
        ("solver.pcae=1", "unknown key solver.pcae; did you mean 'solver.pace'? (keys of solver=still: "),
    ],
)
def test_its_parameters_are_checked(plugin, override, sentence):
    done = svmbench(plugin, "run", "solver=still", override)
    assert done.returncode == 2 and done.stderr.startswith(f"svmbench: {sentence}")


def test_it_is_listed_and_completed(plugin):
    listed = svmbench(plugin, "solvers").stdout.splitlines()
    assert any(line.split()[:3] == ["still", "Standing", "Still"] for line in listed)
    assert svmbench(plugin, "__complete", "svmbench run solver=st").stdout == "solver=still\n"
