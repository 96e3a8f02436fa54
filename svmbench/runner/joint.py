"""Training of one run on more than two classes: its binary problems in turn, observed together."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from svmbench import multiclass
from svmbench.data import Dataset, Part
from svmbench.files import digest
from svmbench.multiclass import Sides
from svmbench.run_config import RunConfig
from svmbench.runner import prepare
from svmbench.runner.end_states import End, end_by
from svmbench.runner.joint_continuation import Kept
from svmbench.runner.joint_rows import Trace, joint_end, joint_rows
from svmbench.runner.load import LoadMonitor
from svmbench.runner.memory import Allowance
from svmbench.runner.progress import PartProgress, Progress
from svmbench.runner.signals import Interrupt
from svmbench.runner.training import Task, Training, settle
from svmbench.solvers.base import Solver
from svmbench.store import Store, bits
from svmbench.store.joint_model import JointModel
from svmbench.store.kept_problems import KeptProblem
from svmbench.store.trace import Row

if TYPE_CHECKING:
    from svmbench.store.facts import Load
    from svmbench.store.state import State

#: Ends of a binary problem with an answer; any other one ends the run.
_ANSWERED = ("converged", "stalled", "budget", "timeout")


@dataclass(frozen=True)
class JointTask:
    """A configuration of several binary problems applied to a data set of more than two classes.

    Attributes
    ----------
    config : RunConfig
        The configuration; the limits of its budget apply to each problem.
    data : Dataset
        The data set as loaded.
    solver : type of Solver
        The solver.
    """

    config: RunConfig
    data: Dataset
    solver: type[Solver]

    @property
    def kind(self) -> str:
        """``one_vs_one`` or ``one_vs_rest``."""
        return self.config.problem.multiclass

    @property
    def problems(self) -> list[Sides]:
        """The binary problems."""
        return multiclass.problems(self.kind, len(self.data.classes))

    @property
    def terms(self) -> prepare.Terms:
        """The problem, as run.json holds it; of λ and C, what was given: the other depends on n."""
        asked = self.config.problem
        found = prepare.Terms(
            lam=asked.lam, C=asked.C, nu=None, radius=None, bias=asked.bias, multiclass=self.kind
        )  # fmt: skip
        return found if asked.weights == "none" else {**found, "weights": asked.weights}

    @property
    def first(self) -> int:
        """The counter's value at the first checkpoint of the smallest problem."""
        n = min(multiclass.binary(self.data.train.y, sides)[1].size for sides in self.problems)
        return prepare.first_checkpoint(self.solver, self.config.budget.counter, n)

    def binary(self, sides: Sides) -> Dataset:
        """Return the data set of a problem: its training examples, and all held-out ones."""
        data, X = self.data, self.data.train.X
        rows, y = multiclass.binary(data.train.y, sides)
        held_out = {
            name: Part(part.X, np.where(part.y == sides[0], 1.0, -1.0))
            for name, part in data.parts.items()
            if name != "train"
        }
        checksum = digest([data.checksum, "classes", *sides], 64)
        part = Part(X if isinstance(rows, slice) else X[rows], y)
        return Dataset(data.name, part, held_out.get("validation"), held_out.get("test"), checksum, data.info)


