"""One run from its resolved configuration to its place in the store."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from svmbench import data as datasets
from svmbench import features
from svmbench.errors import Refusal, UserError
from svmbench.kernels.given import warning
from svmbench.rng import Generator
from svmbench.run_config import RunConfig
from svmbench.runner import prepare
from svmbench.runner.clock import Clock
from svmbench.runner.continuation import Beginning, beginning, keeping
from svmbench.runner.ends import End, end_by
from svmbench.runner.environment import concurrent_load, peak_memory
from svmbench.runner.folds import cross_validate
from svmbench.runner.guard import needed
from svmbench.runner.loop import Loop, LoopSpec, Surroundings
from svmbench.runner.manifest import manifest
from svmbench.runner.margin import FAILURE
from svmbench.runner.memory import Allowance
from svmbench.runner.models import stored_model
from svmbench.runner.observe import Observer
from svmbench.runner.optimum import Optimum, lookup, optimum, optimum_key
from svmbench.runner.outcome import Outcome
from svmbench.runner.progress import Progress
from svmbench.runner.signals import Interrupt, handling
from svmbench.runner.spawn import check_threads
from svmbench.runner.translation import posed
from svmbench.solvers import registry
from svmbench.solvers.base import Snapshot, Solver
from svmbench.store import AlreadyStored, RunWriter, StorageError, Store, StoredRun
from svmbench.store.identity import DERIVED, derived_from, identity, rounded

if TYPE_CHECKING:
    from svmbench.data import Dataset

    _Load = Callable[..., Dataset]
    from svmbench.store.model import StoredModel


def execute(
    config: RunConfig,
    *,
    progress: Progress,
    load: _Load | None = None,
    runs_before: int = 0,
    wait: bool = False,
) -> Outcome:
    """Make the run of a resolved configuration, or find it.

    Parameters
    ----------
    config : RunConfig
        What is to be run.
    progress : Progress
        Told what happens.
    load : callable, optional
        In place of `svmbench.data.load`: one that keeps the data set from run to run.
    runs_before : int
        Runs that this process has made before: its code and perhaps its data are warm. Stored with the run.
    wait : bool
        Where another process makes the run now, wait for it; by default that is a `UserError`.

    Raises
    ------
    UserError
        For bad input; nothing is stored then.
    """
    check_threads(config.threads)
    with handling() as interrupt, threadpool_limits(limits=config.threads):
        try:
            return _execute(config, progress, interrupt, load or datasets.load, runs_before, wait)
        except KeyboardInterrupt:
            return Outcome(None, "interrupted", "interrupted before there was a run to store")


def _execute(
    config: RunConfig,
    progress: Progress,
    interrupt: Interrupt,
    load: _Load,
    runs_before: int,
    wait: bool,
) -> Outcome:
    store = Store(config.results)
    store.check_writable()
    prepare.check_memory(config.budget)
    solver, where = registry.get(config.solver.name), config.data
    release = solver.release()
    reason = prepare.refusal(solver, config)
    if reason is not None:
        raise UserError(reason)
    data = load(config.dataset.document(), mirror=where.mirror, directory=where.dir, say=progress.say)
    version = None if config.features is None else features.get(config.features.name).version
    same = identity(config, data.checksum, release, version)
    return _Attempt(config, data, solver, store, same, progress, interrupt).make(runs_before, wait)


class _Attempt:
    """A run whose configuration is valid: whatever happens now, its end is stored."""

    def __init__(
        self,
        config: RunConfig,
        data: Dataset,
        solver: type[Solver],
        store: Store,
        same: dict[str, Any],
        progress: Progress,
        interrupt: Interrupt,
    ) -> None:
        self._allowance = Allowance.of(config, data)
        self._marked: Callable[[float], AbstractContextManager[object]] = nullcontext
        self._config = config
        self._data = data
        self._posed = posed(data, config, solver.access)
        self._solver = solver
        self._problem = prepare.problem(config, data.train.y)
        self._seeds = prepare.seeds(config)
        self._store = store
        self._same = same
        self._progress = progress
        self._interrupt = interrupt
        self._cache = prepare.cache_bytes(config.budget, self._problem.n)
        self._best: Optimum | None = None
        self._loop: Loop | None = None
        self._observer: Observer | None = None
        self._map: features.FeatureMap | None = None
        self._traceback: str | None = None
        self._predict: Callable[[Any], NDArray[np.float64]] | None = None
        self._validation: dict[str, Any] | None = None

    def make(self, runs_before: int, wait: bool) -> Outcome:
        """Find the run, or train and store the end."""
        end = self._ended(self._settle)
        found = self._store.get(self._same)
        if found is not None and found.complete and not self._config.force:
            return Outcome.found(found)
        about = manifest(self._config, self._data, self._solver, self._problem, self._store, self._best)
        about |= {"seeds": self._seeds, "runs_before": runs_before}
        if self._allowance is not None:
            about["memory"] = self._allowance.about
        waiting = (lambda who: self._progress.say(f"waiting for {who} to make this run")) if wait else None
        n = self._problem.n
        same = self._config, self._same, self._solver, self._store, n, self._progress.say
        before = beginning(*same) if end is None else None
        if before is not None:
            about["continued"] = before.about
        try:
            writer = self._store.begin(self._same, about, self._config.force, waiting)
        except AlreadyStored as known:  # by another process meanwhile
            return Outcome.found(known.run)
        if needed(self._config):
            self._marked = writer.training
        try:
            end = end or self._ended(self._cross_validate)
            end = end or self._ended(lambda: self._train(writer.checkpoint, writer, before))
            with self._interrupt.deferred():
                run = self._finish(writer, end)
        except StorageError:
            writer.abandon()
            raise
        except UserError:
            writer.discard()
            raise
        return Outcome.of(run, data=self._data, predict=self._predict)

    def _ended(self, step: Callable[[], End | None]) -> End | None:
        """Take a step; return the end of the run if it was one, whatever it came from."""
        try:
            return step()
        except (Exception, KeyboardInterrupt) as error:
            end = end_by(error)
            if end.status == "failed":
                self._traceback = traceback.format_exc()
            return end

    def _finish(self, writer: RunWriter, end: End | None) -> StoredRun:
        """Store the model of the last checkpoint and the end."""
        assert end is not None, "the training loop gave no end"
        if self._traceback is not None:
            writer.log(self._traceback)
        if self._loop is not None and self._loop.seen is not None:
            writer.put_model(self._model(*self._loop.seen))
        return writer.finish(
            end.status,
            end.reason,
            wrong_tests=None if self._observer is None else self._observer.wrong_tests,
            concurrent_load=concurrent_load(self._store.running() - 1),
            **({} if self._validation is None else {"cross_validation": self._validation}),
            peak_memory=round(peak_memory(), 1),
            **self._certified(),
        )

    def _certified(self) -> dict[str, float]:
        """Return the probability that a bound of the run's gaps fails, where one rests on a sample."""
        precision = None if self._loop is None or self._loop.row is None else self._loop.row.get("precision")
        return {"failure_probability": FAILURE} if precision in ("rounding", "confidence") else {}

    def _model(self, snapshot: Snapshot, iterations: int) -> StoredModel:
        chosen = self._config.features
        model = stored_model(
            snapshot,
            iterations,
            y=self._problem.y,
            kernel=self._config.kernel.document(),
            checksum=self._data.checksum,
            features=None if chosen is None else {**chosen.document(), "seed": self._seeds["features"]},
            map=self._map,
        )
        return self._posed.stored(model)

    def _settle(self) -> None:
        """Complete problem and identity by the certified optimum.

        The optimum is taken where it is known, and made where ν or R depends on it.
        """
        problem, kernel = self._problem, self._config.kernel.document()
        if self._config.features is not None:
            return  # another problem, whose optimum is not stored
        best = lookup(self._store, optimum_key(problem, self._data, kernel))
        name, key = DERIVED.get(self._solver.form, ("lam", "lam"))
        if getattr(problem, name) is None:
            threads, say = self._config.threads, self._progress.say
            seconds = self._config.budget.seconds
            best = best or optimum(
                problem, self._posed.data, kernel, self._store, cache_bytes=self._cache, threads=threads,
                seconds=seconds, allowance=self._allowance, say=say,
            )  # fmt: skip
            value = derived_from(vars(best), key)
            if best.nu is None or value is None:
                raise Refusal(
                    f"{key}=auto needs an optimum that is not zero; give solver.{key}=NUMBER or a smaller lam"
                )
            problem = self._problem = (
                replace(problem, nu=value) if name == "nu" else replace(problem, radius=value)
            )
            self._same = {**self._same, "derived": {key: rounded(value)}}
        self._best = best

    def _read(self, access: str, clock: Clock) -> prepare.Examples:
        """Return the training examples as a solver of that access reads them; making features is training."""
        X, config = self._posed.data.train.X, self._config
        if config.features is None:
            return prepare.examples(config, X, access, self._cache)
        with clock:
            self._map = prepare.feature_map(config, X, self._seeds["features"])
            return self._map.examples()

    def _cross_validate(self) -> End | None:
        """Fit once for each fold, if that is asked for, before the run's own training: both take memory."""
        if self._config.validate is None:
            return None
        self._validation, end = cross_validate(self._data, self._config, self._fit, self._progress)
        return end

    def _fit(self, data: Dataset, config: RunConfig, progress: Progress) -> tuple[End, dict[str, Any]]:
        """Train on other examples by the same rules; return the end and the last checkpoint."""
        other = _Attempt(config, data, self._solver, self._store, self._same, progress, self._interrupt)
        other._marked = self._marked
        rows: list[dict[str, Any]] = []
        other._settle()
        return other._train(rows.append), rows[-1] if rows else {}

    def _train(
        self,
        checkpoint: Callable[[dict[str, Any]], None],
        writer: RunWriter | None = None,
        before: Beginning | None = None,
    ) -> End:
        config, problem, clock = self._config, self._problem, Clock()
        solver, oracle = self._solver, self._read(self._solver.access, clock)
        coarse = warning(oracle)
        if coarse is not None:
            self._progress.say(coarse)
        counted = solver.access != "data"  # what programs of others evaluate says nothing of their time
        seen = oracle if counted else self._read(solver.observed, clock)
        generator = Generator(self._seeds["generator"])
        run = solver(solver.Params(**config.solver.parameters)).start(problem, oracle, generator)
        best, due = self._best, False
        bound = best.dual if best is not None and best.precision == "float64" else None
        limited = counted and config.budget.gap is None
        exact = counted and solver.exact
        observer = self._observer = Observer(
            problem, seen, self._posed.data, bound, config.observe.train, limited, exact, config.budget
        )
        if before is not None:
            clock, due = before.stand(run, oracle.ledger, observer, checkpoint)
        around = Surroundings(
            observer, checkpoint, self._interrupt, self._progress, keeping(writer, solver, observer),
            self._allowance, self._marked, partial(self._posed.answer, problem=problem),
            None if limited or not exact else observer.promising,
        )  # fmt: skip
        spec = LoopSpec.of(config, solver, problem.n)
        loop = self._loop = Loop(run, oracle.ledger, spec, around, clock, due)
        with self._interrupt.deferred():
            end = loop.drive()
        if loop.seen is not None:
            model, rows = loop.seen[0].model, self._posed.rows  # not `self`: a circle keeps rows in memory
            self._predict = lambda X: model.scores(seen, rows(X))
        return end
