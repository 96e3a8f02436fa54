"""Sparse rows with indices of 64 bits, as loaders and products of scipy return them."""

import numpy as np
import pytest
import scipy.sparse as sp

from svmbench.sklearn import KernelSVC, KernelSVR, LinearSVC, SBPClassifier
from svmbench.sklearn._base import checked_features

RANDOM = np.random.default_rng(0)
X = sp.random_array((60, 8), density=0.5, rng=RANDOM, format="csr")
Y = np.where(X.toarray().sum(axis=1) > 2, 1, -1)


def wide(kind):
    rows = kind(X)
    rows.indices, rows.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
    return rows


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize(
    "estimator",
    [KernelSVC(), KernelSVR(), LinearSVC(), SBPClassifier(max_evaluations=1e5, random_state=0)],
    ids=lambda one: type(one).__name__,
)
def test_indices_of_64_bits_are_those_of_32(estimator, kind):
    narrow = estimator.fit(X, Y).predict(X)
    rows = wide(kind)
    assert rows.indices.dtype == np.int64
    assert np.array_equal(estimator.fit(rows, Y).predict(rows), narrow)
    assert rows.indices.dtype == np.int64  # not changed


def test_columns_that_do_not_fit_are_one_sentence():
    rows = sp.csr_array((np.ones(1), (np.zeros(1, np.int64), np.array([2**31 + 5]))), shape=(1, 2**31 + 6))
    with pytest.raises(ValueError, match="give at most 2147483647 of each"):
        checked_features(rows)
