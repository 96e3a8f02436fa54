from dataclasses import dataclass

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Snapshot, Solver
from svmbench.solvers.dual.refinement import Refinement
from svmbench.solvers.run import SteppedRun

@dataclass(frozen=True)
class Params:
    eps: float = ...
    change: float | None = ...

class Run(SteppedRun):
    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, params: Params) -> None: ...
    def snapshot(self) -> Snapshot: ...
    @property
    def refinement(self) -> Refinement: ...

class Platt(Solver):
    def start(self, problem: Problem, oracle: Oracle, rng: Generator) -> Run: ...
