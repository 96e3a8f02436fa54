"""One run from its resolved configuration to its place in the store."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from svmbench import data as datasets
from svmbench import features
from svmbench.data.subset import sampled
from svmbench.errors import UserError
from svmbench.files import digest
from svmbench.problem import moved
from svmbench.run_config import RunConfig
from svmbench.runner import prepare
from svmbench.runner.continuation import Beginning, beginning
from svmbench.runner.end_states import End, end_by
from svmbench.runner.environment import concurrent_load, environment, peak_memory
from svmbench.runner.folds import cross_validate, is_optimal, together
from svmbench.runner.guard import needed
from svmbench.runner.joint import JointTask, JointTraining
from svmbench.runner.joint_continuation import Kept, kept_before
from svmbench.runner.load import wait_until_quiet
from svmbench.runner.memory import Allowance
from svmbench.runner.outcome import Outcome
from svmbench.runner.progress import Progress
from svmbench.runner.signals import Interrupt, handling
from svmbench.runner.spawn import check_threads
from svmbench.runner.starting import fingerprint, first_point, named, refuse_unless_startable
from svmbench.runner.training import Task, Training, settle
from svmbench.solvers import registry
from svmbench.store import AlreadyStored, RunWriter, StorageError, Store, StoredRun
from svmbench.store.identity import Identity, identity, rounded
from svmbench.store.trace import Row

if TYPE_CHECKING:
    from svmbench.data import Dataset
    from svmbench.runner.optimum import Optimum
    from svmbench.store.joint_model import JointModel
    from svmbench.store.model import StoredModel

    _Load = Callable[..., Dataset]

#: Numbers of the reference optimum in run.json.
_OPTIMUM = ("primal", "dual", "relative_gap", "norm", "mean_hinge", "nu", "nu_interval", "bias")


def execute(
    config: RunConfig,
    *,
    progress: Progress,
    load: _Load | None = None,
    runs_before: int = 0,
    wait: bool = False,
    ready: Callable[[], None] | None = None,
) -> Outcome:
    """Train and store the run of a resolved configuration, or find it in the store.

    Parameters
    ----------
    config : RunConfig
        The configuration.
    progress : Progress
        Told what happens.
    load : callable, optional
        Replaces `svmbench.data.load`, for example to keep a data set between runs.
    runs_before : int
        Runs that this process made before, so that its code and perhaps its data are warm. Stored.
    wait : bool
        If another process is making this run, wait for it; by default that is a `UserError`.
    ready : callable, optional
        Called before a run that is not stored yet begins; returns when the machine is free for it.

    Raises
    ------
    UserError
        For bad input; nothing is stored.
    """
    check_threads(config.threads)
    with handling() as interrupt, threadpool_limits(limits=config.threads):
        try:
            attempt = _prepared(config, progress, interrupt, load or datasets.load)
            return attempt.make(runs_before, wait, ready)
        except KeyboardInterrupt:
            return Outcome(None, "interrupted", "interrupted before there was a run to store")


def _prepared(config: RunConfig, progress: Progress, interrupt: Interrupt, load: _Load) -> _Attempt:
    """Return the attempt at a configuration and its data; a `UserError` if they cannot be used."""
    store = Store(config.results)
    if not os.path.isdir(store.root):  # in a folder that is there, read-only or not, the run may be stored
        store.check_writable()
    prepare.check_memory(config.budget)
    solver = registry.get(config.solver.name)
    release = solver.release()
    reason = prepare.refusal(solver, config)
    if reason is not None:
        raise UserError(reason)
    if config.validate is not None and config.validate.warm:
        refuse_unless_startable(config, "the run's own answer (validate.warm=true)")
    config = named(config, store)
    progress.doing("loading")
    data = load(**config.loading(), say=progress.say)
    if config.subset is not None:
        data = sampled(data, config.subset, config.seed)
    version = None if config.features is None else features.get(config.features.name).version
    same = identity(config, data.checksum, release, version)
    allowance = Allowance.of(config, data)  # before the task: its copies of the data count
    several = config.problem.multiclass != "none"
    task = JointTask(config, data, solver) if several else Task.of(config, data, solver)
    if config.start is not None and isinstance(task, Task):
        first = first_point(config, data.checksum, task.problem, store)
        task, same["start"] = replace(task, first=first), fingerprint(first)
    return _Attempt(task, store, same, allowance, progress, interrupt)


class _Attempt:
    """A run whose configuration is valid: whatever happens now, its end is stored."""

    def __init__(
        self,
        task: Task | JointTask,
        store: Store,
        same: Identity,
        allowance: Allowance | None,
        progress: Progress,
        interrupt: Interrupt,
    ) -> None:
        self._task = task
        self._store = store
        self._same = same
        self._allowance = allowance
        self._progress = progress
        self._interrupt = interrupt
        self._best: Optimum | None = None
        self._answer = _Answer()
        self._validation: dict[str, Any] | None = None
        self._traceback: str | None = None
        self._marked: Callable[[float], AbstractContextManager[object]] = nullcontext

    def make(self, runs_before: int, wait: bool, ready: Callable[[], None] | None) -> Outcome:
        """Find the run, or train and store the end."""
        end = self._ended(self._settle)
        task, store, progress = self._task, self._store, self._progress
        found = store.get(self._same)
        if found is not None and found.complete and not task.config.force:
            return Outcome.found(found)
        about = _manifest(task, store, self._best)
        about |= {"seeds": prepare.seeds(task.config), "runs_before": runs_before}
        if self._allowance is not None:
            about["memory"] = self._allowance.about
        waiting = (lambda who: progress.say(f"waiting for {who} to make this run")) if wait else None
        before = self._beginning() if end is None else None
        if before is not None:
            about["continued"] = before.about
        if end is None and ready is not None:
            ready()  # a signal meanwhile leaves nothing to store
        try:
            writer = store.begin(self._same, about, task.config.force, waiting)
        except AlreadyStored as known:  # by another process meanwhile
            return Outcome.found(known.run)
        if needed(task.config):
            self._marked = writer.training
        try:
            if isinstance(before, Kept):
                with self._interrupt.deferred():  # now, so that they remain however this attempt ends
                    before.put(writer)
            warm = task.config.validate is not None and task.config.validate.warm
            if not warm:
                end = end or self._ended(self._cross_validate)
            end = end or self._ended(self._wait) or self._trained(writer, before)
            if warm and end.status != "interrupted" and self._answer.alpha is not None:
                self._answer.predict = None  # with it goes the row cache
                end = self._ended(self._cross_validate) or end
            with self._interrupt.deferred():
                run = self._finish(writer, end)
        except StorageError:
            writer.abandon()
            raise
        except UserError:
            writer.discard()
            raise
        return Outcome.of(run, data=task.data, predict=self._answer.predict)

    def _ended(self, step: Callable[[], End | None]) -> End | None:
        """Take a step; return the end of the run if the step ended it, by its result or an exception."""
        try:
            return step()
        except (Exception, KeyboardInterrupt, SystemExit) as error:  # a solver may call sys.exit
            end = end_by(error)
            if end.status == "failed":
                self._traceback = traceback.format_exc()
            return end

    def _settle(self) -> None:
        """Complete the problem and the identity by the certified optimum."""
        if isinstance(self._task, JointTask):  # each of its problems is completed when it begins
            return
        self._task, self._best, derived = settle(self._task, self._store, self._allowance, self._progress)
        if derived:
            derived = {key: rounded(value) for key, value in derived.items()}
            self._same = {**self._same, "derived": derived}

    def _trained(self, writer: RunWriter, before: Beginning | Kept | None) -> End:
        """Train on all examples; return the end and keep the answer."""
        training = self._own_training(writer, before)
        begun = before if isinstance(before, Beginning) else None
        end = self._ended(lambda: training.drive(writer.checkpoint, writer.put_state, begun))
        assert end is not None, "the training loop gave no end"
        self._answer = _Answer(
            training.model(), training.alpha, training.predict,
            {
                "wrong_tests": training.wrong_tests,
                **({} if training.load is None else {"load": training.load}),
                **({} if training.failure is None else {"failure_probability": training.failure}),
            },
        )  # fmt: skip
        return end

    def _beginning(self) -> Beginning | Kept | None:
        """Return what this run continues, if anything."""
        task, store = self._task, self._store
        if isinstance(task, JointTask):
            return kept_before(task.config, self._same, store, self._progress.say)
        return beginning(task.config, self._same, task.solver, store, task.problem.n, self._progress.say)

    def _own_training(self, writer: RunWriter, before: Beginning | Kept | None) -> Training | JointTraining:
        """Return the training of the run itself."""
        task, progress, allowance = self._task, self._progress, self._allowance
        if isinstance(task, JointTask):
            around = progress, self._interrupt, allowance, self._marked
            kept = before if isinstance(before, Kept) else None
            return JointTraining(task, self._store, *around, writer.put_problem, kept)
        return self._training_of(task, self._best, allowance, progress)

    def _training_of(
        self, task: Task, best: Optimum | None, allowance: Allowance | None, progress: Progress
    ) -> Training:
        return Training(task, best, progress, self._interrupt, allowance, self._marked)

    def _cross_validate(self) -> End | None:
        """Fit once per fold, if requested, before or after the run's own training: each takes memory."""
        task = self._task
        if task.config.validate is None:
            return None
        self._validation, end = cross_validate(task.data, task.config, self._fit, self._progress)
        return end

    def _wait(self) -> None:
        """Wait for a quiet machine, if requested, before the run's own training."""
        quiet = self._task.config.budget.quiet
        if quiet is not None:
            self._progress.doing("waiting")
            wait_until_quiet(quiet, self._progress.say)

    def _fit(
        self, data: Dataset, kept: NDArray[np.int64], config: RunConfig, progress: Progress
    ) -> tuple[End, Row]:
        """Train on the kept examples of a fold; return the end and the last checkpoint.

        A fit that begins at the answer on all examples is influenced by the fold unless it reaches an
        optimum. If it ends elsewhere, for example by a budget, it is repeated from 0, with the costs of
        both fits.
        """
        allowance = Allowance.of(config, data)
        if isinstance(self._task, JointTask):
            return self._fit_jointly(replace(self._task, config=config, data=data), allowance, progress)
        task, best, _ = settle(Task.of(config, data, self._task.solver), self._store, allowance, progress)
        tries = [task]
        if self._answer.alpha is not None:
            before = self._task.problem.bounds[kept]
            loss = str(config.solver.parameters.get("loss", "hinge"))
            first = moved(self._answer.alpha[kept], before, task.problem, loss)
            tries.insert(0, replace(task, first=first))
        last: list[Row] = []
        for one in tries:
            rows: list[Row] = []
            end = self._training_of(one, best, allowance, progress).drive(rows.append)
            last += rows[-1:]
            if end.status == "interrupted" or (rows and is_optimal(end, rows[-1], config.budget)):
                break
        return end, together(last) if rows else {}

    def _fit_jointly(
        self, task: JointTask, allowance: Allowance | None, progress: Progress
    ) -> tuple[End, Row]:
        """Train on the examples of a task without a fold; return the end and the last checkpoint."""
        rows: list[Row] = []
        training = JointTraining(task, self._store, progress, self._interrupt, allowance, self._marked)
        return training.drive(rows.append), rows[-1] if rows else {}

    def _finish(self, writer: RunWriter, end: End | None) -> StoredRun:
        """Store the model of the last checkpoint and the end."""
        assert end is not None, "the training loop gave no end"
        if self._traceback is not None:
            writer.log(self._traceback)
        answer = self._answer
        if answer.model is not None:
            writer.put_model(answer.model)
        return writer.finish(
            end.status,
            end.reason,
            concurrent_load=concurrent_load(self._store.running() - 1),
            **({} if self._validation is None else {"cross_validation": self._validation}),
            peak_memory=round(peak_memory(), 1),
            **answer.about,
        )


