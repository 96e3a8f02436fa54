"""One run from its resolved configuration to its place in the store."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from svmbench import data as datasets
from svmbench import features
from svmbench.errors import Refusal, UserError
from svmbench.kernels._examples import Examples
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.raw import RawExamples
from svmbench.problem import Problem
from svmbench.run import prepare
from svmbench.run.environment import company, environment, peak_memory
from svmbench.run.loop import Clock, End, Loop
from svmbench.run.observe import Observer
from svmbench.run.optimum import lookup, optimum, optimum_key
from svmbench.run.progress import Progress
from svmbench.run.signals import Interrupt, handling
from svmbench.solvers import registry
from svmbench.solvers.base import Solver
from svmbench.solvers.parts.random import Generator
from svmbench.store import COMPLETE, RunWriter, Store, StoredRun
from svmbench.store.identity import digest, identity

if TYPE_CHECKING:
    from svmbench.data import Dataset

#: The parameter of a form that is left to the optimum where it is ``auto``: in the problem, and as a key.
_DERIVED = {"slack-constrained": ("nu", "nu"), "norm-bounded": ("radius", "R")}


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    Attributes
    ----------
    run : StoredRun or None
        The run; None if it ended before it had a place in the store.
    state : str
        ``done`` (a result), ``found`` (stored before, not repeated), ``refused``, ``failed`` (also out of
        memory) or ``interrupted``.
    reason : str
        One sentence.
    data : Dataset or None
        What it was trained on; None unless it was trained just now.
    predict : callable or None
        The decision function of its answer, from rows, shape (m, d), to scores, shape (m,); None likewise.
    """

    run: StoredRun | None
    state: str
    reason: str
    data: Dataset | None = None
    predict: Callable[[Any], NDArray[np.float64]] | None = None


def execute(config: dict[str, Any], *, progress: Progress) -> Outcome:
    """Make the run of a resolved configuration, or find it.

    Parameters
    ----------
    config : dict
        Resolved and validated (docs/architecture.md).
    progress : Progress
        Told what happens.

    Raises
    ------
    UserError
        For bad input; nothing is stored then.
    """
    with handling() as interrupt, threadpool_limits(limits=config["threads"]):
        try:
            return _execute(config, progress, interrupt)
        except KeyboardInterrupt:
            return Outcome(None, "interrupted", "interrupted before there was a run to store")


def _execute(config: dict[str, Any], progress: Progress, interrupt: Interrupt) -> Outcome:
    store = Store(config["results"])
    store.check_writable()
    prepare.check_memory(config["budget"])
    solver = registry.get(config["solver"]["name"])
    release = solver.release()
    where = config["data"]
    data = datasets.load(config["dataset"], mirror=where["mirror"], directory=where["dir"], say=progress.say)
    chosen = config.get("features")
    version = None if chosen is None else features.get(chosen["name"]).version
    same = identity(config, data.checksum, release, version)
    found = store.get(same)
    if found is not None and found.complete and not config["force"]:
        return Outcome(found, "found", f"stored before: {found.status}, {found.reason}")
    problem = build(config, data)
    writer = store.begin(same, _manifest(config, data, solver, problem, store), config["force"])
    return _Attempt(config, data, solver, problem, store, writer, progress, interrupt).make()


def build(config: dict[str, Any], data: Dataset) -> Problem:
    """Return the problem of a configuration; ν and R stay open where they are to be derived."""
    asked, given = config["problem"], config["solver"]
    known = {name: given[key] for name, key in _DERIVED.values() if given.get(key) not in (None, "auto")}
    return Problem.build(data.train.y, lam=asked["lam"], C=asked["C"], bias=asked["bias"], **known)


def _manifest(
    config: dict[str, Any], data: Dataset, solver: type[Solver], problem: Problem, store: Store
) -> dict[str, Any]:
    rows = {name: part.y.size for name in ("train", "validation", "test") if (part := getattr(data, name))}
    return {
        "config": config,
        "dataset": {
            "name": data.name,
            "checksum": data.checksum,
            "rows": rows,
            "features": data.train.X.shape[1],
        },
        "solver": {
            "name": solver.name,
            "version": solver.release(),
            "title": solver.title,
            "counting": solver.counting,
        },
        "problem": _terms(problem),
        "optimum": None,
        "seeds": prepare.seeds(config),
        "environment": store.put_environment(environment(config["threads"])),
        "company": company(store.running()),
    }


def _terms(problem: Problem) -> dict[str, Any]:
    return {name: getattr(problem, name) for name in ("lam", "C", "nu", "radius", "bias")}


