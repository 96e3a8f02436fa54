from dataclasses import replace

import numpy as np
import pytest

from svmbench.data import Dataset
from svmbench.data.dataset import Part
from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.runner.observe import Observer, mistakes
from svmbench.solvers.base import KernelExpansion, LinearModel, Snapshot
from tests.kernels.reference import kernel_matrix

from .fakes import two_clouds

GAUSSIAN = {"name": "gaussian", "gamma": 0.3}


def drawn():
    """Two clouds, their problem, and coefficients of a third of the examples."""
    data = two_clouds()
    y = data.train.y
    alpha = np.random.default_rng(1).uniform(0, 2, y.size) * (np.arange(y.size) % 3 == 0)
    return data, Problem.build(y, C=2.0), alpha


@pytest.fixture
def setting():
    data, problem, alpha = drawn()
    return data, problem, Oracle(data.train.X, GAUSSIAN, 1 << 20), alpha


def expected(data, problem, alpha, bias):
    y = problem.y
    f = kernel_matrix(data.train.X, data.train.X, GAUSSIAN) @ (alpha * y)
    norm2 = float(alpha * y @ f)
    loss = np.maximum(0, 1 - y * (f + bias)).mean()
    wrong = {
        name: (part.y * (kernel_matrix(part.X, data.train.X, GAUSSIAN) @ (alpha * y) + bias) <= 0)
        for name, part in (("train", data.train), ("validation", data.validation), ("test", data.test))
    }
    return {
        "support_vectors": np.count_nonzero(alpha),
        "train_error": wrong["train"].mean(),
        "validation_error": wrong["validation"].mean(),
        "test_error": wrong["test"].mean(),
        "test_mistakes": wrong["test"].sum(),
        "norm": np.sqrt(norm2),
        "mean_hinge": loss,
        "primal_objective": problem.lam / 2 * norm2 + loss,
        "dual_objective": problem.lam * (alpha.sum() - norm2 / 2),
    }


@pytest.mark.parametrize("bias", [0.0, 0.4])
@pytest.mark.parametrize("maintained", [True, False])
def test_every_number_is_that_of_the_formula(setting, bias, maintained):
    data, problem, oracle, alpha = setting
    y = problem.y
    model = KernelExpansion.from_alpha(alpha, y, bias)
    K = kernel_matrix(data.train.X, data.train.X, GAUSSIAN)
    responses = y * (K @ (alpha * y)) if maintained else None
    row = Observer(problem, oracle, data)(Snapshot(model, responses, alpha, {"native_objective": 0.5}))
    for name, value in expected(data, problem, alpha, bias).items():
        assert row[name] == pytest.approx(value, rel=1e-5), name
    assert row["duality_gap"] == row["primal_objective"] - row["dual_objective"]
    assert row["relative_gap"] == row["duality_gap"] / row["primal_objective"]
    assert row["dual_source"] == "solver" and row["native_objective"] == 0.5 and "native_bound" not in row


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"model": KernelExpansion(np.array([0, 10**9]), np.ones(2))},
            "a coefficient of example 1000000000 of",
        ),
        ({"model": KernelExpansion(np.array([-1]), np.ones(1))}, "a coefficient of example -1 of"),
        ({"alpha": np.zeros(3)}, r"alpha of the snapshot has the shape \(3,\), not"),
        ({"responses": np.zeros((2, 2))}, r"responses of the snapshot has the shape \(2, 2\), not"),
    ],
)
def test_an_answer_that_does_not_fit_the_examples_is_an_error(change, message):
    X, y = np.eye(5, dtype=np.float32), np.array([1.0, -1.0, 1.0, 1.0, -1.0])
    problem, oracle = Problem.build(y, C=1.0), Oracle(X, {"name": "gaussian", "gamma": 1.0})
    observer = Observer(problem, oracle, Dataset("", Part(X, y), None, None, "", {}))
    good = Snapshot(KernelExpansion.from_alpha(np.ones(5), y), np.ones(5), np.ones(5))
    assert observer(good)["precision"] == "float64"
    with pytest.raises(ValueError, match=message):
        observer(replace(good, **change))


def test_looking_is_counted_apart(setting):
    data, problem, oracle, alpha = setting
    Observer(problem, oracle, data)(Snapshot(KernelExpansion.from_alpha(alpha, problem.y)))
    counts = oracle.ledger.as_dict()
    vectors = np.count_nonzero(alpha)
    assert counts.pop("kev_observation") == vectors * problem.n
    assert counts.pop("kev_prediction") == vectors * (data.test.n + data.validation.n)
    assert set(counts.values()) == {0}


def linear_setting():
    data, problem, alpha = drawn()
    w = data.train.X.astype(float).T @ (alpha * problem.y)
    return data, problem, LinearData(data.train.X), alpha, w


