"""What is particular to RandSVM: the bound, the samples, the scans, why it ends."""

from functools import partial

import numpy as np
import pytest

from svmbench.certify.certificate import certify
from svmbench.errors import UserError
from svmbench.kernels._oracle import Oracle
from svmbench.rng import Generator
from svmbench.solvers import registry
from svmbench.solvers.kernel.randsvm import sample_bound
from tests.solvers.kernel import working_sets
from tests.solvers.kernel.working_sets import GAUSSIAN

started = partial(working_sets.started, "randsvm", bias="none")


def clouds(n=600, distance=3.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 3, 1.0, -1.0)
    return (rng.normal(size=(n, 2)) + distance * y[:, None]).astype(np.float32), y


@pytest.mark.parametrize(("n", "k"), [(100_000, 5202), (1_000_000, 6123), (700_000, 5980)])
def test_the_bound_of_the_paper(n, k):
    assert sample_bound(n, 0.2, 0.9, True) == k
    assert sample_bound(n, 0.2, 0.9, False) == 2 * k


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_without_violators_it_is_the_optimum_of_all(bias):
    X, y = clouds()
    run, oracle, problem = started(X, y, {"name": "linear"}, bias=bias, k=30, eps=1e-7)
    run.advance("iterations", 10**6)
    assert run.converged
    assert run.reason == "no example outside the sample violates its margin"
    assert run.size == 60 and run.sample.size <= 60
    snapshot = run.snapshot()
    fresh = y * oracle.training_scores(snapshot.model.indices, snapshot.model.coefficients)
    np.testing.assert_allclose(snapshot.responses, fresh, atol=1e-6)
    assert certify(problem, snapshot.alpha, fresh)["relative_gap"] <= 1e-5


def test_it_ends_at_k_support_vectors():
    X, y = clouds(distance=0.3)
    run, _, _ = started(X, y, k=50)
    run.advance("iterations", 10**6)
    support = run.snapshot().model.support_vectors
    assert support >= 50
    assert run.reason == f"the {support} support vectors have reached k = 50"


def test_a_sample_of_everything_is_the_inner_solver():
    X, y = clouds(60, distance=0.5)
    run, oracle, problem = started(X, y)  # k by the formula is far above 60
    run.advance("iterations", 10**6)
    peer = registry.get("smo")
    other_oracle = Oracle(X, GAUSSIAN, 1 << 20)
    other = peer(peer.Params()).start(problem, other_oracle, Generator(0))
    other.advance("iterations", 10**6)
    assert run.reason == "the sample of 60 examples is the whole set, and its solver is done"
    assert run.snapshot().alpha.tolist() == other.snapshot().alpha.tolist()
    assert oracle.ledger.as_dict() == other_oracle.ledger.as_dict()


def test_a_rare_class_is_in_the_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2)).astype(np.float32)
    y = np.ones(500)
    X[7], y[7] = 9.0, -1.0
    for seed in range(3):
        run, _, _ = started(X, y, bias="unregularised", C=10.0, k=12, seed=seed)
        assert np.any(y[run.sample] < 0) and np.any(y[run.sample] > 0)
        run.advance("iterations", 10**6)
        assert 7 in run.snapshot().model.indices


@pytest.mark.parametrize("inner", ["sbp", "pegasos", "dcd", "randsvm"])
def test_an_inner_solver_must_come_to_an_end(inner):
    with pytest.raises(UserError, match=f"solver.inner={inner} is not allowed: give a kernel solver"):
        started(*clouds(20), inner=inner)


def test_an_inner_solver_must_know_the_bias():
    with pytest.raises(UserError, match=r"cannot solve with problem\.bias=none: give solver\.inner=smo,"):
        started(*clouds(20), inner="smo_pair")


def test_any_inner_solver_with_a_tolerance_will_do():
    run, _, _ = started(*clouds(), bias="unregularised", inner="lasvm", k=30)
    run.advance("iterations", 10**6)
    support = run.snapshot().model.support_vectors
    assert run.converged and run.reason == f"the {support} support vectors have reached k = 30"