class JointTraining:
    """One training of a joint task; parameters and attributes as of `Training`, and these.

    Parameters
    ----------
    store : Store
        Holds the optima of the problems from which ν or R is derived.
    put_problem : callable, optional
        Stores a problem that has ended, and now and then one that has not.
    kept : Kept, optional
        Problems that a stopped run has kept.
    """

    predict = alpha = None  # there are several

    def __init__(
        self,
        task: JointTask,
        store: Store,
        progress: Progress,
        interrupt: Interrupt,
        allowance: Allowance | None,
        marked: Callable[[float], AbstractContextManager[object]] = nullcontext,
        put_problem: Callable[[KeptProblem], None] | None = None,
        kept: Kept | None = None,
    ) -> None:
        self._task = task
        self._store = store
        self._progress = progress
        self._interrupt = interrupt
        self._allowance = allowance
        self._marked = marked
        self._put = put_problem
        self._kept = kept or Kept()
        self._solved: list[KeptProblem] = []
        self._wrong: NDArray[np.bool_] | None = None
        self._ended = False
        self.load: Load | None = None

    def drive(self, checkpoint: Callable[[Row], None], *_: object) -> End:
        """Solve all problems, pass on the joint checkpoints, and return the joint end."""
        task, kept, interrupt, ends = self._task, self._kept, self._interrupt, []
        if kept.problems:
            count = f"{kept.solved} of {len(task.problems)} binary problems"
            self._progress.say(f"continuing {kept.run}: {count} are solved")
        with LoadMonitor() as monitor:
            for number, sides in enumerate(task.problems, start=1):
                name = multiclass.name(sides, task.data.classes)
                if interrupt.requested is not None:  # while the last one ended
                    reason = f"interrupted by {interrupt.requested} before the binary problem {name}"
                    return End("interrupted", reason)
                try:
                    solved = kept.ended(number) or self._solve(number, sides)
                except Exception as error:
                    end = end_by(error)
                    if end.status == "failed":
                        raise  # for its traceback
                    solved = KeptProblem(number, [], [], (end.status, end.reason))
                assert solved.end is not None
                end = End(*solved.end)
                if end.status not in _ANSWERED or not solved.rows:
                    return End(end.status, f"{end.reason}, in the binary problem {name}")
                self._solved.append(solved)
                ends.append(end)
        self.load = monitor.record()
        with interrupt.deferred():
            traces = [Trace(task.kind, one.rows, one.answers) for one in self._solved]
            rows, self._wrong = joint_rows(task.kind, traces, task.data, task.config, task.first)
            for row in rows:
                checkpoint(row)
                self._progress.observed(row)
            self._ended = True
        return joint_end(ends, rows[-1])

    def _solve(self, number: int, sides: Sides) -> KeptProblem:
        """Solve one problem, from its kept state if there is one, and store it if it has an answer."""
        task, put = self._task, self._put
        progress = PartProgress(self._progress, f"problem {number} of {len(task.problems)}")
        part = Task.of(task.config, task.binary(sides), task.solver)
        settled, best, _ = settle(part, self._store, self._allowance, progress)
        training = Training(settled, best, progress, self._interrupt, self._allowance, self._marked)
        begun = self._kept.beginning(number, task.config, task.solver, part.problem.n)
        known = [] if begun is None else self._kept.problems[number].answers[: len(begun.common)]
        trace = Trace(task.kind, answers=known)
        own = weakref.proxy(training)  # a cycle would keep the rows of this problem in memory during the next

        def put_state(state: State) -> None:
            if put is not None:
                put(KeptProblem(number, trace.rows, trace.answers, state=state))

        end = training.drive(
            lambda row: trace.add(row, own.scores), None if put is None else put_state, begun
        )
        model, rows = training.model(), multiclass.binary(task.data.train.y, sides)[0]
        if model is not None and not isinstance(rows, slice):
            model = model.of_rows(rows)
        outcome = end.status, end.reason
        solved = KeptProblem(number, trace.rows, trace.answers, outcome, model, training.failure)
        if put is not None and end.status in _ANSWERED and trace.rows:
            with self._interrupt.deferred():
                if task.config.observe.train and training.predict is not None:
                    progress.doing("checkpoint")
                    trace.answer({"train": training.predict(task.data.train.X)})
                    trace.rows[-1]["kev_prediction"] = training.predicted
                put(solved)
        return solved

    def model(self) -> JointModel | None:
        """Return the models of all problems; None before all have ended."""
        models = tuple(one.model for one in self._solved if one.model is not None)
        return JointModel(self._task.kind, len(self._task.data.classes), models) if self._ended else None

    @property
    def wrong_tests(self) -> str | None:
        """The wrongly predicted test examples of the last checkpoint; None without a test set."""
        return None if self._wrong is None else bits.packed(self._wrong)

    @property
    def failure(self) -> float | None:
        """Probability that any gap of the last checkpoint is no bound, because it rests on a sample."""
        failures = [one.failure for one in self._solved if one.failure is not None]
        return sum(failures) if failures else None
