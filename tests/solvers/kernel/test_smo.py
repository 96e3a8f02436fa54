"""The pass of SMO without bias: bit for bit its formula, on every instruction set."""

import numpy as np
import pytest

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.kernel.smo import SMO, Params
from tests import instruction_sets

KERNELS = {"gaussian": {"name": "gaussian", "gamma": 0.3}, "linear": {"name": "linear"}}
#: Below one group of 8, whole groups, whole blocks of 256, and a rest of each.
SIZES = (1, 7, 8, 256, 261, 709)


def examples(n, kernel):
    rng = np.random.default_rng(n)
    X = (np.round(8.0 * rng.normal(size=(n, 6))) / 8.0).astype(np.float32)  # exact inner products
    X[n // 2] = 0.0  # with the linear kernel K(x, x) = 0
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=n) > 0.2, 1.0, -1.0)
    return Oracle(X, kernel), y


def formula(oracle, y, C, selection, iterations):
    """α and the gradient after so many iterations, in whole vectors."""
    n = y.size
    K = oracle.block(np.arange(n)).astype(np.float64)
    own = oracle.diagonal()
    inverse = np.divide(1.0, own, out=np.zeros(n), where=own > 0.0)
    alpha, gradient = np.where(own > 0.0, 0.0, C), np.full(n, -1.0)
    for _ in range(iterations):
        step = np.clip(alpha - gradient * inverse, 0.0, C) - alpha
        score = -step * (gradient + 0.5 * own * step)
        if selection == "unclipped":
            stays = ((alpha <= 0.0) & (gradient > 0.0)) | ((alpha >= C) & (gradient < 0.0))
            steep = np.where(stays, 0.0, gradient)
            score = steep * steep * inverse
        i = int(np.argmax(score))
        before = alpha[i]
        alpha[i] = np.clip(before - gradient[i] * inverse[i], 0.0, C)
        gradient += y[i] * (alpha[i] - before) * y * K[i]
    return alpha, gradient


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("selection", ["gain", "unclipped"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_pass_is_its_formula(kernel, selection, n):
    oracle, y = examples(n, KERNELS[kernel])
    C = 1.5 if kernel == "gaussian" else 0.02
    run = SMO(Params(selection=selection, eps=1e-4)).start(Problem.build(y, C=C), oracle, None)
    run.advance("iterations", 150)
    alpha, gradient = formula(oracle, y, C, selection, run.iterations)
    snapshot = run.snapshot()
    np.testing.assert_array_equal(snapshot.alpha, alpha)
    np.testing.assert_array_equal(snapshot.responses, gradient + 1.0)


PROGRAM = """
import hashlib
from svmbench.problem import Problem
from svmbench.solvers.kernel.smo import SMO, Params
from tests.solvers.kernel.test_smo import KERNELS, SIZES, examples

seen = hashlib.sha256()
for n in SIZES:
    for selection in ("gain", "unclipped"):
        oracle, y = examples(n, KERNELS["linear"])
        run = SMO(Params(selection=selection)).start(Problem.build(y, C=0.02), oracle, None)
        run.advance("iterations", 300)
        snapshot = run.snapshot()
        seen.update(snapshot.alpha.tobytes() + snapshot.responses.tobytes())
print(seen.hexdigest())
"""


@pytest.mark.slow
@instruction_sets.several
def test_every_instruction_set_gives_the_same_bits():
    # Of rows of exact inner products, which are the same themselves.
    assert len(instruction_sets.outputs(PROGRAM)) == 1