@dataclass
class _Answer:
    """What is stored of a training, without its examples and rows; by default of none."""

    model: StoredModel | JointModel | None = None
    alpha: NDArray[np.float64] | None = None
    predict: Callable[[Any], NDArray[np.float64]] | None = None
    about: Mapping[str, Any] = field(default_factory=lambda: {"wrong_tests": None})


def _manifest(task: Task | JointTask, store: Store, best: Optimum | None) -> dict[str, Any]:
    """Return run.json of a run that begins, without its identity; ``best`` is its reference optimum."""
    config, data, solver = task.config, task.data, task.solver
    rows = {name: part.y.size for name, part in data.parts.items()}
    return {
        "config": config.document(),
        "dataset": {
            "name": data.name,
            "checksum": data.checksum,
            "rows": rows,
            "features": data.train.X.shape[1],
            "columns": data.info.get("columns"),  # None: prepared by an older version
            # Known for the user's own data and several classes only; `svmbench predict` needs them.
            **{key: data.info[key] for key in ("labels", "filling") if data.info.get(key)},
        },
        "solver": {
            "name": solver.name,
            "version": solver.release(),
            "title": solver.title,
            "counting": solver.counting,
        },
        "problem": task.terms,
        "optimum": None if best is None else digest(best.key),
        # As of now: the stored optimum may be replaced.
        "optimum_values": None if best is None else {name: getattr(best, name) for name in _OPTIMUM},
        "environment": store.put_environment(environment(config.threads)),
        "concurrent_load": concurrent_load(store.running()),
    }
