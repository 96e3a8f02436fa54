from dataclasses import dataclass

from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import LinearSolver, Snapshot
from svmbench.solvers.run import LinearRun

@dataclass(frozen=True)
class Params:
    nu: float | str = ...
    T: int = ...

class Run(LinearRun):
    def __init__(self, problem: Problem, examples: LinearData, rng: Generator, nu: float, T: int) -> None: ...
    def snapshot(self) -> Snapshot: ...

class SIMBA(LinearSolver):
    def start(self, problem: Problem, examples: LinearData, rng: Generator) -> Run: ...
