from dataclasses import dataclass

from svmbench.kernels._linear_data import LinearData
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers.base import LinearSolver, Snapshot
from svmbench.solvers.cutting_plane.linear_cuts import CuttingRun

@dataclass(frozen=True)
class Params:
    eps: float = ...

class Run(CuttingRun):
    def __init__(self, problem: Problem, examples: LinearData, params: Params) -> None: ...
    def snapshot(self) -> Snapshot: ...

class SVMPerf(LinearSolver):
    def start(self, problem: Problem, examples: LinearData, rng: Generator) -> Run: ...
