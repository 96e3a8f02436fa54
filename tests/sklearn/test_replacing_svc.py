"""What else `KernelSVC` has of scikit-learn's SVC: weights, other kernels, a hard margin, probabilities."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from svmbench import platt
from svmbench.sklearn import KernelSVC
from svmbench.sklearn._together import _MOST_OF_FEW
from svmbench.sklearn.kernel_svc import SOLVERS

WEIGHTED = [name for name in SOLVERS if name != "lasvm"]


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    X = ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32).astype(np.float64)
    return X, y


def coefficients_of(fitted, n):
    """Return the signed coefficients of all examples."""
    beta = np.zeros(n)
    beta[fitted.support_] = sp.csr_array(fitted.dual_coef_).toarray()[0]
    return beta


def gap_of(fitted, K, y, bounds):
    """Return the relative duality gap of the weighted problem, by numpy from the coefficients alone."""
    beta, labels = coefficients_of(fitted, y.size), np.where(y == fitted.classes_[1], 1.0, -1.0)
    alpha = beta * labels
    assert (alpha >= 0.0).all() and (alpha <= bounds * (1.0 + 1e-12)).all()
    assert abs(beta.sum()) <= 1e-9 * alpha.sum()
    scores = K @ beta
    losses = bounds * np.maximum(0.0, 1.0 - labels * (scores + fitted.intercept_[0]))
    primal = 0.5 * beta @ scores + losses.sum()
    return (primal - (alpha.sum() - 0.5 * beta @ scores)) / primal


@pytest.mark.parametrize("solver", WEIGHTED)
def test_the_gap_of_a_weighted_problem_is_certified(cancer, solver):
    X, y = cancer
    weights = np.random.default_rng(0).uniform(0.05, 8.0, y.size)
    fitted = KernelSVC(C=2.0, gamma=0.03, tol=1e-6, solver=solver).fit(X, y, sample_weight=weights)
    found = gap_of(fitted, rbf_kernel(X, gamma=0.03), y, 2.0 * weights)
    assert fitted.gap_ <= 1e-6
    assert found == pytest.approx(fitted.gap_, abs=1e-9)
    theirs = SVC(C=2.0, gamma=0.03, tol=1e-8).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(fitted.decision_function(X), theirs.decision_function(X), atol=2e-2)


def test_weights_are_those_of_SVC(cancer):
    X, y = cancer
    weights = np.random.default_rng(1).uniform(-0.3, 3.0, y.size)
    kept = weights > 0.0
    for given in ({"class_weight": "balanced"}, {"class_weight": {0: 7.0}}, {}):
        ours = KernelSVC(gamma=0.03, tol=1e-9, **given).fit(X, y, sample_weight=weights)
        theirs = SVC(gamma=0.03, tol=1e-9, **given).fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
        np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
        # The indices of SVC count the rows that it keeps.
        np.testing.assert_array_equal(ours.support_, np.flatnonzero(kept)[theirs.support_])
        np.testing.assert_array_equal(ours.support_vectors_, X[ours.support_])


def test_a_weight_is_a_number_of_copies(cancer):
    X, y = cancer
    times = np.random.default_rng(2).integers(0, 4, y.size)
    rows = np.repeat(np.arange(y.size), times)
    one = KernelSVC(gamma=0.03, tol=1e-9).fit(X, y, sample_weight=times)
    other = KernelSVC(gamma=0.03, tol=1e-9).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), atol=1e-4)


def test_weights_of_several_classes(cancer):
    X, y = load_iris(return_X_y=True)
    weights = np.random.default_rng(3).uniform(0.1, 5.0, y.size)
    ours = KernelSVC(tol=1e-9, class_weight="balanced").fit(X[10:], y[10:], weights[10:])
    theirs = SVC(tol=1e-9, class_weight="balanced").fit(X[10:], y[10:], weights[10:])
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-3)
    np.testing.assert_array_equal(ours.support_, theirs.support_)


@pytest.mark.parametrize(
    ("given", "weights", "words"),
    [
        ({}, [1.0, 2.0], "incompatible shapes"),
        ({}, [np.nan] * 6, "must be finite"),
        ({}, [0.0] * 6, "all samples have zero or negative weights"),
        ({}, [1, 1, 1, 1, 0, -1], "no row of class 'c' has a positive weight"),
        ({}, [1, 1, 0, 0, 0, -1], "belong to the same class: 'a'"),
        ({"solver": "lasvm"}, [1, 1, 2, 1, 1, 1], "solver='lasvm' .* use solver='decomposition'"),
    ],
    ids=str,
)
def test_bad_weights_are_refused(given, weights, words):
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ValueError, match=words):
        KernelSVC(**given).fit(X, ["a", "a", "b", "b", "c", "c"], sample_weight=weights)


def linear(rows, others):
    return rows @ others.T


@pytest.mark.parametrize("classes", [2, 3])
def test_a_matrix_or_a_function_may_be_the_kernel(classes):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes], y[y < classes]
    new = X[::7] + 0.3
    built_in = KernelSVC(kernel="linear", tol=1e-9).fit(X, y)
    given = KernelSVC(kernel="precomputed", tol=1e-9).fit(X @ X.T, y)
    called = KernelSVC(kernel=linear, tol=1e-9).fit(X, y)
    theirs = SVC(kernel="precomputed", tol=1e-9).fit(X @ X.T, y)
    for other, rows in ((given, new @ X.T), (called, new)):
        np.testing.assert_array_equal(other.support_, theirs.support_)
        np.testing.assert_allclose(other.dual_coef_, theirs.dual_coef_, atol=1e-4)
        np.testing.assert_allclose(other.decision_function(rows), built_in.decision_function(new), atol=1e-3)
        np.testing.assert_array_equal(other.predict(rows), built_in.predict(new))
        assert other.gap_ <= 1e-9
        assert other.support_vectors_.shape == (0, 0)


def test_sigmoid_is_that_of_SVC(cancer):
    X, y = cancer
    ours = KernelSVC(kernel="sigmoid", gamma=0.01, coef0=-1.0, C=0.5, tol=1e-8).fit(X, y)
    theirs = SVC(kernel="sigmoid", gamma=0.01, coef0=-1.0, C=0.5, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


@pytest.mark.parametrize(
    ("kernel", "X", "words"),
    [
        ("precomputed", np.ones((3, 2)), "must be a square matrix"),
        (lambda X, Z: np.ones((3, 2)), np.ones((3, 2)), "the kernel returned shape"),
        ("rbff", np.ones((3, 2)), "give one of rbf, linear, poly, sigmoid, chi_squared, laplacian"),
    ],
    ids=["no square", "callable", "unknown"],
)
def test_bad_kernels_are_refused(kernel, X, words):
    with pytest.raises(ValueError, match=words):
        KernelSVC(kernel=kernel).fit(X, [0, 1, 1])
    with pytest.raises(TypeError, match="Sparse precomputed"):
        KernelSVC(kernel="precomputed").fit(sp.eye_array(3, format="csr"), [0, 1, 1])


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_a_hard_margin_has_a_gap_of_its_own(unit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X @ [1.0, 0.5] > 0.0, 1, -1)
    X = unit * (X + 0.3 * y[:, None])
    fitted = KernelSVC(kernel="linear", C=np.inf, tol=1e-6).fit(X, y)
    margins = y * (X @ fitted.coef_[0] + fitted.intercept_)
    norm2 = float(np.square(fitted.coef_).sum())
    primal = 0.5 * norm2 / margins.min() ** 2
    dual = np.abs(fitted.dual_coef_).sum() - 0.5 * norm2
    assert 0.0 <= fitted.gap_ <= 1e-6
    assert (primal - dual) / primal == pytest.approx(fitted.gap_, abs=1e-9)
    reference = SVC(kernel="linear", C=1e10 / unit**2, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(fitted.decision_function(X), reference.decision_function(X), atol=1e-3)


def test_classes_that_overlap_have_no_hard_margin():
    X, y = np.array([[0.0], [0.0], [1.0]]), [0, 1, 1]
    with pytest.warns(ConvergenceWarning, match="cannot be separated without errors"):
        fitted = KernelSVC(C=np.inf).fit(X, y)
    assert fitted.gap_ == np.inf
    assert fitted.predict([[1.0]]) == [1]


def test_platt_s_sigmoid_has_the_largest_likelihood():
    rng = np.random.default_rng(0)
    values = 50.0 * rng.normal(size=2000)
    first = rng.uniform(size=2000) < expit(0.07 * values - 0.4)
    A, B = platt.sigmoid(values, first)
    assert pytest.approx(-0.07, abs=0.01) == A
    assert pytest.approx(0.4, abs=0.15) == B


def test_coupling_finds_what_the_pairs_agree_on():
    p = np.array([[0.2, 0.5, 0.3], [0.05, 0.05, 0.9]])
    r = p[:, :, None] / (p[:, :, None] + p[:, None, :])
    r[:, np.arange(3), np.arange(3)] = 0.0
    np.testing.assert_allclose(platt.coupled(r), p)


@pytest.mark.filterwarnings("ignore:The `probability` parameter:FutureWarning")
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_near_those_of_SVC(classes):
    X, y = load_iris(return_X_y=True)
    kept = y >= 3 - classes
    X, y = X[kept][:, :2], y[kept]
    ours = KernelSVC(probability=True, random_state=0).fit(X, y)
    theirs = SVC(probability=True, random_state=0).fit(X, y)
    mine, its = ours.predict_proba(X), theirs.predict_proba(X)
    assert mine.shape == its.shape
    np.testing.assert_allclose(mine.sum(axis=1), 1.0)
    assert np.abs(mine - its).mean() < 0.05  # the folds are others
    np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), mine)
    again = KernelSVC(probability=True, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), mine)
    assert not hasattr(KernelSVC(), "predict_proba")


@pytest.mark.parametrize(("C", "tol"), [(2.0, 1e-9), (1e4, 1e-7)])
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_rows_near_multiples_of_a_unit_are_certified_as_given(C, tol, kernel):
    rng = np.random.default_rng(4)
    X = (rng.integers(0, 256, size=(2100, 3)) / np.float32(255)).astype(np.float32)
    y = np.sin(7.0 * X[:, 0]) + X[:, 1] + 0.02 * rng.normal(size=2100) > 1.0
    C = C if kernel == "rbf" else 0.01 * C
    fitted = KernelSVC(C=C, kernel=kernel, gamma=1.0, tol=tol).fit(X, y)
    Z = X.astype(np.float64)
    K = np.exp(-np.square(Z[:, None] - Z).sum(axis=-1)) if kernel == "rbf" else Z @ Z.T
    assert gap_of(fitted, K, y, np.full(2100, C)) <= fitted.gap_ + 1e-12


@pytest.mark.parametrize("words", [{"kernel": "poly", "coef0": 1.0, "degree": 2}, {"gamma": 5.0}])
def test_scores_are_of_the_rows_that_were_fitted_not_of_multiples_near_them(words):
    rng = np.random.default_rng(5)
    X = (rng.integers(0, 256, size=(150, 2)) / np.float32(255)).astype(np.float32)
    fitted = KernelSVC(**{"gamma": 1.0, "C": 1e6, "tol": 1e-6, **words}).fit(X, rng.random(150) > 0.5)
    Z, S = X.astype(np.float64), fitted.support_vectors_.astype(np.float64)
    distances = np.square(Z[:, None] - S).sum(axis=-1)
    K = (Z @ S.T + 1.0) ** 2 if "degree" in words else np.exp(-5.0 * distances)
    scores = K @ fitted.dual_coef_[0] + fitted.intercept_
    for one in (fitted, pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_allclose(one.decision_function(X), scores, atol=1e-6)


@pytest.mark.parametrize(
    ("n", "sparse", "C"),
    [
        *((512, False, 100.0), (513, False, 100.0), (513, True, 100.0)),
        *((_MOST_OF_FEW, False, 0.1), (_MOST_OF_FEW, True, 0.1), (_MOST_OF_FEW + 1, True, 0.1)),
    ],
)
def test_problems_of_any_size_have_true_gaps_and_equal_objectives(n, sparse, C):
    rng = np.random.default_rng(n)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    X = rng.standard_normal((n, 6)) + 0.4 * y[:, None]
    fitted = KernelSVC(C=C, gamma=0.1, tol=1e-7).fit(sp.csr_array(X) if sparse else X, y)
    theirs = SVC(C=C, gamma=0.1, tol=1e-7).fit(X, y)
    K = rbf_kernel(X, gamma=0.1)
    assert fitted.gap_ <= 1e-7
    assert 0.0 <= gap_of(fitted, K, y, np.full(n, C)) <= fitted.gap_ * 1.001 + 1e-10
    betas = [coefficients_of(each, n) for each in (fitted, theirs)]
    duals = [np.abs(beta).sum() - 0.5 * beta @ K @ beta for beta in betas]
    assert duals[0] == pytest.approx(duals[1], rel=1e-6)
    # The way of solving is that of the number of rows: two coefficients or a working set at a time.
    if C < 1.0:  # otherwise steps of two coefficients take too long, and are given up
        assert (fitted.n_iter_[0] > 200) == (n <= _MOST_OF_FEW)
