"""Preparation of a run: whether the solver supports the configuration, its problem, memory and seeds."""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from svmbench import features
from svmbench.errors import UserError
from svmbench.features.base import FeatureMap
from svmbench.files import sha256
from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.kernels.layouts._layout import PADDING
from svmbench.kernels.unrounded import linear_data_over, oracle_over
from svmbench.problem import Problem, class_weights
from svmbench.rng import Generator
from svmbench.run_config import BudgetConfig, Choice, RunConfig
from svmbench.runner.environment import available_bytes
from svmbench.solvers import registry
from svmbench.solvers.base import Solver
from svmbench.solvers.baselines._data import BaselineData

#: Training examples as solvers read them.
Examples: TypeAlias = Oracle | LinearData | BaselineData


class Seeds(TypedDict):
    """Seeds of a run, as run.json holds them."""

    entropy: list[int]
    generator: int
    features: NotRequired[int]


class Terms(TypedDict):
    """The problem of a run, as run.json holds it; of several binary ones, what they have in common."""

    lam: float | None
    C: float | None
    nu: float | None
    radius: float | None
    bias: str
    multiclass: NotRequired[str]
    weights: NotRequired[str]


#: Fraction of the available memory for an unlimited row cache.
_SHARE = 0.8

_MIB = 1024 * 1024


def refusal(solver: type[Solver], config: RunConfig) -> str | None:
    """Return why the solver does not support the configuration, or None if it does."""
    kernel, bias = config.kernel.name, config.problem.bias
    if config.features is not None:
        reason = _unfit_features(solver, config.features.name, kernel)
        if reason is not None:
            return reason
    elif solver.kernels is not None and kernel not in solver.kernels:
        other = ", features=nystrom" if solver.access == "linear" else ""
        return (
            f"{solver.name} cannot use kernel={kernel}: it needs {_either('kernel', solver.kernels)}; "
            f"give that{other}, or another solver"
        )
    if bias not in solver.biases:
        return (
            f"{solver.name} cannot solve with problem.bias={bias}: "
            f"it needs {_either('problem.bias', solver.biases)}; give that, or another solver"
        )
    if config.problem.weights != "none" and not solver.weighted:
        able = ", ".join(name for name in registry.names() if registry.get(name).weighted)
        return (
            f"{solver.name} cannot solve with problem.weights={config.problem.weights}: leave it out, or "
            f"give another solver: {able}"
        )
    counter = config.budget.counter
    if solver.access == "data" and counter != "iterations":
        return (
            f"what {solver.name} evaluates cannot be observed, so that budget.counter={counter} stands "
            "still: give budget.counter=iterations"
        )
    if solver.access == "linear" and counter.startswith("kev_"):
        return (
            f"{solver.name} evaluates no kernels, so that budget.counter={counter} stands still: "
            "give budget.counter=inner_products or budget.counter=iterations"
        )
    return None


def _unfit_features(solver: type[Solver], name: str, kernel: str) -> str | None:
    """Return why features of that name cannot be used, or None if they can."""
    if solver.access != "linear":
        return (
            f"{solver.name} evaluates the kernel itself and takes no features={name}: "
            "give features=none, or a linear solver"
        )
    allowed = features.get(name).kernels
    if allowed is not None and kernel not in allowed:
        return (
            f"features={name} cannot approximate kernel={kernel}: it needs {_either('kernel', allowed)}; "
            "give that, or other features"
        )
    return None


def feature_map(config: RunConfig, X: Any, seed: int) -> FeatureMap:
    """Return the feature map of a configuration, fitted to training rows X, shape (n, d), with its own seed.

    Raises
    ------
    UserError
        If the features of all examples exceed the available memory, or cannot be made.
    """
    chosen = config.features
    assert chosen is not None
    needed, available = features_bytes(chosen, *X.shape), available_bytes()
    if needed > available:
        raise UserError(
            f"not enough memory for features={chosen.name}: {X.shape[0]} examples take "
            f"{needed // _MIB} MiB, only {available // _MIB} MiB available; give fewer features"
            + ("" if chosen.parameters.get("lazy", True) else ", or features.lazy=true")
        )
    kind, params = _features(chosen)
    return kind(X, config.kernel_document(), params, Generator(seed), config.threads)


