"""Decomposition takes the same steps on every instruction set."""

import pytest

from tests import instruction_sets

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
