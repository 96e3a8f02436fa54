from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.solvers.base import Snapshot
from svmbench.solvers.dual.refinement import Refinement
from svmbench.solvers.run import SteppedRun

class DecompositionRun(SteppedRun):
    def __init__(self, problem: Problem, oracle: Oracle, eps: float, most: int, fresh: int) -> None: ...
    @property
    def refinement(self) -> Refinement: ...
    def snapshot(self) -> Snapshot: ...
