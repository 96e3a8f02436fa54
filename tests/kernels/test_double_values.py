"""Kernel values in double precision against differences in extended precision."""

import numpy as np
import pytest
import scipy.sparse

from svmbench.kernels._oracle import Oracle
from tests.kernels.reference import KERNELS


def reference(rows, points, kernel):
    rows, points = rows.astype(np.longdouble), points.astype(np.longdouble)
    if kernel["name"] == "gaussian":
        return np.exp(-kernel["gamma"] * np.square(rows[:, None] - points).sum(axis=2))
    products = rows @ points.T
    if kernel["name"] == "linear":
        return products
    return (kernel["gamma"] * products + kernel["coef0"]) ** kernel["degree"]


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["name"])
def test_values_are_those_of_the_formula(kernel, form):
    rng = np.random.default_rng(0)
    points, rows = (rng.normal(size=(n, 6)).astype(np.float32) for n in (30, 50))
    rows[7] = points[3]
    oracle = Oracle(form(points), kernel)
    values = oracle.exact_values(form(rows))
    np.testing.assert_allclose(values, reference(rows, points, kernel).astype(float), rtol=1e-11, atol=1e-13)
    assert oracle.ledger.kev_computed == oracle.ledger.inner_products == 30 * 50
    oracle.exact_values(form(rows[:4]), predicted=True)
    assert (oracle.ledger.kev_computed, oracle.ledger.kev_prediction) == (30 * 50, 30 * 4)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array], ids=["dense", "csr"])
def test_large_norms_do_not_cancel(form):
    rng = np.random.default_rng(1)
    points, rows = (rng.normal(size=(n, 5)).astype(np.float32) for n in (20, 25))
    for X in (points, rows):
        X[:, 0] = 1e6 * np.round(X[:, 0])  # within a group the distances are small, and the norms are not
    kernel = {"name": "gaussian", "gamma": 1.0}
    values = Oracle(form(points), kernel).exact_values(form(rows))
    np.testing.assert_allclose(values, reference(rows, points, kernel).astype(float), atol=1e-13)
    assert np.count_nonzero(values) > 50


@pytest.mark.slow
@pytest.mark.parametrize("form", [np.asarray, np.rint, scipy.sparse.csr_array], ids=["dense", "whole", "csr"])
def test_scores_do_not_depend_on_the_parts_between_two_looks_for_signals(form):
    rng = np.random.default_rng(3)
    X = form((20 * rng.random((15_000, 64))).astype(np.float32))
    oracle = Oracle(X, {"name": "gaussian", "gamma": 1e-3})
    at, weights, some = np.arange(X.shape[0]), rng.normal(size=X.shape[0]), np.arange(700)
    exact = oracle.exact_responses(at, weights, cols=some)
    single = oracle.decision_function(at, weights, 0.0, X[:700])
    for j in (0, 319, 320, 321, 639, 640, 699):
        assert oracle.exact_responses(at, weights, cols=[j])[0] == exact[j]
        assert oracle.decision_function(at, weights, 0.0, X[j : j + 1])[0] == single[j]
