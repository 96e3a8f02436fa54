"""Several values of C at once: each answer is that of a fit alone."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from svmbench.sklearn import KernelSVC, _kernel_machine, _together, _training

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(150, 6))
TWO = np.where(X[:, 0] * X[:, 1] + 0.3 * RANDOM.normal(size=150) > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + 0.5 * RANDOM.normal(size=150), [-0.5, 0.5])
VALUES = [100.0, 0.01, 1.0, 1e4]


def objective(one, rows, labels):
    """Return the primal objective of a binary classifier by its attributes."""
    values = one.decision_function(rows)
    signs = np.where(labels == one.classes_[1], 1.0, -1.0)
    norm2 = float(one.dual_coef_[0] @ (values[one.support_] - one.intercept_))
    return 0.5 * norm2 + one.C * np.maximum(0.0, 1.0 - signs * values).sum()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": False},
        {"kernel": "poly", "coef0": 1.0},
        {"kernel": "linear"},
        {"solver": "smo_pair"},
        {"solver": "gpdt"},
        {"cache_size": 0},  # decomposition, not the solver of small problems
    ],
    ids=str,
)
def test_each_has_the_objective_of_a_fit_alone(options):
    path = KernelSVC(tol=1e-6, **options).fit_path(X, TWO, VALUES)
    assert [one.C for one in path] == VALUES
    for one in path:
        alone = KernelSVC(C=one.C, tol=1e-6, **options).fit(X, TWO)
        assert one.gap_ <= 1e-6
        assert objective(one, X, TWO) == pytest.approx(objective(alone, X, TWO), rel=4e-6)
        assert one.fit_status_ == 0
        assert list(one.classes_) == ["no", "yes"]


@pytest.mark.parametrize("rows", [X, sp.csr_array(X)], ids=["dense", "sparse"])
def test_more_classes_weights_and_threads(rows):
    weights = RANDOM.uniform(0.0, 2.0, size=150)
    weights[:5] = 0.0
    given = KernelSVC(class_weight="balanced", tol=1e-8, n_jobs=2)
    for one in given.fit_path(rows, THREE, [10.0, 0.1, 1.0], weights):
        alone = KernelSVC(C=one.C, class_weight="balanced", tol=1e-8).fit(rows, THREE, weights)
        np.testing.assert_allclose(one.decision_function(rows), alone.decision_function(rows), atol=1e-2)
        assert one.gap_ <= 1e-8 and one.gaps_.shape == (3,)
    assert not hasattr(given, "classes_")  # the estimator itself remains as it was


def test_precomputed_values_and_a_hard_margin():
    K = np.exp(-0.2 * ((X[:, None] - X[None]) ** 2).sum(axis=-1))
    path = KernelSVC(kernel="precomputed").fit_path(K, TWO, [1.0, 2.0])
    plain = KernelSVC(gamma=0.2).fit_path(X, TWO, [1.0, 2.0])
    for one, other in zip(path, plain, strict=True):
        assert one.predict(K).tolist() == other.predict(X).tolist()
    separable = np.where(X[:, 0] > 0, 1, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, hard = KernelSVC(gamma=1.0).fit_path(X, separable, [1.0, np.inf])
    assert hard.score(X, separable) == 1.0


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "sigmoid"])
def test_kernel_values_are_counted_once(monkeypatch, whole, kernel):
    monkeypatch.setattr(_kernel_machine, "_whole", lambda X: whole)
    path = KernelSVC(kernel=kernel, gamma=0.05).fit_path(X, TWO, [1.0, 1.1, 1.2])
    first, *others = [one.kernel_evaluations_ for one in path]
    assert first > 0 and sum(others) < first


@pytest.mark.parametrize("wrong", [[], 1.0, [[1.0]], [1.0, -2.0], [1.0, np.nan]], ids=str)
def test_values_of_C_are_checked_before_anything_is_solved(wrong):
    with pytest.raises(ValueError, match="C="):
        KernelSVC().fit_path(X, TWO, wrong)


def test_large_coefficients_are_refined(monkeypatch):
    """Rounding of rows in single precision is too large for the gap; refined, no other solver is needed."""
    monkeypatch.setattr(_training.Trainer, "solve", None)
    rows = np.repeat(X, 3, axis=0) + 0.05 * np.random.default_rng(1).normal(size=(450, 6))
    labels = np.repeat(TWO, 3)
    labels[::40] = "yes"
    for one in KernelSVC(gamma=0.2, tol=1e-6).fit_path(rows, labels, [1e2, 1e4]):
        assert one.gap_ <= 1e-6


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_what_one_solver_does_not_reach_another_goes_on_with(monkeypatch, y):
    """The rows of a pair are in the order of their classes in one solver, and in that of X in the other."""
    expected = KernelSVC(tol=1e-6).fit_path(X, y, VALUES)
    solve, calls = _training.Trainer.solve, []
    monkeypatch.setattr(_training.Trainer, "solve", lambda *given: calls.append(1) or solve(*given))
    monkeypatch.setattr(_together, "_WORK", 150 * 120)
    for one, other in zip(KernelSVC(tol=1e-6).fit_path(X, y, VALUES), expected, strict=True):
        assert one.gap_ <= 1e-6
        if one.classes_.size == 2:
            assert objective(one, X, y) == pytest.approx(objective(other, X, y), rel=4e-6)
        assert np.mean(one.predict(X) == other.predict(X)) > 0.98
    assert 0 < len(calls) < len(VALUES) * (1 if y is TWO else 3)


def test_steps_of_very_few_rows_are_limited_by_their_number(monkeypatch):
    """The limit of work alone would allow 1.7e7 steps for 12 rows."""
    steps, solve_pairs = [], _together.solve_pairs

    def counted(solver, *given):
        solve_pairs(solver, *given)
        steps.append(solver.steps)

    monkeypatch.setattr(_together, "solve_pairs", counted)
    rows = np.random.default_rng(0).normal(size=(12, 2)) * [1.0, 1e-2]
    fitted = KernelSVC(kernel="linear", C=1e6).fit(rows, np.arange(12) % 2)
    assert steps == [12 * 10_000]
    assert fitted.gap_ <= fitted.tol


def test_a_warning_names_the_line_of_the_caller():
    with pytest.warns(ConvergenceWarning) as caught:
        KernelSVC(max_iter=1, cache_size=0).fit_path(X, TWO, [1.0, 1e4])
    with pytest.warns(ConvergenceWarning) as alone:
        KernelSVC(max_iter=1, C=1e4).fit(X, TWO)
    assert {one.filename for one in [*caught, *alone]} == {__file__}
