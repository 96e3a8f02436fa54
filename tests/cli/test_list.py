"""`svmbench list`: columns, filters and order."""

from __future__ import annotations

import csv
import json

import pytest

from svmbench.cli.main import main
from tests.report.stored import stored_run


@pytest.fixture
def results(here):
    for seed, (C, error) in enumerate([(1.0, 20), (10.0, 12), (100.0, 30)]):
        config = {
            "problem": {"lam": None, "C": C, "bias": "none"},
            "budget": {"name": "quick", "counter": "kev_ondemand", "kev": 1e9, "memory": 64},
        }
        stored_run(here / "results", seed=seed, costs=[100], errors=[error], config=config)
    return here / "results"


def printed(capsys, *arguments: str) -> list[list[str]]:
    assert main(["list", "--csv", *arguments]) == 0
    return list(csv.reader(capsys.readouterr().out.splitlines()))


def test_by_default_what_differs_is_shown(results, capsys):
    header, *rows = printed(capsys)
    assert header[:4] == ["run", "status", "problem.C", "seed"]
    assert [row[2] for row in rows] == ["1.0", "10.0", "100.0"]
    assert main(["list"]) == 0
    assert "problem.C" in capsys.readouterr().out


def test_columns_filter_order_and_number_are_chosen(results, capsys):
    chosen = ["--columns", "seed,problem.C"]
    order = [*chosen, "--sort", "test_error"]
    assert printed(capsys, *order, "--best", "2")[1:] == [["1", "10.0"], ["0", "1.0"]]
    assert printed(capsys, *order, "--reverse", "--best", "1")[1:] == [["2", "100.0"]]
    assert printed(capsys, *chosen, "--reverse")[1:] == printed(capsys, *chosen)[:0:-1]
    assert printed(capsys, *chosen, "--where", "problem.C=1e1")[1:] == [["1", "10.0"]]
    assert printed(capsys, *chosen, "--where", "solver=smo")[1:] == []
    assert main(["list", "--json", "--where", "seed=2"]) == 0
    assert [run["seed"] for run in json.loads(capsys.readouterr().out)] == [2]


def test_a_column_of_numbers_and_text_is_sorted(results, capsys):
    for nu in ("auto", 10.0, 9.0):
        stored_run(results, config={"solver": {"name": "sbp", "nu": nu}})
    order = ["--columns", "solver.nu", "--where", "test_error=null", "--sort", "solver.nu"]
    values = [["9.0"], ["10.0"], ["auto"]]
    assert printed(capsys, *order)[1:] == values
    assert printed(capsys, *order, "--reverse")[1:] == values[::-1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--columns", "test_eror"], "no run has a column 'test_eror'; did you mean 'test_error'?"),
        (["--where", "seed"], "--where seed is not of the form KEY=VALUE"),
        (["--sort", "C"], "no run has a column 'C'"),
    ],
)
def test_mistakes_are_told(results, arguments, sentence, capsys):
    assert main(["list", *arguments]) == 2
    assert sentence in capsys.readouterr().err
