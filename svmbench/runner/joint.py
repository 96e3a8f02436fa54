"""Training of one run on more than two classes: its binary problems in turn, observed together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench import multiclass
from svmbench.data import Dataset, Part
from svmbench.files import digest
from svmbench.multiclass import Sides
from svmbench.run_config import RunConfig
from svmbench.runner import prepare
from svmbench.runner.ends import End
from svmbench.runner.joint_rows import Trace, joint_end, joint_rows
from svmbench.runner.load import LoadMonitor
from svmbench.runner.memory import Allowance
from svmbench.runner.progress import PartProgress, Progress
from svmbench.runner.signals import Interrupt
from svmbench.runner.training import Task, Training, settle
from svmbench.solvers.base import Solver
from svmbench.store import Store, bits
from svmbench.store.joint_model import JointModel

if TYPE_CHECKING:
    from svmbench.store.model import StoredModel

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
    def seeds(self) -> dict[str, Any]:
        """Seeds of the run, the same for all problems, as if each were a run."""
        return prepare.seeds(self.config)

    @property
    def terms(self) -> dict[str, Any]:
        """The problem, as run.json holds it; of λ and C, what was given: the other depends on n."""
        asked = self.config.problem
        found = {"lam": asked.lam, "C": asked.C, "nu": None, "radius": None, "bias": asked.bias}
        found["multiclass"] = self.kind
        return found | ({} if asked.weights == "none" else {"weights": asked.weights})

    def binary(self, sides: Sides) -> Dataset:
        """Return the data set of a problem: its training examples, and all held-out ones."""
        data, X = self.data, self.data.train.X
        rows, y = multiclass.binary(data.train.y, sides)
        held_out = {
            name: Part(part.X, np.where(part.y == sides[0], 1.0, -1.0))
            for name in ("validation", "test")
            if (part := getattr(data, name)) is not None
        }
        checksum = digest([data.checksum, "classes", *sides], 64)
        part = Part(X if isinstance(rows, slice) else X[rows], y)
        return Dataset(data.name, part, held_out.get("validation"), held_out.get("test"), checksum, data.info)


class JointTraining:
    """One training of a joint task; parameters and attributes as of `svmbench.runner.training.Training`.

    Parameters
    ----------
    store : Store
        Holds the optima of the problems from which ν or R is derived.
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
    ) -> None:
        self._task = task
        self._store = store
        self._progress = progress
        self._interrupt = interrupt
        self._allowance = allowance
        self._marked = marked
        self._models: list[StoredModel] = []
        self._traces: list[Trace] = []
        self._failures: list[float] = []
        self._wrong: NDArray[np.bool_] | None = None
        self._ended = False
        self.load: dict[str, Any] | None = None

    def drive(self, checkpoint: Callable[[dict[str, Any]], None], *_: object) -> End:
        """Solve all problems, pass on the joint checkpoints, and return the joint end."""
        task, ends = self._task, []
        with LoadMonitor() as monitor:
            for number, sides in enumerate(task.problems, start=1):
                end = self._solve(number, sides)
                if end.status not in _ANSWERED or not self._traces[-1].rows:
                    name = multiclass.name(sides, task.data.classes)
                    return End(end.status, f"{end.reason}, in the binary problem {name}")
                ends.append(end)
        self.load = monitor.record()
        with self._interrupt.deferred():
            rows, self._wrong = joint_rows(task.kind, self._traces, task.data, task.config)
            for row in rows:
                checkpoint(row)
                self._progress.observed(row)
            self._ended = True
        return joint_end(ends, rows[-1])

    def _solve(self, number: int, sides: Sides) -> End:
        """Solve one problem; keep its checkpoints and its model."""
        task = self._task
        progress = PartProgress(self._progress, f"problem {number} of {len(task.problems)}")
        part = Task.of(task.config, task.binary(sides), task.solver)
        settled, best, _ = settle(part, self._store, self._allowance, progress)
        training = Training(settled, best, progress, self._interrupt, self._allowance, self._marked)
        trace = Trace(task.kind)
        self._traces.append(trace)
        end = training.drive(lambda row: trace.add(row, training.scores))
        model, rows = training.model(), multiclass.binary(task.data.train.y, sides)[0]
        if model is not None:
            self._models.append(model if isinstance(rows, slice) else model.of_rows(rows))
        self._failures += [] if training.failure is None else [training.failure]
        return end

    def model(self) -> JointModel | None:
        """Return the models of all problems; None before all have ended."""
        kind, classes = self._task.kind, len(self._task.data.classes)
        return JointModel(kind, classes, tuple(self._models)) if self._ended else None

    @property
    def wrong_tests(self) -> str | None:
        """The wrongly predicted test examples of the last checkpoint; None without a test set."""
        return None if self._wrong is None else bits.packed(self._wrong)

    @property
    def failure(self) -> float | None:
        """Probability that any gap of the last checkpoint is no bound, because it rests on a sample."""
        return sum(self._failures) if self._failures else None
