"""Bounds of the rounding of responses in double precision, against extended precision."""

import numpy as np
import scipy.sparse as sp

from svmbench.certify.class_sums import class_sums
from svmbench.kernels._oracle import Oracle
from tests.truth.bounds import case


def test_no_response_is_further_off_than_its_bound():
    seen = 0
    for number in range(2_000_000, 2_000_120):
        given = case(number)
        if given is None:
            continue
        y, alpha = given.problem.y, given.point.alpha
        found = class_sums(given.oracle, alpha, y)
        if found is None:
            assert given.oracle.layout_name == "sparse" or not alpha.any()
            continue
        responses, errors = found
        truth = y * (given.gram @ (alpha.astype(np.longdouble) * y))
        assert (np.abs(truth - responses) <= errors).all(), number
        assert (errors <= 1e-12 * alpha.sum()).all()
        seen += 1
    assert seen > 60


def test_the_bound_follows_what_is_summed_up():
    """Of distant examples the error is that of a few terms, of equal ones that of all."""
    y, alpha = np.tile([1.0, -1.0], 1000), np.ones(2000)
    X = np.arange(2000, dtype=np.float32)[:, None]
    far, near = (class_sums(Oracle(X, {"name": "gaussian", "gamma": g}), alpha, y)[1] for g in (30.0, 1e-9))
    coarse = 2.0**-52 * alpha.sum()
    assert (far < 0.1 * coarse).all() and (near > coarse).all()


def test_nothing_is_known_of_sparse_rows_and_without_coefficients():
    X = sp.csr_array(np.eye(5, dtype=np.float32))
    kernel = {"name": "gaussian", "gamma": 1.0}
    assert class_sums(Oracle(X, kernel, layout="sparse"), np.ones(5), np.ones(5)) is None
    assert class_sums(Oracle(X.toarray(), kernel), np.zeros(5), np.ones(5)) is None
