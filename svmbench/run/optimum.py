"""The certified optimum of the regularised problem: made once, stored, the yardstick of all solvers.

Decomposition with a large working set works on the dual until the relative duality gap is at most `TARGET`.
The certificate is made afresh from the coefficients alone: responses, norm, primal and dual objective are
recomputed by the oracle, so that no error of the solver's own bookkeeping can hide in it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.kernels._oracle import Oracle
from svmbench.problem import (
    Problem,
    balanced,
    best_bias,
    dual_objective,
    mean_hinge,
    nu_from_optimum,
    primal_objective,
)
from svmbench.run.observe import mistakes
from svmbench.solvers import registry
from svmbench.solvers.base import KernelExpansion, Run
from svmbench.solvers.parts.random import Generator
from svmbench.store import Store
from svmbench.store.identity import digest

if TYPE_CHECKING:
    from svmbench.data import Dataset

Floats = NDArray[np.float64]

#: Relative duality gap, (primal - dual) / primal, at or below which an optimum is accepted.
TARGET = 1e-6

#: Tolerance of the solver: so small that the gap decides, so large that float64 can reach it.
_EPS = 1e-10

#: What computes it, with either bias, and its iterations between two looks at the gap.
_SOLVER = "decomposition"
_ITERATIONS = 5


@dataclass(frozen=True)
class Optimum:
    """A certified optimum; objectives are those of the λ-form.

    Attributes
    ----------
    key : dict
        The problem: data set (name, checksum), kernel, lam, bias.
    primal, dual, gap, relative_gap : float
        Bounds of the optimal objective from above and below, their difference, the same over the primal.
    norm, mean_hinge : float
        |w*| and the mean hinge loss at w*.
    nu : float or None
        mean_hinge / norm, the slack budget with the same solution (SBP Lemma 2.1); None for w* = 0.
    support_vectors, at_bound : int
        Coefficients above 0, and equal to C.
    test_mistakes : int or None
        Errors on the test set.
    test_error : float or None
        The same as a fraction.
    cost : dict
        Ledger of the computation, wall_seconds and cpu_seconds.
    bias : float
        b*, 0 in a problem without bias; records made before there was one lack it.
    """

    key: dict[str, Any]
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
    cost: dict[str, Any]
    bias: float = 0.0


def optimum_key(problem: Problem, data: Dataset, kernel: dict[str, Any]) -> dict[str, Any]:
    """Return what identifies a regularised problem; λ to 12 digits, so that C = 1/(λn) names the same one."""
    return {
        "dataset": {"name": data.name, "checksum": data.checksum},
        "kernel": dict(kernel),
        "lam": float(f"{problem.lam:.12g}"),
        "bias": problem.bias,
    }


def lookup(store: Store, key: dict[str, Any]) -> Optimum | None:
    """Return the stored optimum of a problem, own or reference, or None."""
    record = store.optimum(digest(key))
    if record is None:
        return None
    content = {name: record[name] for name in Optimum.__dataclass_fields__ if name in record}
    return Optimum(**content) if record["checksum"] == digest(content) else None


def optimum(
    problem: Problem,
    data: Dataset,
    kernel: dict[str, Any],
    store: Store,
    *,
    cache_bytes: int,
    threads: int = 1,
    say: Callable[[str], None],
) -> Optimum:
    """Return the certified optimum of a problem; computed by one process once, then read from the store.

    Parameters
    ----------
    problem : Problem
        With or without bias.
    data : Dataset
        Training and test set.
    kernel : dict
        As in the resolved configuration.
    store : Store
        Where it is looked for and kept.
    cache_bytes : int
        Row cache of the computation.
    threads : int
        Threads of the oracle.
    say : callable
        Told what takes long.

    Raises
    ------
    ArithmeticError
        If the gap cannot be certified to `TARGET`.
    """
    key = optimum_key(problem, data, kernel)
    known = lookup(store, key)
    if known is not None:
        return known
    hash = digest(key)
    lock = store.lock_optimum(hash, lambda who: say(f"waiting for the optimum that {who} computes"))
    try:
        known = lookup(store, key)  # made while this process waited
        if known is None:
            say(f"computing the optimum of the regularised problem once, to a relative gap of {TARGET:g}")
            known = _compute(problem, data, kernel, key, cache_bytes, threads, say)
            record = asdict(known)
            store.put_optimum(hash, {**record, "checksum": digest(record)})
    finally:
        lock.remove()
    return known


def _compute(
    problem: Problem,
    data: Dataset,
    kernel: dict[str, Any],
    key: dict[str, Any],
    cache_bytes: int,
    threads: int,
    say: Callable[[str], None],
) -> Optimum:
    oracle = Oracle(data.train.X, kernel, cache_bytes, threads)
    solver = registry.get(_SOLVER)
    run = solver(solver.Params(eps=_EPS)).start(problem, oracle, Generator(0))
    wall, cpu = time.perf_counter(), time.process_time()
    alpha, certificate = _solve(run, problem, oracle, say)
    cost = {**oracle.ledger.as_dict()}
    cost.update(wall_seconds=time.perf_counter() - wall, cpu_seconds=time.process_time() - cpu)
    wrong, share = None, None
    if data.test is not None:
        model = KernelExpansion.from_alpha(alpha, problem.y, certificate["bias"])
        wrong = mistakes(
            oracle.decision_function(model.indices, model.coefficients, model.bias, data.test.X), data.test.y
        )
        share = wrong / data.test.y.size
    norm, loss = certificate["norm"], certificate["mean_hinge"]
    return Optimum(
        key=key,
        **certificate,
        nu=nu_from_optimum(loss, norm) if norm > 0.0 else None,
        support_vectors=int(np.count_nonzero(alpha)),
        at_bound=int(np.count_nonzero(alpha == problem.C)),
        test_mistakes=wrong,
        test_error=share,
        cost=cost,
    )


def _solve(
    run: Run, problem: Problem, oracle: Oracle, say: Callable[[str], None]
) -> tuple[Floats, dict[str, float]]:
    """Advance until the recomputed gap is at most `TARGET`; return α, shape (n,), and its certificate."""
    said = time.monotonic()
    while True:
        run.advance("iterations", run.iterations + _ITERATIONS)
        snapshot = run.snapshot()
        if snapshot.alpha is None or snapshot.responses is None:
            raise TypeError("the solver of the optimum gives no dual point with responses")
        gap = certify(problem, snapshot.alpha, snapshot.responses)["relative_gap"]
        if time.monotonic() - said >= 10.0:
            said = time.monotonic()
            say(f"optimum: {run.iterations} iterations, relative gap {gap:.1e}")
        if gap <= TARGET or run.converged:
            model = KernelExpansion.from_alpha(snapshot.alpha, problem.y)
            fresh = problem.y * oracle.training_scores(model.indices, model.coefficients)
            certificate = certify(problem, snapshot.alpha, fresh)
            if certificate["relative_gap"] <= TARGET:
                return snapshot.alpha, certificate
            if run.converged:
                raise ArithmeticError(
                    f"the optimum is certified to a relative gap of {certificate['relative_gap']:.1e} only, "
                    f"{TARGET:g} is needed"
                )


def certify(problem: Problem, alpha: Floats, responses: Floats) -> dict[str, float]:
    """Return primal, dual, gap, relative_gap, norm, mean_hinge and bias at a dual point.

    The primal objective is that of its w, with the best bias for it where the problem has one.

    Parameters
    ----------
    problem : Problem
        With or without bias.
    alpha : ndarray of float64, shape (n,)
        Coefficients.
    responses : ndarray of float64, shape (n,)
        y_i <w, Φ(x_i)> of their w, without bias, maintained or recomputed.

    Raises
    ------
    ArithmeticError
        If α is not within [0, C], or not balanced where there is a bias: its dual objective would be no
        bound.
    """
    if not (alpha.min() >= 0.0 and alpha.max() <= problem.C):
        raise ArithmeticError(
            f"coefficients from {alpha.min()} to {alpha.max()} are not within [0, {problem.C}]"
        )
    bias = 0.0
    if problem.bias == "unregularised":
        if not balanced(alpha, problem.y):
            raise ArithmeticError(f"the signed coefficients sum to {float(alpha @ problem.y)}, not to 0")
        bias = best_bias(problem.y, responses)
    norm2 = max(0.0, float(alpha @ responses))
    loss = mean_hinge(responses, problem.y * bias)
    primal = primal_objective(problem.lam, norm2, loss)
    gap = primal - dual_objective(problem.lam, alpha, norm2)
    return {
        "primal": primal,
        "dual": primal - gap,
        "gap": gap,
        "relative_gap": gap / primal if primal > 0.0 else 0.0,
        "norm": math.sqrt(norm2),
        "mean_hinge": loss,
        "bias": bias,
    }
