"""``problem.weights=balanced`` of every solver that supports it, against scikit-learn."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

import svmbench
from svmbench import data
from svmbench.analysis.costs import problem_of
from svmbench.problem import Problem, class_weights
from svmbench.recompute import numbers
from svmbench.runner.optimum import optimum_key
from svmbench.solvers import registry
from tests.told import output, refusal

WEIGHTED = [name for name in registry.names() if registry.get(name).weighted]
ASKED = ("dataset=file", "dataset.path=mine.csv", "kernel.gamma=0.5", "problem.C=2", "results=runs")
BALANCED = (*ASKED, "problem.weights=balanced", "problem.bias=unregularised")


@pytest.fixture
def mine(tmp_path, monkeypatch) -> Path:
    """A file with one positive example in seven, whose classes overlap."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    y = np.where(np.arange(140) % 7 == 0, 1, -1)
    X = rng.normal(size=(140, 2)).round(3) + 0.8 * y[:, np.newaxis]
    rows = (f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y))
    Path("mine.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


def reference() -> tuple[float, SVC, data.Dataset]:
    """Return the optimum of scikit-learn as an objective of the λ-form, its estimator, and the data."""
    loaded = data.load({"name": "file", "path": "mine.csv"})
    X, y = loaded.train.X, loaded.train.y
    svc = SVC(C=2.0, gamma=0.5, class_weight="balanced", tol=1e-10).fit(X, y)
    beta = np.zeros(y.size)
    beta[svc.support_] = svc.dual_coef_[0]
    scores = rbf_kernel(X, gamma=0.5) @ beta
    share = y.size / (2.0 * np.where(y > 0, np.sum(y > 0), np.sum(y < 0)))
    losses = share * np.maximum(0.0, 1.0 - y * (scores + svc.intercept_[0]))
    return 0.5 * float(beta @ scores) / (2.0 * y.size) + float(losses.mean()), svc, loaded


def test_weights_give_both_classes_the_same_sum():
    y = np.array([1.0, -1.0, -1.0, -1.0, 1.0, -1.0])
    s = class_weights(y)
    assert s.tolist() == [1.5, 0.75, 0.75, 0.75, 1.5, 0.75] and s[y > 0].sum() == s[y < 0].sum()


@pytest.mark.parametrize("name", [name for name in WEIGHTED if "unregularised" in registry.get(name).biases])
def test_the_optimum_is_that_of_scikit_learn(mine, name):
    optimum, svc, loaded = reference()
    run = svmbench.run(f"solver={name}", "solver.eps=1e-8", *BALANCED, quiet=True)
    summary = run.summary()
    assert summary["primal_objective"] == pytest.approx(optimum, rel=1e-6)
    assert 0.0 <= summary["relative_gap"] < 1e-5
    assert summary["dual_objective"] <= optimum * (1.0 + 1e-9)
    wrong = np.count_nonzero(svc.predict(loaded.test.X) != loaded.test.y)
    assert summary["test_mistakes"] == wrong
    assert run.manifest["problem"]["weights"] == "balanced"
    plain = svmbench.run(f"solver={name}", "solver.eps=1e-8", *BALANCED[:-2], BALANCED[-1], quiet=True)
    assert plain.id != run.id and plain.summary()["primal_objective"] < 0.9 * optimum


@pytest.mark.parametrize("name", [name for name in WEIGHTED if registry.get(name).biases == ("none",)])
def test_solvers_without_a_bias_agree_with_decomposition(mine, name):
    words = ("solver.eps=1e-8", *ASKED, "problem.bias=none", "problem.weights=balanced")
    other, run = (
        svmbench.run(f"solver={one}", *words, quiet=True).summary() for one in ("decomposition", name)
    )
    plain = svmbench.run("solver=decomposition", *words[:-1], quiet=True).summary()
    assert run["primal_objective"] == pytest.approx(other["primal_objective"], rel=1e-6)
    assert run["test_mistakes"] == other["test_mistakes"]
    assert 0.0 <= run["relative_gap"] < 1e-5
    assert abs(plain["primal_objective"] - run["primal_objective"]) > 0.01 * plain["primal_objective"]


def test_a_gap_ends_a_weighted_run(mine):
    run = svmbench.run("solver=decomposition", *BALANCED, "budget.gap=0.01", "observe.points=50", quiet=True)
    optimum, _, _ = reference()
    assert run.summary()["relative_gap"] <= 0.01
    assert optimum <= run.summary()["primal_objective"] <= 1.01 * optimum / 0.99


def test_folds_have_weights_of_their_own(mine):
    run = svmbench.run("solver=smo_pair", *BALANCED, "validate.folds=4", quiet=True)
    unweighted = svmbench.run(
        "solver=smo_pair", *ASKED, "problem.bias=unregularised", "validate.folds=4", quiet=True
    )
    assert 0.0 < run.summary()["validation_error"] != unweighted.summary()["validation_error"]


def test_numbers_are_recomputed_and_a_wrong_weight_is_noticed(mine, capsys):
    run = svmbench.run("solver=smo_pair", *BALANCED, quiet=True)
    assert "1 ok" in output(capsys, ["verify", "--recompute", "--results", "runs"])
    terms = {**run.manifest["problem"]}
    loaded = data.load({"name": "file", "path": "mine.csv"})
    right = numbers(run.model(), terms, loaded)
    assert right["primal_objective"] == pytest.approx(run.summary()["primal_objective"], rel=1e-6)
    assert right["duality_gap"] == pytest.approx(run.summary()["duality_gap"], abs=1e-6)
    del terms["weights"]
    wrong = numbers(run.model(), terms, loaded)
    assert wrong["primal_objective"] > 1.1 * right["primal_objective"] and wrong["outside"] > 0.0


@pytest.mark.parametrize("name", ["sbp", "pegasos", "lasvm", "sklearn_svc"])
def test_other_solvers_refuse_in_one_sentence(mine, name, capfd):
    bias = [f"problem.bias={registry.get(name).biases[0]}"]
    told = refusal(capfd, ["run", f"solver={name}", *BALANCED[:-1], *bias, "budget.counter=iterations"])
    assert f"{name} cannot solve with problem.weights=balanced: leave it out, or give another solver" in told
    assert not Path("runs").exists() or not list(Path("runs").glob("runs/*"))


def test_weighted_and_plain_runs_are_two_problems(mine):
    both = [
        svmbench.run("solver=smo_pair", *given, quiet=True) for given in (BALANCED, (*ASKED, BALANCED[-1]))
    ]
    assert problem_of(both[0]) != problem_of(both[1])
    loaded = data.load({"name": "file", "path": "mine.csv"})
    keys = [
        optimum_key(Problem.build(np.array([1.0, -1.0]), C=1.0, weights=weights), loaded, {})
        for weights in (None, np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    ]
    assert "weights" not in keys[0] and len({str(key) for key in keys}) == 3
