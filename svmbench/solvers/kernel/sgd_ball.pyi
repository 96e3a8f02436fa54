from dataclasses import dataclass

from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import Snapshot, Solver
from svmbench.solvers.run import SteppedRun

@dataclass(frozen=True)
class Params:
    R: float | str = ...

class Run(SteppedRun):
    def __init__(self, problem: Problem, oracle: Oracle, rng: Generator, R: float) -> None: ...
    def snapshot(self) -> Snapshot: ...

class SGDBall(Solver):
    def start(self, problem: Problem, oracle: Oracle, rng: Generator) -> Run: ...
