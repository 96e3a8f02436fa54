from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Snapshot, Solver
from svmbench.solvers.dual.refinement import Refinement
from svmbench.solvers.run import SteppedRun

SELECTIONS: tuple[str, ...]

FINALIZATIONS: tuple[str, ...]

@dataclass(frozen=True)
class Params:
    selection: str = ...
    candidates: int = ...
    epochs: int = ...
    finishing: str = ...
    eps: float = ...

class Pool:
    def __init__(self, order: NDArray[np.int64], capacity: int) -> None: ...

class Run(SteppedRun):
    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None: ...
    @property
    def reason(self) -> str: ...
    def snapshot(self) -> Snapshot: ...
    @property
    def refinement(self) -> Refinement: ...

class LASVM(Solver):
    def start(self, problem: Problem, oracle: Oracle, rng: Generator) -> Run: ...
