from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Snapshot, Solver
from svmbench.solvers.dual.refinement import Refinement
from svmbench.solvers.dual.shrunk_level import Shrunk
from svmbench.solvers.run import SteppedRun

@dataclass(frozen=True)
class Params:
    eps: float = ...
    working_set: int = ...

class Run(SteppedRun):
    def __init__(self, problem: Problem, oracle: Oracle, params: Params) -> None: ...
    def begin(self, alpha: NDArray[np.float64]) -> None: ...
    def snapshot(self) -> Snapshot: ...
    @property
    def shrunk(self) -> Shrunk | None: ...
    @property
    def refinement(self) -> Refinement: ...

class Decomposition(Solver):
    def start(self, problem: Problem, oracle: Oracle, rng: Generator) -> Run: ...
