"""Examples far from zero: solved about an origin of their own, stored as they were loaded."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.cli.main import main
from svmbench.data import Dataset, Part
from svmbench.runner.translation import posed
from svmbench.store import Store

LINEAR = {"kernel": {"name": "linear"}, "problem": {"bias": "unregularised"}}
OFFSET = 1e6


def points(n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    """Return points within 5 of the origin that a line parts nearly; so far away their sums stay exact."""
    rng = np.random.default_rng(0)
    X = np.round(16.0 * rng.uniform(-5.0, 5.0, (n, 4))) / 16.0
    return X, np.where(X @ [1.0, -2.0, 0.5, 1.5] + rng.standard_normal(n) > 0.0, 1.0, -1.0)


def dataset(X: np.ndarray, y: np.ndarray) -> Dataset:
    part = Part(X.astype(np.float32) if isinstance(X, np.ndarray) else X, y)
    return Dataset("made", part, None, Part(part.X[:9], y[:9]), "", {})


def test_only_what_single_precision_cannot_hold_moves():
    X, y = points()
    far = dataset(X + OFFSET, y)
    for data, config, access in (
        (dataset(X, y), LINEAR, "kernel"),
        (dataset(X + 100.0, y), LINEAR, "kernel"),
        (dataset(np.hstack([X, np.ones((len(X), 1))]), y), LINEAR, "kernel"),
        (dataset(np.full_like(X, OFFSET), y), LINEAR, "kernel"),
        (dataset(sp.csr_array((X + OFFSET).astype(np.float32)), y), LINEAR, "kernel"),
        (far, LINEAR | {"problem": {"bias": "none"}}, "kernel"),
        (far, LINEAR | {"kernel": {"name": "gaussian", "gamma": 1.0}}, "kernel"),
        (far, LINEAR | {"features": {"name": "nystrom"}}, "kernel"),
        (far, LINEAR, "linear"),
    ):
        same = posed(data, config, access)
        assert same.data is data and same.origin is None and same.rows(X) is X


def test_moving_is_exact_and_leaves_features_about_zero_alone():
    X, y = points()
    wide = np.hstack([X + OFFSET, 3.0 * X[:, :1]])
    moved = posed(dataset(wide, y), LINEAR, "kernel")
    assert moved.origin is not None and moved.origin[-1] == 0.0
    assert np.array_equal(moved.data.train.X + moved.origin, wide)
    assert np.array_equal(moved.data.test.X, moved.data.train.X[:9])
    assert np.array_equal(moved.rows(wide.astype(np.float32)), moved.data.train.X)


@pytest.mark.parametrize("solver", ["decomposition", "smo_pair", "gpdt", "platt", "lasvm", "chunking"])
def test_a_run_is_that_of_the_points_about_zero_and_its_model_that_of_the_loaded_ones(
    solver, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    X, y = points()
    last, scores = [], []
    for name, offset in (("near", 0.0), ("far", OFFSET)):
        rows = np.column_stack([X + offset, y])
        np.savetxt(f"{name}.csv", rows, delimiter=",", fmt="%.4f")
        np.savetxt("few", rows[:9], delimiter=",", fmt="%.4f")
        words = ["kernel=linear", "problem.C=10", "problem.bias=unregularised", "solver.eps=1e-6"]
        assert main(["run", f"solver={solver}", "dataset=file", f"dataset.path={name}.csv", *words]) == 0
        capsys.readouterr()
        assert main(["predict", f"{solver}-{name}", "few", "--scores"]) == 0
        scores.append([float(line) for line in capsys.readouterr().out.splitlines()])
        with (Store("results").find(f"{solver}-{name}").path / "trace.csv").open() as stream:
            last.append(list(csv.DictReader(stream))[-1])
    for column in ("primal_objective", "dual_objective"):
        assert float(last[1][column]) == pytest.approx(float(last[0][column]), rel=1e-5)
    assert 0.0 <= float(last[1]["relative_gap"]) <= 1e-4
    assert last[1]["test_error"] == last[0]["test_error"]
    assert scores[1] == pytest.approx(scores[0], abs=0.02)
    assert main(["verify", "--recompute"]) == 0
    assert capsys.readouterr().out.endswith("2 ok\n")
