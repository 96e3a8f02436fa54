"""The user's own features in float64: runs solve, certify and predict the problem of these features."""

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import svmbench
from svmbench import data as datasets
from svmbench.cli.main import main
from svmbench.data.dataset import rounded
from svmbench.figures.plane import Grid
from svmbench.store import Store

FAR = 1e6

#: Checksums of two files, by a version that rounded all features to float32.
EXACT = "74412ad631f51bacde52e30a6144f17d0628b01612efcc8395a68cf8a285fef9"
OLD = "c3fac54e95871dc189bfde3cf1027a8de1c67b4c50f505c1e3b18917f0da306d"


def examples(n: int = 200, offset: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3)) + offset
    return X, np.where(X[:, 0] + 0.5 * rng.standard_normal(n) > offset, 1, -1)


def gap_of(run: Any, X: Any, y: np.ndarray, C: float) -> tuple[float, float]:
    """Return the relative gap of a stored model on features as given, and its primal objective in the λ-form.

    In extended precision, by differences and about the middle of all examples.
    """
    model, rows = run.model(), np.asarray(X.toarray() if sp.issparse(X) else X).astype(np.longdouble)
    moved = rows - rows.mean(axis=0)
    if model.kernel["name"] == "gaussian":
        squared = sum(np.square(column[:, None] - column) for column in moved.T)
        K = np.exp(-np.longdouble(model.kernel["gamma"]) * squared)
    else:
        K = rows @ rows.T
    weights = np.zeros(y.size, dtype=np.longdouble)
    if model.weights is not None:
        weights[model.dual_indices] = model.dual_values * y[model.dual_indices]
        f = rows @ model.weights.astype(np.longdouble)
        norm2 = model.weights.astype(np.longdouble) @ model.weights
    else:
        weights[model.indices] = model.coefficients
        f = K @ weights
        norm2 = weights @ f
    primal = 0.5 * norm2 + C * np.maximum(0.0, 1.0 - y * (f + np.longdouble(model.bias))).sum()
    dual = (y * weights).sum() - 0.5 * (weights @ K @ weights)
    return float((primal - dual) / primal), float(primal / (C * y.size))


@pytest.mark.parametrize(("offset", "C"), [(0.0, 10.0), (10.0, 1e4), (FAR, 10.0), (1e7, 10.0)])
def test_the_gap_of_a_run_is_that_of_the_features_as_given(tmp_path, offset, C):
    X, y = examples(offset=offset)
    run = svmbench.run(
        "solver=decomposition", "solver.eps=1e-6", "kernel.gamma=1", f"problem.C={C}",
        "problem.bias=unregularised", dataset=(X, y), results=str(tmp_path), quiet=True,
    )  # fmt: skip
    train = datasets.load(run.config.dataset.document()).train
    found, primal = gap_of(run, train.X, train.y, C)
    assert train.X.dtype == np.float64
    assert run.summary()["relative_gap"] == pytest.approx(found, rel=1e-6, abs=1e-11)
    assert run.summary()["primal_objective"] == pytest.approx(primal, rel=1e-11)
    assert found < 1e-4


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("solver", ["dcd", "svm_light_linear"])
def test_linear_methods_are_certified_on_the_features_as_given(tmp_path, solver, form):
    X, y = examples()
    given = X if form == "dense" else sp.csr_array(sp.hstack([X, sp.csr_array((len(X), 400))]))
    run = svmbench.run(
        f"solver={solver}", "kernel=linear", "problem.C=100", dataset=(given, y),
        results=str(tmp_path), quiet=True,
    )  # fmt: skip
    train = datasets.load(run.config.dataset.document()).train
    found, primal = gap_of(run, train.X, train.y, 100.0)
    assert run.summary()["primal_objective"] == pytest.approx(primal, rel=1e-12)
    assert run.summary()["relative_gap"] == pytest.approx(found, abs=1e-11)


