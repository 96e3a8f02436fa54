"""Decomposition takes the same steps on every instruction set, and those with the largest of all gains."""

import numpy as np
import pytest

from svmbench.problem import BIASES
from tests import instruction_sets
from tests.solvers.kernel.working_sets import LINEAR, eighths, started
from tests.specification import decomposition as specification

PROGRAM = """
import hashlib
import numpy as np
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.kernel.decomposition import Decomposition, Params

rng = np.random.default_rng(0)
X = (rng.random((300, 40)) < 0.3).astype(np.float32)
y = np.where(X[:, 0] + rng.normal(size=300) > 0.5, 1.0, -1.0)
seen = hashlib.sha256()
for bias in ("none", "unregularised"):
    problem = Problem.build(y, C=10.0, bias=bias)
    run = Decomposition(Params(working_set=32, eps=1e-4)).start(
        problem, Oracle(X, {"name": "gaussian", "gamma": 0.1}), None
    )
    run.advance("iterations", 10**6)
    seen.update(run.snapshot().alpha.tobytes() + run.snapshot().responses.tobytes())
    seen.update(str(run.iterations).encode())
print(seen.hexdigest())
"""


@pytest.mark.slow
@instruction_sets.several
def test_every_instruction_set_gives_the_same_bits():
    assert len(instruction_sets.outputs(PROGRAM)) == 1


def alike(n):
    """Two copies of each point, and points that differ in the last bits."""
    X = np.repeat(np.random.default_rng(2).normal(size=(n // 4, 5)), 4, axis=0)
    X[::4] *= 1.0 + 2.0**-20
    return X


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(
    ("points", "kernel", "C"),
    [
        (lambda n: np.random.default_rng(0).normal(size=(n, 5)), {"name": "gaussian", "gamma": 0.1}, 1.0),
        (lambda n: np.random.default_rng(0).normal(size=(n, 5)), {"name": "gaussian", "gamma": 1e-3}, 1e4),
        (alike, {"name": "gaussian", "gamma": 0.1}, 1e3),
        (lambda n: eighths(np.random.default_rng(1).normal(size=(n, 3))), LINEAR, 10.0),
        (
            lambda n: np.random.default_rng(1).normal(size=(n, 3)),
            {"name": "polynomial", "degree": 3, "gamma": 1.0, "coef0": 1.0},
            100.0,
        ),
    ],
    ids=["points", "nearly one point", "alike", "linear", "polynomial"],
)
def test_steps_are_those_of_a_search_of_all_gains(points, kernel, C, bias):
    n = 200  # no multiple of what is looked at together
    X, y = points(n).astype(np.float32), np.where(np.arange(n) % 2, 1.0, -1.0)
    run, oracle, _ = started("decomposition", X, y, kernel, C, bias, working_set=n)
    K, own = oracle.block(np.arange(n)).astype(float), oracle.diagonal()
    beta, v = np.zeros(n), y.copy()
    least, most = np.where(y > 0.0, 0.0, -C), np.where(y > 0.0, C, 0.0)
    steps = specification.free if bias == "none" else specification.pairs
    steps(K, own, least, most, beta, v, 0.1 if bias == "none" else 0.2, 100 * n)
    run.advance("iterations", 1)
    assert np.array_equal(run.snapshot().alpha, np.abs(beta))
    assert np.count_nonzero(beta) > 50
