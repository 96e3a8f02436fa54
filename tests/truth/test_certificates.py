"""What exact solvers report beyond single precision is what an independent program finds."""

import numpy as np
import pytest

from svmbench.solvers import registry
from tests.kernels.reference import kernel_matrix
from tests.specification.certificate import bounds, many_features
from tests.truth.evaluate import evaluate
from tests.truth.table import (
    ALLOWED,
    PROBLEMS,
    SETS,
    SOLVERS,
    complaints,
    measure,
    render,
    true_gap,
    violation,
)

FAST = [posed for posed in PROBLEMS if posed.data in ("clean plane", "24 features")]
#: Of CPU time; far more than any of them takes.
SECONDS = 60.0


@pytest.mark.parametrize("posed", FAST, ids=str)
def test_no_bound_is_passed_and_what_converged_has_the_gap_it_shows(posed):
    data = SETS[posed.data]()
    names = [name for name in SOLVERS if posed.bias in registry.get(name).biases]
    rows = [measure(posed, name, data, SECONDS) for name in names]
    assert complaints(rows) == []
    assert {row["precision"] for row in rows} == {"float64"}
    assert all(row["end"] == "converged" for row in rows)
    assert str(posed) in render(rows)


def test_a_bound_that_is_passed_and_a_gap_that_is_wrong_are_seen():
    posed = FAST[0]
    row = measure(posed, "smo_pair", SETS[posed.data](), SECONDS)
    assert complaints([row]) == []
    assert "Not measured: decomposition, svm_light, gpdt, lasvm, chunking, platt." in render([row])
    P, gap = row["primal"], true_gap(row)
    slack = row["rounding"] / P
    high = row | {"dual": P * (1.0 + 2.0 * slack)}
    low = row | {"primal": row["true_dual"] * (1.0 - 2.0 * slack)}
    for wrong in (high, low):
        assert violation(wrong, [row]) > ALLOWED
        assert len(complaints([wrong])) == 1
    assert len(complaints([row | {"gap": gap + 1e-8 + 2.0 * slack}])) == 1
    assert len(complaints([row | {"true_dual": 0.99 * P}])) == 2  # and so the gap shown is not the true one


@pytest.mark.parametrize("biased", [False, True])
def test_the_program_is_that_of_the_whole_kernel_matrix(biased):
    X, y = many_features(n=80, d=40)
    rng = np.random.default_rng(0)
    alpha = np.where(rng.random(80) < 0.5, rng.uniform(0.0, 3.0, 80), 0.0)
    K = kernel_matrix(X, X, {"name": "gaussian", "gamma": 0.03})
    f = K @ (alpha * y)
    truth = evaluate(X.astype(np.float64), y, 0.03, 3.0, alpha, 0.25, biased)
    primal = alpha * y @ f / 480.0 + np.maximum(0.0, 1.0 - y * (f + 0.25)).mean()
    assert truth.primal == pytest.approx(primal, rel=1e-13)
    assert truth.dual == pytest.approx(bounds(K, y, 3.0, alpha, biased)[1], rel=1e-13)