class _Attempt:
    """A run that has begun: whatever happens now, its end is stored."""

    def __init__(
        self,
        config: dict[str, Any],
        data: Dataset,
        solver: type[Solver],
        problem: Problem,
        store: Store,
        writer: RunWriter,
        progress: Progress,
        interrupt: Interrupt,
    ) -> None:
        self._config = config
        self._data = data
        self._solver = solver
        self._problem = problem
        self._store = store
        self._writer = writer
        self._progress = progress
        self._interrupt = interrupt
        self._cache = prepare.cache_bytes(config["budget"], problem.n)
        self._bound: float | None = None
        self._predict: Callable[[Any], NDArray[np.float64]] | None = None

    def make(self) -> Outcome:
        """Train and store the end."""
        try:
            reason = prepare.refusal(self._solver, self._config)
            if reason is not None:
                raise Refusal(reason)
            self._optimum()
            end = self._train()
        except KeyboardInterrupt as signal:
            end = End("interrupted", f"interrupted by {signal}")
        except Refusal as error:
            end = End("refused", str(error))
        except UserError:
            self._writer.discard()
            raise
        except MemoryError as error:
            end = End("out_of_memory", f"out of memory: {error}" if str(error) else "out of memory")
        except FloatingPointError as error:
            end = End("diverged", str(error))
        except Exception as error:
            self._writer.log(traceback.format_exc())
            end = End("failed", f"{type(error).__name__}: {error}; see error.log in the run's folder")
        with self._interrupt.deferred():
            run = self._writer.finish(
                end.status,
                end.reason,
                company=company(self._store.running() - 1),
                peak_memory=round(peak_memory(), 1),
            )
        state = "done" if end.status in COMPLETE else "failed"
        state = end.status if end.status in ("refused", "interrupted") else state
        return Outcome(run, state, end.reason, self._data, self._predict)

    def _optimum(self) -> None:
        """Find the certified optimum where it is known, and make it where ν or R depends on it."""
        problem, kernel = self._problem, self._config["kernel"]
        if "features" in self._config:
            return  # another problem, whose optimum is not stored
        best = lookup(self._store, optimum_key(problem, self._data, kernel))
        name, key = _DERIVED.get(self._solver.form, ("lam", "lam"))
        if getattr(problem, name) is None:
            threads, say = self._config["threads"], self._progress.say
            best = best or optimum(
                problem, self._data, kernel, self._store, cache_bytes=self._cache, threads=threads, say=say
            )
            if best.nu is None:
                raise UserError(
                    f"{key}=auto needs an optimum that is not zero; give solver.{key}=NUMBER or a smaller lam"
                )
            problem = self._problem = (
                replace(problem, nu=best.nu) if name == "nu" else replace(problem, radius=best.norm)
            )
        if best is not None:
            self._bound = best.dual
            self._writer.amend(optimum=digest(best.key), problem=_terms(problem))

    def _read(self, access: str, clock: Clock) -> Oracle | Examples | RawExamples:
        """Return the training examples as a solver of that access reads them; making features is training."""
        X, config = self._data.train.X, self._config
        if "features" in config:
            with clock:
                return prepare.feature_map(config, X).examples()
        if access == "linear":
            return Examples(X)
        if access == "data":
            return RawExamples(X, config["kernel"], self._cache, config["threads"])
        # Rows made ahead would count towards a budget in evaluations really made, and move its checkpoints.
        ahead = config["prefetch"] and config["budget"]["counter"] not in ("kev_computed", "inner_products")
        return Oracle(X, config["kernel"], self._cache, config["threads"], prefetch=ahead)

    def _train(self) -> End:
        config, problem = self._config, self._problem
        clock = Clock()
        oracle = self._read(self._solver.access, clock)
        seen = oracle if self._solver.access != "data" else self._read(self._solver.observed, clock)
        generator = Generator(prepare.seeds(config)["generator"])
        run = self._solver(prepare.parameters(self._solver, config)).start(problem, oracle, generator)
        loop = Loop(
            run,
            oracle.ledger,
            prepare.first_checkpoint(self._solver, config["budget"]["counter"], problem.n),
            config["budget"],
            config["observe"]["points"],
            Observer(problem, seen, self._data, self._bound),
            self._writer.checkpoint,
            self._interrupt,
            self._progress,
            clock,
            self._solver.refits,
        )
        with self._interrupt.deferred():
            end = loop.drive()
            model = run.snapshot().model
        self._predict = partial(model.scores, seen)
        return end
