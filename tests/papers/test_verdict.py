"""A figure judged from a store that holds nothing, some or all of its runs; nothing here needs a data set."""

import dataclasses
import json
import re

import numpy as np
import pytest

from svmbench.errors import UserError
from svmbench.papers import commands
from svmbench.papers import paper as papers
from svmbench.papers.paper import load
from svmbench.store import Store
from svmbench.store.identity import identity

from ..report.stored import OPTIMUM, store_optimum

COSTS = np.round(10.0 ** (np.arange(25, 46) / 5))
ROWS = 3000  # and so an epoch of 9e6 evaluations

#: Errors for which all three claims hold; in percent above the optimum's 10.
ERRORS = {
    "sbp": 3e6 / COSTS,
    "pegasos": 3e7 / COSTS,
    "sdca": 3e7 / COSTS,
    "smo": np.where(COSTS < 1e8, 20.0, 0.0),
    "perceptron": np.where(COSTS < 1.2e7, 3e6 / COSTS, np.where(COSTS < 1e8, 5.0, 8.0)),
}


def fill(root, errors=ERRORS, solvers=tuple(ERRORS)):
    """Store every run of Figure 2 as if it had gone like this."""
    store_optimum(root)
    for run in load("sbp-f2").runs():
        if run.solver not in solvers:
            continue
        manifest = {"config": run.config, "dataset": {"rows": {"train": ROWS}}, "optimum": OPTIMUM}
        writer = Store(root).begin(identity(run.config, "checksum", 1), manifest)
        for cost, excess in zip(COSTS, errors[run.solver], strict=True):
            counts = dict.fromkeys(("kev_ondemand", "kev_rowupdate", "kev_iter"), cost)
            error = (10.0 + excess + 0.001 * run.seed) / 100.0
            writer.checkpoint({**counts, "iterations": np.ceil(cost / ROWS), "test_error": error})
        writer.finish("converged" if run.solver == "smo" else "budget", "test")


@pytest.fixture(autouse=True)
def without_syncing(monkeypatch):
    """Waiting for the disk after each of thousands of checkpoints would take most of the time."""
    monkeypatch.setattr("os.fsync", lambda descriptor: None)


@pytest.fixture
def verdict(tmp_path, capsys):
    """Judge what is stored: the page and the document."""

    def judge():
        assert commands.verdict("sbp-f2", str(tmp_path)) == 0
        page = capsys.readouterr().out
        folder = tmp_path / "figures" / "sbp-f2"
        assert (folder / "verdict.md").read_text() == page
        return page, json.loads((folder / "verdict.json").read_text())

    return judge


def verdicts(document):
    return [claim["verdicts"] for claim in document["claims"]]


def every(word):
    return dict.fromkeys(("kev_ondemand", "kev_rowupdate", "kev_iter"), word)


def test_nothing_stored_is_not_attempted(verdict):
    page, document = verdict()
    assert verdicts(document) == [every("not attempted")] * 3
    assert "0 of 63 runs are stored" in page and page.count("    svmbench run solver=") == 63
    assert not re.search(r"reproduced|deviates", page.split("## Verdict")[1].split("## Beside")[0])
    assert all(row["stored"] is None for row in document["anchors"])


def test_curves_as_claimed_are_reproduced(tmp_path, verdict):
    fill(tmp_path)
    page, document = verdict()
    assert verdicts(document) == [every("reproduced")] * 3
    assert "63 of 63 runs are stored.\n" in page and "not attempted" not in page
    for claim in document["claims"]:
        for part in claim["parts"]:
            assert part["definition"] in page
            assert all(f"**{f['verdict']}**: {f['text']}" in page for f in part["findings"])


@pytest.mark.parametrize(
    ("changed", "claim"),
    [({"pegasos": 1e5 / COSTS}, 0), ({"smo": 1e6 / COSTS}, 1), ({"perceptron": 3e6 / COSTS}, 2)],
)
def test_curves_against_a_claim_deviate(tmp_path, verdict, changed, claim):
    fill(tmp_path, ERRORS | changed)
    _, document = verdict()
    expected = [every("reproduced")] * 3
    expected[claim] = every("deviates")
    assert verdicts(document) == expected


