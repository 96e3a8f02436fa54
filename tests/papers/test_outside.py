"""The shipped advice outside the comparison is that of the page; `.ci/wheel` asks a wheel for it."""

import json
from pathlib import Path

import pytest

from svmbench.papers.artifact import load
from svmbench.papers.method_costs import OPTIMUM
from tests.told import output

PAGE = Path(__file__).parents[2] / "docs" / "newer-methods.md"
REAL = {"digit", "texts", "covtype"}
PANELS = [
    pytest.param(panel, marks=pytest.mark.real_data if panel.name in REAL else (), id=panel.name)
    for panel in load("outside").runs.panels
]


@pytest.mark.parametrize("panel", PANELS)
def test_the_advice_outside_the_comparison_is_that_of_the_page(panel, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = [word for word in panel.overrides.split() if word.startswith("dataset")]
    given = json.loads(output(capsys, ["advise", *data, "--json"]))
    first = {one["wish"]: one["method"] for one in given["advice"]}
    assert first == {
        OPTIMUM: "Decomposition",
        "a low test error early": "SMO on a random sample",
        "few kernel evaluations": "LASVM",
        "a small model": "BSGD",
        "little memory": "Decomposition",
    }
    assert given["far"] is (panel.name == "separable")
    seconds = next(one["seconds"] for one in given["advice"] if one["wish"] == OPTIMUM)
    row = next(line for line in PAGE.read_text(encoding="utf-8").splitlines() if f"| {panel.title} " in line)
    assert f"({seconds['low']:.3g} to {seconds['high']:.3g})" in row