def features_bytes(chosen: Choice | None, n: int, d: int) -> int:
    """Return an upper bound of the bytes taken by the features of n training examples of width d, or 0."""
    if chosen is None:
        return 0
    kind, params = _features(chosen)
    return kind.bytes_needed(params, n, d)


def _features(chosen: Choice) -> tuple[type[FeatureMap], Any]:
    kind = features.get(chosen.name)
    return kind, kind.Params(**chosen.parameters)


def problem(config: RunConfig, y: NDArray[np.float64]) -> Problem:
    """Return the problem of a configuration over labels y, shape (n,); ν and R stay open if derived."""
    asked, given = config.problem, config.solver.parameters
    nu, radius = (
        float(value) if isinstance(value := given.get(key), int | float) else None for key in ("nu", "R")
    )
    weights = class_weights(y) if asked.weights == "balanced" else None
    return Problem.build(y, lam=asked.lam, C=asked.C, bias=asked.bias, nu=nu, radius=radius, weights=weights)


def first_checkpoint(solver: type[Solver], counter: str, n: int) -> int:
    """Return the counter's value at the first checkpoint, about one iteration of the method.

    Parameters
    ----------
    solver : type of Solver
        The method.
    counter : str
        Counter of the budget.
    n : int
        Number of training examples.
    """
    return 1 if counter == "iterations" or solver.access != "kernel" else n


def _either(key: str, values: tuple[str, ...]) -> str:
    return " or ".join(f"{key}={value}" for value in values)


def check_memory(budget: BudgetConfig) -> None:
    """Raise UserError if the requested row cache exceeds the available memory."""
    if budget.memory is None:
        return
    available = available_bytes()
    if budget.memory * _MIB > available:
        raise UserError(
            f"not enough memory for the requested cache: budget.memory={budget.memory:g} MiB, "
            f"only {available // _MIB} MiB available; give a smaller budget.memory"
        )


def cache_bytes(budget: BudgetConfig, n: int) -> int:
    """Return the size of the row cache for n training examples, at most their whole kernel matrix.

    Without a limit, it is at most 80 % of the available memory.
    """
    gram = n * 4 * (-(-n // PADDING) * PADDING)
    if budget.memory is None:
        return min(gram, int(_SHARE * available_bytes()))
    return min(gram, int(budget.memory * _MIB))


def examples(config: RunConfig, X: Any, access: str, cache_bytes: int) -> Examples:
    """Return training rows X, shape (n, d), in the form for a solver's access, without features."""
    if access == "linear":
        return linear_data_over(X)
    if access == "data":
        return BaselineData(X, config.kernel_document(), cache_bytes, config.threads)
    # Prefetched rows would count towards a budget of computed evaluations, and move its checkpoints.
    ahead = config.prefetch and config.budget.counter not in ("kev_computed", "inner_products")
    about = config.kernel_document(), cache_bytes, config.threads
    return oracle_over(X, *about, prefetch=ahead, precision=config.precision)


def seeds(config: RunConfig) -> Seeds:
    """Return the 64-bit seed of the run's generator, and the entropy it was derived from.

    It depends on the user's seed, the data set and the solver, so adding a solver does not change the
    numbers of others, and no two solvers share a stream. The seed of ``features`` does not depend on the
    solver: all solvers get the same features.
    """
    entropy, generator = _stream(config, config.solver)
    result: Seeds = {"entropy": entropy, "generator": generator}
    return result if config.features is None else {**result, "features": _stream(config, config.features)[1]}


def _stream(config: RunConfig, user: Choice) -> tuple[list[int], int]:
    """Return the entropy and the seed of the generator of a solver or feature map."""
    names = (config.dataset.name, user.name)
    entropy = [config.seed, *(int(sha256(name.encode())[:16], 16) for name in names)]
    return entropy, int(np.random.SeedSequence(entropy).generate_state(1, np.uint64)[0])