def test_one_missing_solver_leaves_the_other_claims(tmp_path, verdict):
    fill(tmp_path, solvers=[name for name in ERRORS if name != "perceptron"])
    page, document = verdict()
    assert verdicts(document) == [every("reproduced"), every("reproduced"), every("not attempted")]
    assert "perceptron: 0 of 5 runs" in page


def test_the_known_numbers_stand_beside_the_stored_ones(tmp_path, verdict):
    fill(tmp_path)
    page, document = verdict()
    wanted = {"data set": "mnist", "solver": "smo", "evaluations": 64e6}
    row = next(row for row in document["anchors"] if wanted.items() <= row.items())
    assert row["stored"] == pytest.approx([30.0]) and row["deviation"] == pytest.approx(30.0 - 0.92)
    assert row["overlap"] == "no" and " +29.08 |" in page
    inside = next(r for r in document["anchors"] if r["solver"] == "perceptron" and r["known"] == "18 to 27")
    assert inside["deviation"] == 0.0 and inside["overlap"] == "yes"
    optimum = next(r for r in document["optima"] if r["data set"] == "adult")
    assert (optimum["objective"], optimum["known"], optimum["test errors"]) == ("0.300000", "0.329418", 5)


def test_figures_are_drawn_for_every_convention_and_name_what_is_missing(tmp_path, capsys):
    fill(tmp_path, solvers=("sbp", "smo"))
    capsys.readouterr()
    assert commands.draw("sbp-f2", str(tmp_path)) == 0
    out, err = capsys.readouterr()
    names = sorted(path.name for path in (tmp_path / "figures" / "sbp-f2").iterdir())
    assert names == sorted(
        f"sbp-f2-{counter}.{kind}"
        for counter in ("kev_ondemand", "kev_rowupdate", "kev_iter")
        for kind in ("png", "svg", "pdf", "txt")
    )
    assert len(out.split()) == 12
    assert "45 are missing" in err and err.count("svmbench run solver=pegasos") == 15
    caption = (tmp_path / "figures" / "sbp-f2" / "sbp-f2-kev_iter.txt").read_text()
    assert "svmbench run solver=sdca" in caption.split("Runs left out:")[1]


def test_nothing_is_drawn_from_nothing(tmp_path):
    with pytest.raises(UserError, match="none of the 63 runs of sbp-f2 is stored"):
        commands.draw("sbp-f2", str(tmp_path))
    assert not (tmp_path / "figures").exists()


def test_kept_runs_are_enough_for_the_same_verdict_and_figure(tmp_path, verdict, capsys, monkeypatch):
    one = dataclasses.replace(load("sbp-f2"), counters=("kev_iter",))  # drawing takes long
    fill(tmp_path)
    monkeypatch.setattr(papers, "load", lambda paper_id: one)
    first, _ = verdict()
    commands.draw("sbp-f2", str(tmp_path))
    figure = tmp_path / "figures" / "sbp-f2" / "sbp-f2-kev_iter.svg"
    drawn = figure.read_bytes()
    assert commands.keep("sbp-f2", str(tmp_path)) == 0
    for folder in ("runs", "optima"):
        (tmp_path / folder).rename(tmp_path / f"away-{folder}")
    capsys.readouterr()
    again, _ = verdict()
    assert again == first
    commands.draw("sbp-f2", str(tmp_path))
    assert figure.read_bytes() == drawn


def test_an_incomplete_figure_is_not_kept(tmp_path, capsys):
    fill(tmp_path, solvers=("smo",))
    with pytest.raises(UserError, match="3 of 63 runs are stored; nothing is kept until all are"):
        commands.keep("sbp-f2", str(tmp_path))
    assert "60 are missing" in capsys.readouterr().err
    assert not (tmp_path / "reference").exists()


def test_the_plan_lists_every_run(tmp_path, capsys):
    fill(tmp_path, solvers=("smo",))
    capsys.readouterr()
    assert commands.plan("sbp-f2", str(tmp_path)) == 0
    out = capsys.readouterr().out
    assert len(re.findall(r"^\| (?:reuters|adult|mnist)", out, re.M)) == 63
    assert len(re.findall(r"\| stored +\| smo-", out)) == 3
    assert "svmbench run solver=sbp kernel=gaussian" in out and f"results={tmp_path}" in out
