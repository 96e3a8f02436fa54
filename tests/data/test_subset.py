"""A random subset of the training examples."""

import json
from dataclasses import replace

import numpy as np
import pytest

from svmbench import config
from svmbench.cli.main import main
from svmbench.data import load
from svmbench.data.subset import sampled, sampled_checksum
from svmbench.errors import UserError
from svmbench.figures.selection import select
from svmbench.store import Store
from tests.told import output

WORDS = ["solver=smo", "dataset.n_train=300", "dataset.n_test=100"]


@pytest.fixture
def board():
    return load({"name": "checkerboard", "n_train": 300, "n_test": 40})


def test_some_training_examples_are_kept_in_their_order(board):
    part = sampled(board, 80, 3)
    at = [int(np.flatnonzero((row == board.train.X).all(axis=1))[0]) for row in part.train.X]
    assert at == sorted(set(at)) and len(at) == 80 and at != list(range(80))
    assert np.array_equal(part.train.y, board.train.y[at])
    assert part.test is board.test
    assert part.info["rows"] == {"train": 80, "test": 40}
    assert part.info["positives"]["train"] == np.count_nonzero(part.train.y > 0)
    assert part.info["subset"] == {"rows": 80, "seed": 3, "of": 300}
    assert board.info["rows"]["train"] == 300  # unchanged


def test_a_smaller_subset_is_a_part_of_a_larger_one(board):
    rows = {size: {tuple(row) for row in sampled(board, size, 1).train.X} for size in (40, 200)}
    other = {tuple(row) for row in sampled(board, 40, 2).train.X}
    assert rows[40] < rows[200] and rows[40] != other


def test_its_checksum_is_its_own(board):
    given = ((80, 0), (80, 1), (81, 0), (300, 0))
    assert len({board.checksum, *(sampled(board, *each).checksum for each in given)}) == 5
    assert sampled(board, 80, 0).checksum == sampled_checksum(board.checksum, 80, 0)


def test_what_cannot_be_drawn_is_refused(board):
    with pytest.raises(UserError, match=r"subset=301 is more than the 300 training examples: give "):
        sampled(board, 301, 0)
    alone = replace(board, train=replace(board.train, y=np.where(np.arange(300) == 0, 1.0, -1.0)))
    with pytest.raises(UserError, match=r"the 2 training examples that seed=0 draws are all of one class"):
        sampled(alone, 2, 0)


def test_a_configuration_names_it_only_where_it_is_used():
    # So that the runs stored before there were any are found.
    assert "subset" not in config.resolve([]).document()
    assert config.resolve(["subset=50"]).document()["subset"] == 50
    assert config.resolve(["subset=50"]).identity()["subset"] == 50
    with pytest.raises(UserError, match=r"subset=1 is not allowed: give a whole number of at least 2"):
        config.resolve(["subset=1"])


def test_runs_on_subsets(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "-m", *WORDS, "subset=50,150", "seed=0,1"]) == 0
    assert main(["run", *WORDS]) == 0
    runs = Store("results").runs()
    assert len({run.id for run in runs}) == 5
    assert [run.manifest["dataset"]["rows"]["train"] for run in runs] == [50, 50, 150, 150, 300]
    for run in runs:  # λ = 1/(C n) is that of the subset
        problem, n = run.manifest["problem"], run.manifest["dataset"]["rows"]["train"]
        assert problem["lam"] == pytest.approx(1.0 / (problem["C"] * n))
    chosen = select(runs, "kev_ondemand", "test_error")
    assert sorted(len(curve.steps) for panel in chosen.panels for curve in panel.curves) == [1, 2, 2]
    assert chosen.left_out == []
    assert output(capsys, ["verify", "--recompute"]).endswith("5 ok\n")
    assert main(["run", "-m", *WORDS, "subset=50,150", "seed=0,1"]) == 0
    assert "skipped, stored before" in "".join(capsys.readouterr()) and len(Store("results").runs()) == 5


def test_predictions_use_the_points_of_the_subset(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    lines = [
        f"{1 if row.sum() > 0 else -1} " + " ".join(f"{j + 1}:{v:.6f}" for j, v in enumerate(row))
        for row in X
    ]
    (tmp_path / "mine").write_text("\n".join(lines) + "\n")
    about = ["dataset=file", "dataset.path=mine", "kernel.gamma=0.3", "problem.C=10"]
    assert main(["run", "solver=smo", *about, "subset=40"]) == 0
    labels = json.loads(output(capsys, ["predict", "smo", "mine", "--json"]))["labels"]
    assert np.mean(np.array(labels) == np.where(X.sum(axis=1) > 0, 1, -1)) > 0.85