@pytest.mark.parametrize("bias", [0.0, 0.4])
def test_a_linear_model_is_observed_by_the_same_formulas(bias):
    data, problem, examples, alpha, w = linear_setting()
    row = Observer(problem, examples, data)(Snapshot(LinearModel(w, bias), alpha=alpha))
    loss = np.maximum(0, 1 - data.train.y * (data.train.X @ w + bias)).mean()
    assert row["primal_objective"] == pytest.approx(problem.lam / 2 * (w @ w) + loss)
    assert row["dual_objective"] == pytest.approx(problem.lam * (alpha.sum() - w @ w / 2))
    assert row["norm"] == pytest.approx(np.linalg.norm(w)) and row["mean_hinge"] == pytest.approx(loss)
    assert row["support_vectors"] == np.count_nonzero(alpha)
    for name, part in (("train", data.train), ("validation", data.validation), ("test", data.test)):
        assert row[f"{name}_error"] == (part.y * (part.X @ w + bias) <= 0).mean()
    # The training rows twice: the weights of the dual point are made from it.
    assert examples.observed == 2 * data.train.n + data.validation.n + data.test.n
    assert examples.ledger.inner_products == 0


def test_without_a_dual_point_the_support_vectors_of_a_linear_model_are_unknown():
    data, problem, examples, _, w = linear_setting()
    row = Observer(problem, examples, data)(Snapshot(LinearModel(w)))
    assert row["support_vectors"] is None and "dual_objective" not in row


def test_the_squared_loss_has_objectives_of_its_own():
    data, problem, examples, alpha, w = linear_setting()
    snapshot = Snapshot(LinearModel(w), alpha=alpha, loss="squared_hinge")
    row = Observer(problem, examples, data, bound=0.01)(snapshot)
    slack = np.maximum(0, 1 - data.train.y * (data.train.X @ w))
    assert row["native_objective"] == pytest.approx(problem.lam / 2 * (w @ w) + (slack**2).mean())
    assert row["native_bound"] == pytest.approx(
        problem.lam * (alpha.sum() - w @ w / 2 - (alpha**2).sum() / (4 * problem.C))
    )
    # Its dual point is none of the hinge problem, whose objective is reported beside.
    assert row["primal_objective"] == pytest.approx(problem.lam / 2 * (w @ w) + slack.mean())
    assert (row["dual_objective"], row["dual_source"]) == (0.01, "optimum")


def test_a_stored_bound_stands_in_for_a_missing_dual(setting):
    data, problem, oracle, alpha = setting
    snapshot = Snapshot(KernelExpansion.from_alpha(alpha, problem.y))
    observe = Observer(problem, oracle, data, bound=0.01)
    row = observe(snapshot)
    assert (row["dual_objective"], row["dual_source"]) == (0.01, "optimum")
    assert row["duality_gap"] == row["primal_objective"] - 0.01
    assert observe(replace(snapshot, alpha=alpha))["dual_source"] == "solver"
    without = Observer(problem, oracle, data)(snapshot)
    assert not {"dual_objective", "dual_source", "duality_gap"} & set(without)


def test_a_bound_without_a_dual_point_is_the_solvers_too():
    data, problem, examples, _, w = linear_setting()
    row = Observer(problem, examples, data, bound=0.01)(Snapshot(LinearModel(w), dual=0.02))
    assert (row["dual_objective"], row["dual_source"]) == (0.02, "solver")
    assert row["duality_gap"] == row["primal_objective"] - 0.02


def test_with_a_bias_only_balanced_coefficients_are_a_dual_point(setting):
    data, problem, oracle, alpha = setting
    y = problem.y
    biased = Problem.build(y, C=2.0, bias="unregularised")
    observer = Observer(biased, oracle, data, bound=0.01)
    unbalanced = Snapshot(KernelExpansion.from_alpha(alpha, y), alpha=alpha)
    assert observer(unbalanced)["dual_source"] == "optimum"
    level = alpha * np.where(y > 0, 1.0, alpha[y > 0].sum() / alpha[y < 0].sum())
    row = observer(Snapshot(KernelExpansion.from_alpha(level, y, 0.2), alpha=level))
    assert row["dual_source"] == "solver"
    assert row["dual_objective"] == pytest.approx(expected(data, problem, level, 0.2)["dual_objective"])


def test_the_empty_model_names_no_class_and_has_no_errors(setting):
    data, problem, oracle, _ = setting
    observer = Observer(problem, oracle, data)
    row = observer(Snapshot(KernelExpansion.from_alpha(np.zeros(problem.n), problem.y)))
    assert not {"train_error", "test_error", "test_mistakes", "validation_error"} & set(row)
    assert observer.wrong_tests is None
    assert row["primal_objective"] == 1.0 and row["norm"] == 0.0 and row["support_vectors"] == 0


def test_without_a_test_set_its_errors_are_unknown(setting):
    data, problem, oracle, alpha = setting
    bare = Dataset(data.name, data.train, None, None, data.checksum, {})
    row = Observer(problem, oracle, bare)(Snapshot(KernelExpansion.from_alpha(alpha, problem.y)))
    assert not {"test_error", "test_mistakes", "validation_error"} & set(row)


def test_zero_and_nan_are_mistakes():
    scores, y = np.array([1.0, -1.0, 0.0, np.nan, -2.0]), np.array([1.0, 1.0, 1.0, 1.0, -1.0])
    assert mistakes(scores, y) == 3


def test_a_model_outside_of_the_kernels_space_has_no_bound(setting):
    data, problem, oracle, alpha = setting
    model = KernelExpansion.from_alpha(alpha, problem.y)
    observe = Observer(problem, oracle, data, bound=1e-3)
    assert observe(Snapshot(model))["dual_objective"] == 1e-3
    assert "dual_objective" not in observe(Snapshot(model, inside=False))