@pytest.mark.parametrize("solver", ["decomposition", "cpsp", "sbp", "sklearn_svc"])
def test_far_examples_are_predicted_and_recomputed_as_given(tmp_path, capsys, solver):
    """Also the points of a reduced set, which is found about an origin near the examples."""
    X, y = examples(offset=FAR)
    path, results = str(tmp_path / "far.csv"), str(tmp_path / "results")
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    words = ["dataset=file", f"dataset.path={path}", "kernel.gamma=1", "problem.C=10", f"results={results}"]
    if solver in ("cpsp", "sbp"):
        words.append("budget.iterations=20")
    if solver == "sklearn_svc":
        words.append("problem.bias=unregularised")
    assert main(["run", f"solver={solver}", *words]) == 0
    (run,) = Store(results).runs()
    if solver != "sklearn_svc":  # whose checkpoints have a clock each
        assert main(["verify", "--recompute", "--results", results]) == 0
    capsys.readouterr()
    assert main(["predict", "--scores", "--json", "--results", results, run.id, path]) == 0
    scores = np.array(json.loads(capsys.readouterr().out)["scores"])
    model, train = run.model(), datasets.load(run.config.dataset.document()).train
    points = model.points if model.points is not None else train.X[model.indices]
    squared = ((X[:, None] - points) ** 2).sum(axis=2)
    assert scores == pytest.approx(np.exp(-squared) @ model.coefficients + model.bias, abs=1e-9)
    assert np.mean(scores * y > 0.0) > 0.7


def test_a_picture_has_the_regions_of_far_examples(tmp_path):
    """The points of its grid are not rounded to single precision either."""
    X, _ = examples(offset=1e8)
    points = Grid.around(X[:, :2], resolution=50).points
    assert len(np.unique(points[:, 0])) == 50


def test_features_that_single_precision_holds_keep_their_checksum_and_others_have_another(tmp_path):
    X, y = examples()
    for name, values in (("exact", np.round(4.0 * X) / 4.0), ("inexact", X)):
        np.savetxt(tmp_path / f"{name}.csv", np.column_stack([values, y]), delimiter=",", fmt="%.17g")
    exact, inexact = (
        {"name": "file", "path": str(tmp_path / f"{name}.csv")} for name in ("exact", "inexact")
    )
    assert datasets.load(exact).checksum == EXACT
    assert datasets.load(exact).train.X.dtype == np.float32
    for given in (exact, inexact):
        assert datasets.known_checksum(given) == datasets.load(given).checksum
    found = datasets.load(inexact)
    assert found.train.X.dtype == found.test.X.dtype == np.float64
    assert rounded(found).train.X.dtype == np.float32


def test_a_run_of_an_older_version_is_verified_on_rounded_features(tmp_path):
    X, y = examples()
    np.savetxt(tmp_path / "own.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    given = {"name": "file", "path": str(tmp_path / "own.csv")}
    old = datasets.load(given, checksum=OLD)
    assert old.checksum == OLD and old.train.X.dtype == np.float32
    assert datasets.load(given).checksum != OLD


def test_a_run_says_when_single_precision_hardly_tells_examples_apart(tmp_path, capsys):
    X, y = examples()
    wide = np.column_stack([1e6 * np.sign(X[:, :1]) + X[:, :1], X[:, 1:]])
    np.savetxt(tmp_path / "wide.csv", np.column_stack([wide, y]), delimiter=",", fmt="%.17g")
    words = ["dataset=file", f"dataset.path={tmp_path / 'wide.csv'}", "kernel.gamma=1", "problem.C=1"]
    assert main(["run", "solver=decomposition", *words, f"results={tmp_path}"]) == 0
    assert "to single precision changes kernel values by up to" in "".join(capsys.readouterr())


def test_features_maps_read_single_precision_and_verify_knows(tmp_path):
    X, y = examples()
    np.savetxt(tmp_path / "own.csv", np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    words = ["dataset=file", f"dataset.path={tmp_path / 'own.csv'}", "kernel.gamma=1", "problem.C=10"]
    for name, size in (("nystrom", ["features.s=50"]), ("fourier", [])):
        chosen = ["solver=dcd", f"features={name}", *size]
        assert main(["run", *chosen, *words, f"results={tmp_path}"]) == 0
    assert main(["verify", "--recompute", "--results", str(tmp_path)]) == 0
