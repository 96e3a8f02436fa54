"""Numbers of examples far from zero or from each other, where squares, products and sums cancel."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.cli.main import main
from svmbench.data.dataset import Dataset, Part
from svmbench.kernels._oracle import Oracle
from svmbench.recompute import compare, numbers, scores, unknown
from svmbench.store.model import StoredModel

GAUSSIAN = {"name": "gaussian", "gamma": 1.0}
LINEAR = {"name": "linear"}
CUBIC = {"name": "polynomial", "gamma": 0.5, "coef0": 1.0, "degree": 3}


def blobs(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return examples, shape (40, 3), and labels."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    X = rng.normal(size=(40, 3)) + 0.6 * y[:, None]
    if kind == "one far":
        X[7, 1] = 1e30
    elif kind == "some far":
        X[:5, 1] = 1e15
    elif kind == "column":
        X[:, 1] = 1e30 * rng.choice([1.0, 1.001], 40)
    elif kind == "offset":
        X = 1e6 + 5.0 * X
    elif kind == "at zero":
        X = 2.0 + np.abs(np.round(X))
        X[3] = 0.0
    return X.astype(np.float32), y


def model(kernel: dict, y: np.ndarray, coefficients: np.ndarray | None = None) -> StoredModel:
    """Return an expansion over all examples."""
    if coefficients is None:
        coefficients = y * np.random.default_rng(1).uniform(0.1, 3.0, y.size)
    fields = {"kernel": kernel, "bias": 0.25, "iterations": 1, "checksum": "", "dual": "coefficients"}
    return StoredModel(**fields, indices=np.arange(y.size), coefficients=coefficients)


def exact(X: np.ndarray, weights: np.ndarray, kernel: dict) -> np.ndarray:
    """Return the scores without bias in exact arithmetic, the Gaussian value from an exact distance."""
    rows = [[Fraction(float(value)) for value in row] for row in X]

    def value(p: list, q: list) -> Fraction:
        if kernel["name"] == "gaussian":
            squared = sum((a - b) ** 2 for a, b in zip(p, q, strict=True))
            return Fraction(float(np.exp(-kernel["gamma"] * float(squared))))
        product = sum(a * b for a, b in zip(p, q, strict=True))
        if kernel["name"] == "linear":
            return product
        return (Fraction(kernel["gamma"]) * product + Fraction(kernel["coef0"])) ** kernel["degree"]

    whole = [Fraction(float(weight)) for weight in weights]
    return np.array([float(sum(b * value(p, x) for b, p in zip(whole, rows, strict=True))) for x in rows])


@pytest.mark.parametrize("gamma", [1.0, 1e-60, 1e30])
@pytest.mark.parametrize("kind", ["one far", "some far", "column", "offset"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_gaussian_values_are_those_of_distances(form, kind, gamma):
    X, y = blobs(kind)
    given = model(GAUSSIAN | {"gamma": gamma}, y)
    made = scores(given, form(X), form(X))
    np.testing.assert_allclose(made, exact(X, given.coefficients, given.kernel), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["some far", "offset"])
def test_linear_scores_of_both_programs_keep_what_single_examples_far_away_leave(kind):
    # A far example with a small coefficient: subtracting the mean of all would swallow the others.
    X, y = blobs(kind)
    coefficients = np.where(np.abs(X).max(axis=1) > 1e10, 1e-13, 1.0) * y
    coefficients[-1] -= coefficients.sum()
    given = model(LINEAR, y, coefficients)
    true = exact(X, coefficients, LINEAR)
    oracle = Oracle(X, LINEAR)
    for made in (scores(given, X, X), oracle.exact_responses(np.arange(40), coefficients)):
        np.testing.assert_allclose(made, true, rtol=1e-9, atol=1e-9 * np.abs(true).max())


@pytest.mark.parametrize("layout", ["dense", "bytes"])
def test_a_large_coefficient_of_an_example_at_zero_swallows_no_other(layout):
    # Without bias, the coefficient of an example at zero goes to C.
    X, y = blobs("at zero")
    coefficients = model(LINEAR, y).coefficients
    coefficients[3] = 1e22
    given = model(LINEAR, y, coefficients)
    true = exact(X, coefficients, LINEAR)
    oracle = Oracle(X, LINEAR, layout=layout)
    for made in (scores(given, X, X), oracle.exact_responses(np.arange(40), coefficients)):
        assert made[3] == 0.0
        np.testing.assert_allclose(made, true, rtol=1e-12, atol=1e-12 * np.abs(true).max())
    made = numbers(
        given, {"lam": 1e-23, "C": 1e22, "bias": "none"}, Dataset("", Part(X, y), None, None, "", {})
    )
    assert made["norm"] == pytest.approx(math.sqrt(coefficients @ true), rel=1e-12)


@pytest.mark.parametrize("kernel", [LINEAR, CUBIC], ids=["linear", "cubic"])
@pytest.mark.parametrize("kind", ["one far", "some far", "offset"])
def test_rounding_bounds_what_double_precision_loses(kind, kernel):
    X, y = blobs(kind)
    given = model(kernel, y)
    data = Dataset("far", Part(X, y), None, None, "", {})
    problem = {"lam": 1.0 / 400.0, "C": 10.0, "bias": "none"}
    made = numbers(given, problem, data)
    true = exact(X, given.coefficients, kernel)
    norm2 = float(given.coefficients @ true)
    loss = float(np.mean(np.maximum(0.0, 1.0 - y * (true + given.bias))))
    primal = 0.5 * problem["lam"] * norm2 + loss
    assert abs(made["primal_objective"] - primal) <= made["rounding_primal_objective"] + 1e-12 * primal
    assert abs(made["mean_hinge"] - loss) <= made["rounding_mean_hinge"] + 1e-12 * loss


def test_a_number_that_rounding_cannot_explain_differs_all_the_same():
    X, y = blobs("plain")
    data = Dataset("near", Part(X, y), None, None, "", {})
    made = numbers(model(LINEAR, y), {"lam": 1.0 / 400.0, "C": 10.0, "bias": "none"}, data)
    row = {"primal_objective": made["primal_objective"] * (1.0 + 3e-6)}
    wrong, _, _, vague = compare(row, made)
    assert len(wrong) == 1 and vague == []


def test_a_sign_that_double_precision_leaves_open_is_not_known():
    X, y = blobs("plain")
    test = Part(X[:4], y[:4])
    data = Dataset("near", Part(X, y), None, test, "", {})
    coefficients = 1e4 * y
    margins = y[:4] * scores(model(GAUSSIAN, y, coefficients), X, test.X)
    doubt = 2e-11 * np.abs(coefficients).sum()
    for place, unsure in ((0.5 * doubt, 1.0), (2.0 * doubt, 0.0)):
        given = model(GAUSSIAN, y, coefficients)
        given = replace(given, bias=float(y[0] * (place - margins[0])))
        made = numbers(given, {"lam": 1.0 / 400.0, "C": 1e5, "bias": "none"}, data)
        assert made["unsure_test"] == unsure
        wrong, *_ = compare({"test_mistakes": made["test_mistakes"] + 1.0}, made)
        assert len(wrong) == 1 - unsure
        assert unknown({"test_error": 0.0}, made) == (["test_error (1)"] if unsure else [])


def test_numbers_that_double_precision_does_not_know_are_named():
    X, y = blobs("offset")
    data = Dataset("far", Part(X, y), None, None, "", {})
    made = numbers(model(CUBIC, y), {"lam": 1.0 / 400.0, "C": 10.0, "bias": "none"}, data)
    row = {name: made[name] for name in ("primal_objective", "norm")}
    made["rounding_primal_objective"] = 1e-5 * made["primal_objective"]
    wrong, _, _, vague = compare(row, made)
    assert wrong == [] and vague == ["primal_objective"]


def test_rows_beyond_single_precision_are_scored_in_double():
    X, y = blobs("plain")
    far = np.array([[0.5, 1e30, -0.25], [0.5, 0.25, 1.0]], dtype=np.float32)
    given = model(CUBIC, y)
    made = Oracle(X, CUBIC).decision_function(given.indices, given.coefficients, given.bias, far)
    both = np.vstack([X, far])
    weights = np.append(given.coefficients, [0.0, 0.0])
    np.testing.assert_allclose(made, exact(both, weights, CUBIC)[-2:] + given.bias, rtol=1e-5)


def test_the_values_in_double_precision_keep_examples_beside_one_far_away():
    X, y = blobs("one far")
    values = Oracle(X, GAUSSIAN).exact_values(X)
    weights = model(GAUSSIAN, y).coefficients
    np.testing.assert_allclose(values @ weights, exact(X, weights, GAUSSIAN), rtol=1e-9, atol=1e-12)


def test_the_dual_point_of_an_honest_run_far_from_zero_is_no_difference(tmp_path, capsys):
    """Its weights, summed about zero, would differ from those about the middle of the examples."""
    rng = np.random.default_rng(1)
    steps = rng.integers(0, 60, 100)
    y = np.where(steps + rng.normal(0.0, 12.0, 100) > 30.0, 1, -1)
    near = rng.normal(size=100).round(6)
    rows = (f"{2**44 + int(k)},{x},{label}" for k, x, label in zip(steps, near, y, strict=True))
    (tmp_path / "far.csv").write_text("\n".join(rows) + "\n")
    words = [
        "dataset=file",
        f"dataset.path={tmp_path / 'far.csv'}",
        "dataset.test_fraction=0.3",
        "problem.C=1",
    ]
    words += ["solver=smo_pair", "kernel=linear", "problem.bias=unregularised", "budget.iterations=5000"]
    assert main(["run", *words, f"results={tmp_path / 'results'}"]) == 0
    assert main(["verify", "--recompute", "--results", str(tmp_path / "results")]) == 0, (
        capsys.readouterr().out
    )
