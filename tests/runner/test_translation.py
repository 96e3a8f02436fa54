"""Examples far from zero: solved about an origin of their own, stored as they were loaded."""

import csv
import math
from dataclasses import replace
from fractions import Fraction
from operator import mul

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.cli.main import main
from svmbench.cli.verify import load
from svmbench.data import Dataset, Part
from svmbench.run_config import Choice, ProblemConfig, RunConfig
from svmbench.runner.translation import _balanced, posed
from svmbench.store import Store, StoredRun
from tests.told import output

#: A problem whose examples may move.
LINEAR = RunConfig(
    Choice("smo_pair"), Choice("made"), Choice("linear"), problem=ProblemConfig(C=1.0, bias="unregularised")
)
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
        (far, replace(LINEAR, problem=ProblemConfig(C=1.0)), "kernel"),
        (far, replace(LINEAR, kernel=Choice("gaussian", {"gamma": 1.0})), "kernel"),
        (far, replace(LINEAR, features=Choice("nystrom")), "kernel"),
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
        output(capsys, ["run", f"solver={solver}", "dataset=file", f"dataset.path={name}.csv", *words])
        assert main(["predict", f"{solver}-{name}", "few", "--scores"]) == 0
        scores.append([float(line) for line in capsys.readouterr().out.splitlines()])
        with (Store("results").find(f"{solver}-{name}").path / "trace.csv").open() as stream:
            last.append(list(csv.DictReader(stream))[-1])
    for column in ("primal_objective", "dual_objective"):
        assert float(last[1][column]) == pytest.approx(float(last[0][column]), rel=1e-5)
    assert 0.0 <= float(last[1]["relative_gap"]) <= 1e-4
    assert last[1]["test_error"] == last[0]["test_error"]
    assert scores[1] == pytest.approx(scores[0], abs=0.02)
    assert output(capsys, ["verify", "--recompute"]).endswith("2 ok\n")


def whole(values: np.ndarray) -> list[Fraction]:
    return [Fraction(float(value)) for value in np.ravel(values)]


def in_rationals(run: StoredRun, X: np.ndarray, y: np.ndarray) -> dict[str, Fraction]:
    """Return objectives and mean hinge loss of a stored linear model, and the sum of its dual point."""
    model, C = run.model(), Fraction(run.config.problem.C)
    rows = [whole(row) for row in X]
    if model.weights is None:
        w = [sum(map(mul, whole(model.coefficients), whole(X[model.indices, j]))) for j in range(X.shape[1])]
    else:
        w = whole(model.weights)
    margins = [Fraction(t) * (sum(map(mul, w, row)) + Fraction(model.bias)) for t, row in zip(y, rows)]
    hinge = sum(max(Fraction(0), 1 - margin) for margin in margins) / len(y)
    made = {"mean_hinge": hinge, "primal_objective": sum(v * v for v in w) / (2 * C * len(y)) + hinge}
    at, values = model.indices, model.coefficients
    if model.dual == "own":
        at, values = model.dual_indices, model.dual_values * y[model.dual_indices]
    if model.dual != "none":
        beta = whole(values)
        v = [sum(map(mul, beta, whole(X[at, j]))) for j in range(X.shape[1])]
        value = (sum(map(abs, beta)) - sum(a * a for a in v) / 2) / (C * len(y))
        made |= {"dual_objective": value, "sum": sum(beta)}
    return made


@pytest.mark.parametrize("solver", ["svm_light", "gpdt", "lasvm", "randsvm", "sbp"])
def test_far_away_and_at_a_large_c_the_stored_model_has_what_is_reported_of_it(
    solver, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(20) < 0.5, 1.0, -1.0)
    np.savetxt("far.csv", np.column_stack([1e7 + rng.integers(-2, 3, (20, 2)), y]), delimiter=",", fmt="%.0f")
    words = ["dataset=file", "dataset.path=far.csv", "kernel=linear", "problem.C=1e5"]
    words += ["problem.bias=unregularised", "budget.iterations=20000"]
    words += ["solver.nu=0.5"] if solver == "sbp" else []
    assert main(["run", f"solver={solver}", *words]) == 0
    run = Store("results").find(solver)
    part, row = load(run, {}).train, run.trace().iloc[-1]
    made = in_rationals(run, part.X, part.y)
    assert made.pop("sum", 0) == 0
    for column, value in made.items():
        near = 1e-7 if column == "dual_objective" else 1e-9  # it allows for the rounding of the sums
        assert row[column] == pytest.approx(float(value), rel=near), column
    if "dual_objective" in made:
        assert row["dual_objective"] <= (1.0 + 1e-9) * float(made["dual_objective"])
    rows = np.column_stack([part.X.astype(float), part.y])
    np.savetxt("same.csv", rows, delimiter=",", fmt="%.0f")
    capsys.readouterr()
    assert main(["predict", run.id, "same.csv", "--scores"]) == 0
    scores = np.array([float(line) for line in capsys.readouterr().out.split()])
    hinge = np.maximum(0.0, 1.0 - part.y * scores).mean()
    assert hinge == pytest.approx(float(made["mean_hinge"]), rel=1e-8)
    assert main(["verify", "--recompute"]) == 0


def test_coefficients_balance_exactly_within_their_box():
    rng = np.random.default_rng(3)
    for _ in range(200):
        C = 10.0 ** rng.uniform(-12.0, 12.0)
        beta = rng.choice([-1.0, 1.0], 9) * rng.choice([C, 0.3 * C, 1e-7 * C], 9) * rng.uniform(0.9, 1.0, 9)
        beta[0] -= float(np.sum(beta))
        beta[0] += C * rng.choice([0.0, 1e-9, 1e-13])
        C = max(C, float(np.abs(beta).max()))
        balanced = _balanced(beta, C)
        assert math.fsum(balanced) == 0.0
        assert np.array_equal(np.sign(balanced), np.sign(beta))
        assert np.abs(balanced).max() <= C
        assert np.abs(balanced - beta).sum() <= 2.0 * abs(math.fsum(beta)) + 1e-16 * C
