"""The passes that select a pair: each step is that of the formula, bit for bit, on every instruction set."""

import numpy as np
import pytest

from svmbench.problem import Problem
from svmbench.solvers.kernel.smo_pair import Params, SMOPair
from tests import instruction_sets
from tests.solvers.kernel.test_smo import KERNELS, SIZES, examples


def formula(oracle, y, C, selection, iterations):
    K = np.array(oracle.block(np.arange(len(y)))).astype(np.float64)
    own, alpha, v = oracle.diagonal(), np.zeros(len(y)), y.copy()
    for _ in range(iterations):
        up = v + np.where(np.where(y > 0, alpha < C, alpha > 0), 0.0, -np.inf)
        down = v + np.where(np.where(y > 0, alpha > 0, alpha < C), 0.0, np.inf)
        i, j = int(np.argmax(up)), int(np.argmin(down))
        if selection == "second_order":
            below = np.maximum(up[i] - down, 0.0)
            distance = own[i] + own - 2.0 * K[i]
            distance[~(distance > 0.0)] = 1e-12
            j = int(np.argmax(below * below / distance))
        apart = K[i, i] + K[j, j] - 2.0 * K[i, j]
        step = (up[i] - v[j]) / (apart if apart > 0.0 else 1e-12)
        slacks = C - alpha[i] if y[i] > 0 else alpha[i], alpha[j] if y[j] > 0 else C - alpha[j]
        step = min(step, *slacks)
        for k, way in ((i, y[i]), (j, -y[j])):
            slack = C - alpha[k] if way > 0 else alpha[k]
            alpha[k] = (C if way > 0 else 0.0) if step >= slack else alpha[k] + way * step
        v -= step * (K[i] - K[j])
    return alpha, 1.0 - y * v


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("selection", ["second_order", "worst_pair"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_passes_are_their_formula(kernel, selection, n):
    oracle, y = examples(n, KERNELS[kernel])
    C = 1.5 if kernel == "gaussian" else 0.02
    problem = Problem.build(y, C=C, bias="unregularised")
    run = SMOPair(Params(selection=selection, shrinking=False)).start(problem, oracle, None)
    run.advance("iterations", 150)
    alpha, responses = formula(oracle, y, C, selection, run.iterations)
    snapshot = run.snapshot()
    np.testing.assert_array_equal(snapshot.alpha, alpha)
    np.testing.assert_array_equal(snapshot.responses, responses)


PROGRAM = """
import hashlib
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from tests.solvers.kernel.test_smo import KERNELS, SIZES, examples

seen = hashlib.sha256()
for n in SIZES:
    for name in ("smo_pair", "lasvm", "chunking"):
        oracle, y = examples(n, KERNELS["linear"])
        solver = registry.get(name)
        problem = Problem.build(y, C=0.02, bias="unregularised")
        run = solver(solver.Params()).start(problem, oracle, Generator(0))
        run.advance("iterations", 300)
        seen.update(run.snapshot().model.coefficients.tobytes())
print(seen.hexdigest())
"""


@pytest.mark.slow
@instruction_sets.several
def test_every_instruction_set_gives_the_same_bits():
    # Of rows of exact inner products, which are the same themselves.
    assert len(instruction_sets.outputs(PROGRAM)) == 1
