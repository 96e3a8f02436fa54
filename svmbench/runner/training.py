"""Training of one solver on one data set: its examples, the solver, an observer and the loop, joined."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from svmbench.certify.gap_bounds import FAILURE
from svmbench.errors import Refusal
from svmbench.kernels.unrounded import indistinct, warning
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.run_config import RunConfig
from svmbench.runner import prepare
from svmbench.runner.clock import Clock
from svmbench.runner.continuation import Beginning, keeping
from svmbench.runner.end_states import End
from svmbench.runner.load import LoadMonitor
from svmbench.runner.loop import Loop, LoopSpec, Surroundings
from svmbench.runner.memory import Allowance
from svmbench.runner.models import stored_model
from svmbench.runner.observe import Observer
from svmbench.runner.optimum import Optimum, lookup, optimum, optimum_key
from svmbench.runner.progress import Progress
from svmbench.runner.signals import Interrupt
from svmbench.runner.translation import Posed, posed
from svmbench.solvers.base import Solver, StartableRun
from svmbench.store import Store
from svmbench.store.identity import DERIVED, derived_from
from svmbench.store.trace import Row

if TYPE_CHECKING:
    from svmbench.data import Dataset
    from svmbench.features.base import FeatureMap
    from svmbench.store.facts import Load
    from svmbench.store.model import StoredModel
    from svmbench.store.state import State


#: What is said if single precision cannot tell the predictions of a model.
_IN_DOUBLE = (
    "held-out errors are computed in double precision: single precision leaves the signs of most scores open"
)


@dataclass(frozen=True)
class Task:
    """A configuration applied to a data set.

    Attributes
    ----------
    config : RunConfig
        The configuration.
    data : Dataset
        The data set as loaded.
    solver : type of Solver
        The solver.
    posed : Posed
        The data set as the solver sees it.
    problem : Problem
        The problem over the training labels.
    seeds : dict
        Seeds of the run (`svmbench.runner.prepare.seeds`).
    first : ndarray of float64, shape (n,), or None
        The first point. None: 0.
    """

    config: RunConfig
    data: Dataset
    solver: type[Solver]
    posed: Posed
    problem: Problem
    seeds: prepare.Seeds
    first: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, config: RunConfig, data: Dataset, solver: type[Solver]) -> Task:
        """Return the task of a valid configuration; ν and R stay open if they are derived."""
        problem, seeds = prepare.problem(config, data.train.y), prepare.seeds(config)
        return cls(config, data, solver, posed(data, config, solver.access), problem, seeds)

    @property
    def terms(self) -> prepare.Terms:
        """The problem, as run.json holds it."""
        weights, own = self.config.problem.weights, self.problem
        found = prepare.Terms(lam=own.lam, C=own.C, nu=own.nu, radius=own.radius, bias=own.bias)
        return found if weights == "none" else {**found, "weights": weights}

    @property
    def cache_bytes(self) -> int:
        """Size of the row cache."""
        return prepare.cache_bytes(self.config.budget, self.problem.n)


def settle(
    task: Task, store: Store, allowance: Allowance | None, progress: Progress
) -> tuple[Task, Optimum | None, dict[str, float]]:
    """Look up the certified optimum of a task, and compute it if ν or R depends on it.

    Returns
    -------
    Task
        With ν or R in its problem.
    Optimum or None
        The optimum, if known.
    dict
        ν or R by the key of the solver, if it was derived from the optimum.

    Raises
    ------
    Refusal
        If ν or R depends on an optimum that is zero.
    """
    config, problem, kernel = task.config, task.problem, task.config.kernel_document()
    if config.features is not None:
        return task, None, {}  # another problem, whose optimum is not stored
    best = lookup(store, optimum_key(problem, task.data, kernel, config.precision))
    name, key = DERIVED.get(task.solver.form, ("lam", "lam"))
    if getattr(problem, name) is not None:
        return task, best, {}
    if best is None:
        progress.doing("solving the optimum")
    best = best or optimum(
        problem, task.posed.data, kernel, store, cache_bytes=task.cache_bytes, threads=config.threads,
        precision=config.precision, seconds=config.budget.seconds, allowance=allowance, say=progress.say,
    )  # fmt: skip
    value = derived_from(vars(best), key)
    if best.nu is None or value is None:
        raise Refusal(
            f"{key}=auto needs an optimum that is not zero; give solver.{key}=NUMBER or a smaller lam"
        )
    solved = replace(problem, nu=value) if name == "nu" else replace(problem, radius=value)
    return replace(task, problem=solved), best, {key: value}


class Training:
    """One training of a task, from its first iteration to its end.

    Parameters
    ----------
    task : Task
        What is trained.
    best : Optimum or None
        Its optimum, if known.
    progress : Progress
        Told what happens.
    interrupt : Interrupt
        Ends the training on a signal.
    allowance : Allowance or None
        Memory that the process may take; None: unlimited.
    marked : callable
        Returns a context manager that is entered while the clock runs, from the seconds trained so far.

    Attributes
    ----------
    predict : callable or None
        Decision function of the last checkpoint, from rows, shape (m, d), to scores, shape (m,).
    load : dict or None
        Load of the machine while it trained.
    """

    def __init__(
        self,
        task: Task,
        best: Optimum | None,
        progress: Progress,
        interrupt: Interrupt,
        allowance: Allowance | None,
        marked: Callable[[float], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self._task = task
        self._best = best
        self._progress = progress
        self._interrupt = interrupt
        self._allowance = allowance
        self._marked = marked
        self._loop: Loop | None = None
        self._observer: Observer | None = None
        self._map: FeatureMap | None = None
        self.predict: Callable[[Any], NDArray[np.float64]] | None = None
        self.load: Load | None = None

    def drive(
        self,
        checkpoint: Callable[[Row], None],
        put_state: Callable[[State], None] | None = None,
        before: Beginning | None = None,
    ) -> End:
        """Train to the end.

        Parameters
        ----------
        checkpoint : callable
            Receives the row of each checkpoint.
        put_state : callable, optional
            Stores the state of a solver that can be continued.
        before : Beginning, optional
            A stored run that is continued.
        """
        task, config, clock = self._task, self._task.config, Clock()
        problem, solver = task.problem, task.solver
        oracle = self._read(solver.access, clock)
        coarse = warning(oracle) or indistinct(oracle)
        if coarse is not None:
            self._progress.say(coarse)
        counted = solver.access != "data"  # the evaluations of a baseline are unknown
        if task.posed.linear:
            seen = self._read("linear", clock)  # as the weights that are stored
        else:
            seen = oracle if counted else self._read(solver.observed, clock)
        scorer = self._map or seen
        if config.problem.multiclass == "one_vs_rest" and hasattr(scorer, "compared"):
            scorer.compared = True  # the largest score wins
        generator = Generator(task.seeds["generator"])
        run = solver(solver.Params(**config.solver.parameters)).start(problem, oracle, generator)
        best, due = self._best, False
        bound = best.dual if best is not None and best.precision == "float64" else None
        limited = counted and config.budget.gap is None
        exact = counted and solver.exact
        observer = self._observer = Observer(
            problem, seen, task.posed.data, bound, config.observe.train, limited, exact, config.budget
        )
        if task.first is not None and before is None:
            with clock:
                cast(StartableRun, run).begin(task.first)
        if before is not None:
            clock, due = before.stand(run, oracle.ledger, observer, checkpoint)
        around = Surroundings(
            observer, checkpoint, self._interrupt, self._progress, keeping(put_state, solver, observer),
            self._allowance, self._marked, partial(task.posed.answer, problem=problem),
            None if limited or not exact else observer.promising,
        )  # fmt: skip
        first = prepare.first_checkpoint(solver, config.budget.counter, problem.n)
        spec = LoopSpec(config.budget, first, config.observe, solver)
        loop = self._loop = Loop(run, oracle.ledger.as_dict, spec, around, clock, due)
        with self._interrupt.deferred(), LoadMonitor() as monitor:
            end = loop.drive()
        self.load = monitor.record()
        if getattr(seen, "in_double", False):
            self._progress.say(_IN_DOUBLE)
        if loop.seen is not None:
            model, rows = loop.seen[0].model, task.posed.rows  # not `self`: a cycle would keep rows in memory
            self.predict = lambda X: model.scores(seen, rows(X))
        return end

    def _read(self, access: str, clock: Clock) -> prepare.Examples:
        """Return the training examples for an access; making features is timed as training."""
        task, X = self._task, self._task.posed.data.train.X
        if task.config.features is None:
            return prepare.examples(task.config, X, access, task.cache_bytes)
        with clock:
            self._map = prepare.feature_map(task.config, X, task.seeds["features"])
            return self._map.examples()

    @property
    def wrong_tests(self) -> Any:
        """The wrongly predicted test examples of the last checkpoint; None before the first one."""
        return None if self._observer is None else self._observer.wrong_tests

    @property
    def alpha(self) -> NDArray[np.float64] | None:
        """The dual point of the last checkpoint, shape (n,); None before the first one or without one."""
        return None if self._loop is None or self._loop.seen is None else self._loop.seen[0].alpha

    @property
    def scores(self) -> dict[str, NDArray[np.float64]]:
        """Scores of the last checkpoint by held-out part, as far as they were computed."""
        return {} if self._observer is None else self._observer.scores

    @property
    def predicted(self) -> int | None:
        """Evaluations for predictions so far, those of `predict` included; None if they are not counted."""
        return None if self._loop is None else self._loop.counts()["kev_prediction"]

    @property
    def failure(self) -> float | None:
        """Probability that the gap of the last checkpoint is no bound, because it rests on a sample."""
        row = None if self._loop is None else self._loop.row
        return FAILURE if row is not None and row.get("precision") in ("rounding", "confidence") else None

    def model(self) -> StoredModel | None:
        """Return the model of the last checkpoint, over the data set as loaded."""
        if self._loop is None or self._loop.seen is None:
            return None
        task, chosen = self._task, self._task.config.features
        snapshot, iterations = self._loop.seen
        model = stored_model(
            snapshot,
            iterations,
            y=task.problem.y,
            kernel=task.config.kernel_document(),
            checksum=task.data.checksum,
            features=None if chosen is None else {**chosen.document(), "seed": task.seeds["features"]},
            map=self._map,
        )
        return task.posed.stored(model)
