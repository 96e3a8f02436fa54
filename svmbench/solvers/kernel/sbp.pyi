from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Snapshot, Solver
from svmbench.solvers.run import SteppedRun

@dataclass(frozen=True)
class Params:
    nu: float | str = ...

class Run(SteppedRun):
    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, nu: float) -> None: ...
    def bound_of(self, a: NDArray[np.float64], c: NDArray[np.float64]) -> dict[str, float]: ...
    def snapshot(self) -> Snapshot: ...

class SBP(Solver):
    def start(self, problem: Problem, oracle: Oracle, rng: Generator) -> Run: ...
