from dataclasses import dataclass

from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import LinearSolver, Snapshot
from svmbench.solvers.run import LinearRun

@dataclass(frozen=True)
class Params:
    eps: float = ...

class Run(LinearRun):
    def __init__(self, problem: Problem, examples: LinearData, params: Params) -> None: ...
    def snapshot(self) -> Snapshot: ...
    @property
    def reason(self) -> str: ...

class L2SVMMFN(LinearSolver):
    def start(self, problem: Problem, examples: LinearData, rng: Generator) -> Run: ...
