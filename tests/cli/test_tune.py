"""`svmbench tune`: one command from a grid to the command that won."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from svmbench.cli.main import main
from svmbench.store import Store
from tests.cli.conftest import SMALL

GRID = ("problem.C=0.01,1", "kernel.gamma=0.001,1", "validate.folds=2", "--rounds", "1")


def test_the_winner_is_stored_and_its_command_finds_it(here, capfd):
    assert main(["tune", "solver=smo", *SMALL, *GRID]) == 0
    out, error = capfd.readouterr()
    runs = {run.id: run.summary() for run in Store("results").runs()}
    assert len(runs) == 7  # 4 settings, then 3 between the best and its neighbours
    assert "round 2 of 2: " in error
    best = next(line for line in out.splitlines() if line.startswith("best "))
    command = shlex.split(best)[2:]
    assert main(command) == 0
    assert "found, stored before" in capfd.readouterr().out
    asked = ["results", "--heat", "kernel.gamma,problem.C", "--y", "validation_error", "-o", "grid"]
    assert main(["plot", *asked]) == 0
    assert "7 cells" in Path("grid.txt").read_text()
    assert main(["plot", "results", "--y", "validation_error"]) == 2
    assert " and 4 more: its validation_error is of folds, one number and no" in capfd.readouterr().err
    won = min(
        runs.values(),
        key=lambda run: (
            run["validation_error"],
            run["config"]["problem"]["C"],
            run["config"]["kernel"]["gamma"],
        ),
    )
    assert f"problem.C={won['config']['problem']['C']:g}" in command
    assert f"kernel.gamma={won['config']['kernel']['gamma']:g}" in command
    assert main(["tune", "solver=smo", *SMALL, *GRID, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert shlex.split(found["command"])[1:] == command
    assert found["settings"][0]["validation_error"] == won["validation_error"]
    assert len(Store("results").runs()) == 7  # all found


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["problem.C=1", "kernel.gamma=1"], "there is nothing to tune"),
        (["problem.lam=1"], "problem.lam is not tuned"),
        (["seed=1,2"], "seed has several values"),
        (["kernel=linear", "kernel.gamma=1"], "kernel.gamma does not apply to this kernel"),
        (["problem.C=1,x"], "problem.C=x cannot be tuned"),
        (["problem.C=interval(1,2)"], "has no values to list"),
        (["--rounds", "-1"], "--rounds -1 is not allowed"),
        (["solver=dcd"], "combinations are impossible"),
    ],
)
def test_nonsense_is_refused_before_anything_is_made(here, capfd, arguments, sentence):
    assert main(["tune", *SMALL, *arguments]) == 2
    assert sentence in capfd.readouterr().err
    assert not list(here.iterdir())
