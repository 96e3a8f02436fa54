from dataclasses import dataclass

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Solver
from svmbench.solvers.dual.decomposition import DecompositionRun

@dataclass(frozen=True)
class Params:
    q: int = ...
    n_new: int | None = ...
    inner: str = ...
    eps: float = ...

class Run(DecompositionRun):
    def __init__(self, problem: Problem, oracle: Oracle, params: Params) -> None: ...

class GPDT(Solver):
    def start(self, problem: Problem, oracle: Oracle, rng: Generator) -> Run: ...
