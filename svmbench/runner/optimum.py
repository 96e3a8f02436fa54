"""The certified optimum of the regularised problem: computed once, stored, the reference for all solvers.

It is computed by a dual method (`svmbench.runner.certifier`) to a relative duality gap of at most `TARGET`.
Its state is saved regularly, and every later run of the problem reuses the result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NotRequired, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from svmbench import simd
from svmbench.certify.certificate import norm_interval, nu_interval, proved
from svmbench.files import digest, sha256
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.unrounded import linear_data_over, oracle_over
from svmbench.locking import StillLocked
from svmbench.problem import Problem, nu_from_optimum
from svmbench.rng import Generator
from svmbench.run_config import KernelDocument
from svmbench.runner.certifier import (
    EPS,
    TARGET,
    Certifier,
    Limits,
    Search,
    Uncertified,
    choose,
    model_of,
    solve,
)
from svmbench.runner.memory import Allowance, OutOfAllowance
from svmbench.runner.observe import mistakes
from svmbench.solvers import registry
from svmbench.store import Store
from svmbench.store.state import LAYOUT
from svmbench.store.unfinished import UnfinishedOptimum

if TYPE_CHECKING:
    from svmbench.data import Dataset

Floats = NDArray[np.float64]
#: Counters and seconds of a computation; None for counters that do not apply.
Cost: TypeAlias = dict[str, float | None]


class OptimumKey(TypedDict):
    """Identity of a regularised problem."""

    dataset: dict[str, str]
    kernel: KernelDocument
    lam: float
    bias: str
    weights: NotRequired[str]
    precision: NotRequired[str]


@dataclass(frozen=True)
class Optimum:
    """A certified optimum; objectives are those of the λ-form.

    Attributes
    ----------
    key : dict
        The problem: data set (name, checksum), kernel, lam, bias; weights and precision, if not default.
    primal, dual, gap, relative_gap : float
        Upper and lower bound of the optimal objective, their difference, and the latter divided by `primal`.
    norm, mean_hinge : float
        |w*| and the mean hinge loss at w*.
    nu : float or None
        mean_hinge / norm, the slack budget with the same solution (SBP Lemma 2.1); None for w* = 0.
    nu_interval : list of float
        Bounds of ν* implied by the gap (`svmbench.certify.certificate.nu_interval`). None if ν* is undefined;
        the upper bound is None if it may be. Missing in older records.
    derived : dict of str to float
        ``nu`` and ``R`` as used by runs: rounded to the fewest digits that stay within the proven bounds
        (`svmbench.certify.certificate.proved`); None if w* = 0 is possible. Missing in older records, whose
        runs use all digits, of which the identity holds six.
    support_vectors, at_bound : int
        Coefficients above 0, and equal to C.
    test_mistakes : int or None
        Errors on the test set.
    test_error : float or None
        `test_mistakes` as a fraction.
    empty_test_error : float or None
        That of the empty model, which names the larger class of the training set (of equal ones, the first)
        for every example. Missing in older records.
    cost : dict
        Counters of the computation, wall_seconds and cpu_seconds.
    bias : float
        b*, 0 without bias.
    precision : str
        ``float64``: the bounds hold for the exact kernel; ``float32`` (older records): no bounds.
    """

    key: OptimumKey
    primal: float
    dual: float
    gap: float
    relative_gap: float
    norm: float
    mean_hinge: float
    nu: float | None
    support_vectors: int
    at_bound: int
    test_mistakes: int | None
    test_error: float | None
    cost: Cost
    bias: float
    precision: str
    nu_interval: list[float | None] | None = None
    derived: dict[str, float | None] | None = None
    empty_test_error: float | None = None


def optimum_key(
    problem: Problem, data: Dataset, kernel: KernelDocument, precision: str = "auto"
) -> OptimumKey:
    """Return the identity of a regularised problem; λ has 12 digits, so C = 1/(λn) gives the same one.

    With ``precision=double``, the kernel is that of the examples as loaded, not of multiples of a unit.
    """
    key: OptimumKey = {
        "dataset": {"name": data.name, "checksum": data.checksum},
        "kernel": kernel.copy(),
        "lam": float(f"{problem.lam:.12g}"),
        "bias": problem.bias,
    }
    if problem.weights is not None:
        key["weights"] = sha256(problem.weights.tobytes())
    if precision == "double":
        key["precision"] = precision
    return key


def lookup(store: Store, key: OptimumKey) -> Optimum | None:
    """Return the stored optimum of a problem, own or reference, or None."""
    record = store.optimum(digest(key))
    try:
        return None if record is None else Optimum(**record)
    except TypeError:  # it lacks a number that optima have, and is made again
        return None


def optimum(
    problem: Problem,
    data: Dataset,
    kernel: KernelDocument,
    store: Store,
    *,
    cache_bytes: int,
    threads: int = 1,
    precision: str = "auto",
    seconds: float | None = None,
    allowance: Allowance | None = None,
    say: Callable[[str], None],
) -> Optimum:
    """Return the certified optimum of a problem, computing it if it is not stored.

    Parameters
    ----------
    problem : Problem
        With or without bias.
    data : Dataset
        Training and test set.
    kernel : dict
        As in the resolved configuration.
    store : Store
        Holds the optima.
    cache_bytes : int
        Row cache of the computation.
    threads : int
        Threads of the oracle.
    precision : str
        As in the resolved configuration.
    seconds : float, optional
        Limit of the wall time of the computation, and of the wait for another process that computes the same
        optimum. Default: unlimited. No counter limits it: it is charged to no run, and its result serves
        runs of all budgets.
    allowance : Allowance, optional
        Memory that the process may hold. Default: unlimited.
    say : callable
        Receives messages about slow steps.

    Raises
    ------
    Uncertified
        If the gap cannot be certified to `TARGET`.
    TimeoutError
        If the computation or the wait takes longer than `seconds`.
    OutOfAllowance
        If the process holds more than `allowance`.
    """
    key = optimum_key(problem, data, kernel, precision)
    known, hash = lookup(store, key), digest(key)
    # What a process left that was killed as soon as it had the optimum is removed below.
    if known is not None and not any((store.root / "optima").glob(f".*{hash}*")):
        return known
    began = time.monotonic()
    try:
        lock = store.lock_optimum(hash, lambda who: say(f"waiting for {who} to compute the optimum"), seconds)
    except StillLocked as error:
        raise TimeoutError(
            f"the optimum behind it is still computed by {error} after {seconds:g} s"
        ) from None
    try:
        known = lookup(store, key)  # computed by another process during the wait
        if known is None:
            say(f"computing the optimum of the regularised problem once, to a relative gap of {TARGET:g}")
            seconds = None if seconds is None else max(0.0, seconds - (time.monotonic() - began))
            limits = Limits(seconds, allowance)
            oracle = partial(oracle_over, data.train.X, kernel, cache_bytes, threads, precision=precision)
            methods = [
                (one, UnfinishedOptimum(store, hash, _made_by(one)))
                for one in choose(kernel["name"], problem.bias)
            ]
            known = _compute(problem, data, key, oracle, limits, say, methods)
            store.put_optimum(asdict(known))
        UnfinishedOptimum(store, hash, {}).remove()
    finally:
        lock.remove()
    return known


def _compute(
    problem: Problem,
    data: Dataset,
    key: OptimumKey,
    oracle: Callable[[], Oracle],
    limits: Limits,
    say: Callable[[str], None],
    methods: Sequence[tuple[Certifier, UnfinishedOptimum]],
) -> Optimum:
    states = [unfinished.get() for _, unfinished in methods]
    # At most one method has a state; those before it have failed.
    place, paid = next((k for k, state in enumerate(states) if state is not None), 0), Cost()
    while True:
        certifier, unfinished = methods[place]
        attempt = _Attempt(certifier, problem, data.train.X, oracle, paid, unfinished)
        try:
            alpha, certificate = attempt.solve(states[place], limits, say)
            break
        except Uncertified as error:
            place, paid = place + 1, attempt.spent()
            if place == len(methods):
                raise
            say(f"{error}: continuing with {methods[place][0].solver}")
    reader, cost = attempt.reader, attempt.spent()
    wrong, share, empty = None, None, None
    if data.test is not None:
        model = model_of(alpha, problem, reader, certificate["bias"])
        wrong = mistakes(model.scores(reader, data.test.X), data.test.y)
        share = wrong / data.test.y.size
        larger = 1.0 if 2 * np.count_nonzero(problem.y > 0.0) > problem.n else -1.0
        empty = mistakes(np.full(data.test.y.size, larger), data.test.y) / data.test.y.size
    norm, loss = certificate["norm"], certificate["mean_hinge"]
    bounds = problem.lam, certificate["primal"], certificate["dual"], norm
    return Optimum(
        key=key,
        **certificate,
        nu=nu_from_optimum(loss, norm) if norm > 0.0 else None,
        nu_interval=list(nu_interval(*bounds)) if norm > 0.0 else None,
        derived=_derived(loss, bounds),
        support_vectors=int(np.count_nonzero(alpha)),
        at_bound=int(np.count_nonzero(alpha == problem.bounds)),
        test_mistakes=wrong,
        test_error=share,
        empty_test_error=empty,
        cost=cost,
        precision="float64",
    )


class _Attempt:
    """Search for an optimum by one method.

    The cost ``paid`` of the methods before is added, but not their iterations, which are another method's.
    """

    def __init__(
        self,
        certifier: Certifier,
        problem: Problem,
        X: Any,
        oracle: Callable[[], Oracle],
        paid: Cost,
        unfinished: UnfinishedOptimum,
    ) -> None:
        solver = registry.get(certifier.solver)
        linear = solver.access == "linear"
        self.reader = linear_data_over(X) if linear else oracle()
        self._paid, self._unfinished, self._resumable = paid, unfinished, solver.resumable
        self._run = solver(solver.Params(eps=EPS)).start(problem, self.reader, Generator(0))
        step = max(5, int(certifier.look * problem.n))
        self._search = Search(self._run, step, problem, self.reader)
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def solve(
        self,
        before: tuple[dict[str, NDArray[Any]], Cost] | None,
        limits: Limits,
        say: Callable[[str], None],
    ) -> tuple[Floats, dict[str, float]]:
        """Return α, shape (n,), and its bounds, continuing a stored state if given; see `certifier.solve`."""
        if before is not None:
            say("continuing an interrupted search for the optimum")
            arrays, cost = before
            self._paid = {name: cost[name] for name in ("wall_seconds", "cpu_seconds")}
            self._search.restore(arrays, cost)
        else:
            ledger = self.reader.ledger
            for name in ledger.as_dict().keys() & self._paid.keys() - {"iterations"}:
                setattr(ledger, name, getattr(ledger, name) + (self._paid[name] or 0))
        try:
            return solve(self._search, lambda: self._run.iterations, limits, say, self._keep)
        except (KeyboardInterrupt, TimeoutError, OutOfAllowance):
            self._keep()
            raise

    def spent(self, counts: Mapping[str, float | None] | None = None) -> Cost:
        """Return the counts so far, or those given, and the seconds."""
        counts = self.reader.ledger.as_dict() if counts is None else counts
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return {
            **counts,
            "wall_seconds": wall + (self._paid.get("wall_seconds") or 0.0),
            "cpu_seconds": cpu + (self._paid.get("cpu_seconds") or 0.0),
        }

    def _keep(self) -> None:
        state = self._search.state() if self._resumable else None
        if state is not None:
            self._unfinished.put(state[0], self.spent(state[1]))


def _derived(loss: float, bounds: tuple[float, float, float, float]) -> dict[str, float | None]:
    """Return ν and R for runs that derive them from this optimum; None if w* = 0 is possible."""
    *_, norm = bounds
    low, high = nu_interval(*bounds)
    if high is None:
        return {"nu": None, "R": None}
    return {
        "nu": proved(nu_from_optimum(loss, norm), low, high),
        "R": proved(norm, *norm_interval(*bounds)),
    }


def _made_by(certifier: Certifier) -> dict[str, int | str]:
    """Return what must be equal for a search to be continued bit for bit."""
    solver = registry.get(certifier.solver)
    return {"solver": solver.name, "version": solver.release(), "state": LAYOUT, "isa": simd.isa()}
