"""The passes give the same bits on every instruction set and any number of threads, however many values."""

import pytest

from tests import instruction_sets

#: Zeros and ones, whose kernel rows are the same on every instruction set.
PROGRAM = """
import hashlib, sys
import numpy as np
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers import registry
from svmbench.rng import Generator

name, bias, n, threads = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
rng = np.random.default_rng(0)
X = (rng.random((n, 40)) < 0.3).astype(np.float32)
y = np.where(X[:, :20].sum(axis=1) + rng.normal(size=n) > 6.0, 1.0, -1.0)
solver = registry.get(name)
problem = Problem.build(y, C=1.0, nu=0.05, bias=bias)
oracle = Oracle(X, {"name": "gaussian", "gamma": 0.05}, threads=threads)
run = solver(solver.Params()).start(problem, oracle, Generator(1))
run.advance("iterations", 1100)
snapshot = run.snapshot()
state = (snapshot.model.indices, snapshot.model.coefficients, snapshot.responses)
print(hashlib.sha256(b"".join(array.tobytes() for array in state)).hexdigest())
"""


@pytest.mark.parametrize(
    ("name", "bias", "n"),
    [("sbp", "none", 1337), ("sbp", "none", 5), ("sbp", "unregularised", 1337), ("sdca", "none", 2051)],
)
def test_a_run_is_bit_for_bit_the_same_on_every_instruction_set(name, bias, n):
    assert len(instruction_sets.outputs(PROGRAM, name, bias, n, 1)) == 1


@pytest.mark.parametrize("bias", ["none", "unregularised"])
def test_a_run_is_bit_for_bit_the_same_on_any_number_of_threads(bias):
    here = instruction_sets.HERE[-1]
    assert len({instruction_sets.output(PROGRAM, here, "sbp", bias, 9001, k) for k in (1, 2, 3)}) == 1
