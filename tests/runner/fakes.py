"""Stand-ins whose every move is known: a scripted run with its ledger, and a solver in plain Python."""

import math
import time
from dataclasses import dataclass

import numpy as np

from svmbench.data import Dataset, Part
from svmbench.errors import Refusal, UserError
from svmbench.run_config import BudgetConfig
from svmbench.solvers.base import KernelExpansion, Snapshot, Solver

BUDGET = BudgetConfig("test", "kev_iter", memory=8.0)


class Silent:
    """A listener that keeps what it is told."""

    def __init__(self):
        self.said, self.rows, self.values = [], [], []

    def say(self, text):
        self.said.append(text)

    def advanced(self, counter, value, goal, seconds):
        self.values.append((counter, value, goal))

    def doing(self, what, left=None):
        pass

    def observed(self, row):
        self.rows.append(row)


class HandClock:
    """Stands in for the module `time`: passes only where something sleeps or works."""

    def __init__(self):
        self.wall = self.cpu = 0.0

    def perf_counter(self):
        return self.wall

    monotonic = perf_counter

    def process_time(self):
        return self.cpu

    def sleep(self, seconds):
        self.wall += seconds

    def work(self, seconds):
        self.wall += seconds
        self.cpu += seconds


class Answer(int):
    """The iterations that a scripted run has made, as the answer of a method with a loss."""

    loss: str


class ScriptedRun:
    """Charges fixed amounts per iteration; also its own ledger.

    Parameters
    ----------
    charges : dict
        Counter -> amount per iteration.
    converge : int
        Iterations after which it has converged.
    stall : int
        Iterations after which only ``iterations`` still moves.
    give_up : int
        Iterations after which it has stalled.
    pause : float
        Seconds that an iteration takes.
    """

    def __init__(self, charges, converge=10**9, stall=10**9, pause=0.0, give_up=10**9):
        self.charges, self.converge, self.stall, self.pause = charges, converge, stall, pause
        self.give_up = give_up
        self.loss = "hinge"
        self.counts = dict.fromkeys(("iterations", *charges), 0)
        self.advances = 0

    iterations = property(lambda self: self.counts["iterations"])
    converged = property(lambda self: self.iterations >= self.converge)
    stalled = property(lambda self: self.iterations >= self.give_up)

    def as_dict(self):
        return dict(self.counts)

    def advance(self, counter, until, most=math.inf):
        self.advances += 1
        last = self.iterations + most
        while self.counts[counter] < until and self.iterations < last:
            if self.converged or self.stalled:
                return
            assert self.iterations < 10**6, "advance never returns"
            time.sleep(self.pause)
            self.counts["iterations"] += 1
            for name, amount in self.charges.items():
                self.counts[name] += amount if self.iterations <= self.stall else 0

    def snapshot(self):
        answer = Answer(self.iterations)
        answer.loss = self.loss
        return answer


@dataclass(frozen=True)
class ToyParams:
    """What the toy is told to do at iteration 5."""

    accident: str = ""


class Toy(Solver):
    """Dual coordinate ascent in cyclic order, with the real oracle."""

    name = "toy"
    title = "Toy"
    citation = "none"
    kernels = ("gaussian", "linear")
    Params = ToyParams

    def start(self, problem, oracle, rng):
        if self.params.accident == "user":
            raise UserError("the data cannot be learned")
        if self.params.accident == "refuse":
            raise Refusal("toy does not like this data")
        return ToyRun(problem, oracle, self.params.accident)


ACCIDENTS = {
    "error": RuntimeError("a bug"),
    "memory": MemoryError("no row"),
    "overflow": FloatingPointError("responses are no longer finite"),
    "keyboard": KeyboardInterrupt("SIGINT"),
    "exit": SystemExit(3),
}


class ToyRun:
    def __init__(self, problem, oracle, accident):
        self.problem, self.oracle, self.accident = problem, oracle, accident
        self.iterations, self.converged, self.stalled = 0, False, False
        self.alpha, self.responses = np.zeros(problem.n), np.zeros(problem.n)
        self.diagonal = oracle.diagonal()

    def advance(self, counter, until, most=math.inf):
        last = self.iterations + most
        while self.oracle.ledger.as_dict()[counter] < until and self.iterations < last and not self.converged:
            if self.iterations == 5 and self.accident in ACCIDENTS:
                raise ACCIDENTS[self.accident]
            y, i = self.problem.y, self.iterations % self.problem.n
            new = np.clip(self.alpha[i] + (1 - self.responses[i]) / self.diagonal[i], 0, self.problem.C)
            self.responses += (new - self.alpha[i]) * y[i] * y * self.oracle.row(i)
            self.alpha[i] = new
            self.iterations += 1
            self.oracle.ledger.charge(iterations=1, maintained_changes=1, n=self.problem.n)
            if self.accident == "nan" and self.iterations == 5:
                self.responses[0] = np.nan

    def snapshot(self):
        model = KernelExpansion.from_alpha(self.alpha, self.problem.y)
        return Snapshot(model, self.responses.copy(), self.alpha.copy())


def two_clouds(n=30, d=3, seed=0, name="clouds"):
    """A small data set with noise: two Gaussian clouds that overlap."""
    rng = np.random.default_rng(seed)

    def part(n):
        y = np.where(np.arange(n) % 2, 1.0, -1.0)
        return Part((rng.normal(size=(n, d)) + 0.7 * y[:, None]).astype(np.float32), y)

    return Dataset(name, part(n), part(n // 2), part(2 * n), f"sum-of-{name}-{n}-{seed}", {})


def rounded_rows():
    """Small whole numbers, scaled as by `dataset.scaling=standard`: float32 rounds them all."""
    rng = np.random.default_rng(1)
    X, y = rng.integers(1, 50, (60, 2)), np.where(rng.random(60) < 0.5, 1.0, -1.0)
    train = Part((X - X.mean(axis=0)) / X.std(axis=0), y)
    return Dataset("rounded", train, None, None, "sum-of-rounded", {})
