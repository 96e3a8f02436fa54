"""Arrays as other libraries hand them over, and fitted models exchanged with scikit-learn."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import SVC

from svmbench.sklearn import KernelSVC, KernelSVR, LinearSVC, SBPClassifier

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(90, 5)).astype(np.float32).astype(np.float64)
NAMES = list("abcde")
TWO = np.where(X[:, 0] + 0.4 * RANDOM.normal(size=90) > 0, "yes", "no")
THREE = np.digitize(X[:, 0], [-0.5, 0.5]) + 3
ESTIMATORS = [
    KernelSVC(),
    KernelSVR(),
    LinearSVC(random_state=0),
    SBPClassifier(max_evaluations=1e5, random_state=0),
]


def read_only(rows, folder):
    copy = rows.copy()
    copy.flags.writeable = False
    return copy


def memory_map(rows, folder):
    np.save(folder / "rows.npy", rows)
    return np.load(folder / "rows.npy", mmap_mode="r")


def polars(rows, folder):
    return pytest.importorskip("polars").DataFrame(dict(zip(NAMES, rows.T, strict=True)))


@pytest.mark.parametrize(
    "held",
    [
        read_only,
        memory_map,
        polars,
        lambda rows, folder: rows.astype(np.float32),
        lambda rows, folder: memory_map(rows.astype(np.float32), folder),
        lambda rows, folder: np.asfortranarray(rows),
        lambda rows, folder: np.repeat(rows, 2, axis=0)[::2],
        lambda rows, folder: pd.DataFrame(rows, columns=NAMES),
        lambda rows, folder: rows.tolist(),
    ],
    ids=["read-only", "memmap", "polars", "float32", "memmap32", "Fortran", "strided", "pandas", "list"],
)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_rows_count_however_they_are_held(estimator, held, tmp_path):
    y = X[:, 0] if isinstance(estimator, KernelSVR) else TWO
    expected = estimator.fit(X, y).predict(X)
    rows = held(X, tmp_path)
    found = estimator.fit(rows, y).predict(rows)
    if isinstance(estimator, KernelSVR):  # the variance, for gamma, depends on the order of a sum
        np.testing.assert_allclose(found, expected, atol=1e-4)
    else:
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_sparse_rows_that_must_not_be_written_to(estimator, kind):
    rows = kind(np.where(X > 0.0, X, 0.0))
    y = X[:, 0] if isinstance(estimator, KernelSVR) else TWO
    expected = estimator.fit(rows, y).predict(rows)
    for name in ("data", "indices", "indptr"):
        if hasattr(rows, name):
            getattr(rows, name).flags.writeable = False
    assert np.array_equal(estimator.fit(rows, y).predict(rows), expected)


@pytest.mark.parametrize("dtype", [bool, float])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)
def test_a_data_frame_of_sparse_columns_is_the_sparse_matrix_of_its_values(estimator, dtype):
    words = np.random.default_rng(1).choice(list("abcd"), size=90)
    frame = pd.get_dummies(pd.DataFrame({"word": words}), sparse=True, dtype=dtype)
    rows = sp.csr_array(frame.to_numpy(float))
    y = X[:, 0] if isinstance(estimator, KernelSVR) else TWO
    expected = estimator.fit(rows, y).predict(rows)
    assert np.array_equal(estimator.fit(frame, y).predict(frame), expected)


@pytest.mark.parametrize(
    ("estimator", "y"), [(KernelSVC(), TWO), (KernelSVC(), THREE), (KernelSVR(), X[:, 1])]
)
def test_precomputed_values_with_the_support_vectors_suffice(estimator, y):
    K = np.exp(-0.1 * np.square(X[:, None] - X).sum(axis=-1))
    estimator.set_params(kernel="precomputed", C=0.5).fit(K[:80, :80], y[:80])
    support = estimator.support_
    assert 0 < support.size < 80
    rows = K[80:, :80]
    assert np.array_equal(estimator.predict(rows[:, support]), estimator.predict(rows))
    with pytest.raises(ValueError, match="features"):
        estimator.predict(rows[:, : support.size - 1])


def test_of_as_many_support_vectors_as_rows_columns_are_those_of_rows():
    K = np.eye(6) + 0.1
    y = np.array([1, 0, 1, 0, 1, 0])
    fitted = KernelSVC(kernel="precomputed", C=0.1).fit(K, y)
    assert fitted.support_.tolist() == [1, 3, 5, 0, 2, 4]
    assert fitted.predict(K).tolist() == y.tolist()


OPTIONS = [{}, {"kernel": "poly", "coef0": 1.0}, {"kernel": "linear"}, {"kernel": "sigmoid"}, {"C": 50.0}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_a_model_becomes_one_of_scikit_learn_and_comes_back(options, y, sparse):
    rows = sp.csr_array(X) if sparse else X
    ours = KernelSVC(decision_function_shape="ovo", tol=1e-8, **options).fit(rows, y)
    theirs = ours.to_sklearn()
    assert type(theirs) is SVC and theirs.C == ours.C
    np.testing.assert_allclose(theirs.decision_function(rows), ours.decision_function(rows), atol=1e-9)
    assert np.array_equal(theirs.predict(rows), ours.predict(rows))
    if options.get("kernel") != "sigmoid":  # the gap is a bound for positive definite kernels
        back = KernelSVC.from_sklearn(theirs, rows, y)
        assert back.gap_ <= 2e-8
        np.testing.assert_allclose(back.decision_function(rows), ours.decision_function(rows), atol=1e-3)


def test_callables_and_kernel_values_become_models_of_scikit_learn():
    for kernel, rows in ((lambda A, B: A @ B.T, X), ("precomputed", X @ X.T)):
        ours = KernelSVC(kernel=kernel).fit(rows, TWO)
        found = ours.to_sklearn().decision_function(rows)
        np.testing.assert_allclose(found, ours.decision_function(rows), atol=1e-9)


def test_a_model_of_scikit_learn_gets_its_gap():
    weights = RANDOM.uniform(0.5, 2.0, size=90)
    gaps = []
    for tol in (1e-1, 1e-6):
        theirs = SVC(C=3.0, tol=tol, class_weight="balanced").fit(X, THREE, weights)
        found = KernelSVC.from_sklearn(theirs, X, THREE, weights)
        gaps.append(found.gap_)
        assert np.mean(found.predict(X) == theirs.predict(X)) > 0.95
    assert gaps[0] > 1e-3 > 1e-5 > gaps[1] > 0.0
    with pytest.raises(ValueError, match="not what the model was fitted to"):
        KernelSVC.from_sklearn(theirs, X[:50], THREE[:50])


def test_probabilities_are_deprecated_in_favour_of_calibration():
    with pytest.warns(FutureWarning, match="CalibratedClassifierCV") as caught:
        KernelSVC(probability=True, random_state=0).fit(X, TWO)
    assert caught[0].filename == __file__
    ours, theirs = (
        CalibratedClassifierCV(kind(), ensemble=False).fit(X, TWO).predict_proba(X)
        for kind in (KernelSVC, SVC)
    )
    np.testing.assert_allclose(ours, theirs, atol=0.01)
