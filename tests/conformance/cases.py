"""Small problems on which every solver is tried."""

import importlib.util
import time
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from numpy.typing import NDArray

from svmbench.counters import COUNTERS
from svmbench.errors import UserError
from svmbench.kernels._linear_data import LinearData
from svmbench.kernels._oracle import Oracle
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry
from svmbench.solvers.base import Run, Snapshot
from svmbench.solvers.baselines._data import BaselineData
from tests.kernels.reference import KERNELS

N, D = 37, 5
ALL_ROWS = 1 << 20
ROW_BYTES = 4 * 64  # of a kept row: 37 values and the rest of their tiles

#: The counters that can move in a solver, by what it reads the data through.
MOVING = {"kernel": COUNTERS, "linear": ("inner_products", "iterations"), "data": ("iterations",)}

LAYOUTS = {"dense": lambda X: X, "csr": scipy.sparse.csr_array}
#: Names of a specification with their defaults, which also tell what each is; see `tests.specification`.
DEFAULTS: dict[str, Any] = {
    "VARIANTS": [{}],
    "REFUSED": [],
    "ENDLESS": {},
    "APPROXIMATE": [],
    "ROWS_PER_ITERATION": 1,
    "ADDS_ROWS": False,
    "SIGNS": "labels",
    "POINTS": False,
    "ON_DEMAND": False,
    "TIES": False,
    "ROUNDING": 1e-9,
    "RATE": 0.6,
    "WITHIN": 0.02,
    "LOOKS": 0,
}

#: CPU seconds in which a solver must have reached what tests of its optimum ask for, all of them together.
LIMIT = 60.0
_spent: dict[str, float] = {}

#: Forms of the same data whose rows are made in blocks ahead of need, if the cache has room.
IN_BLOCKS = {"wide": lambda X: np.pad(X, ((0, 0), (0, 95)))}


@cache  # reading entry points reads files of all distributions, and every variant of every test asks
def specification(name: str) -> ModuleType:
    """The specification of a solver: of a plug-in, the one that its package names (docs/add-a-solver.md)."""
    for entry in entry_points(group="svmbench.specifications", name=name):
        return entry.load()
    module = f"tests.specification.{name}"
    if importlib.util.find_spec(module) is None:
        raise FileNotFoundError(
            f"tests/specification/{name}.py is missing: write it as docs/add-a-solver.md says"
        )
    return importlib.import_module(module)


def declared(name: str, what: str) -> Any:
    """What the specification of a solver says by one of the names of `DEFAULTS`."""
    return getattr(specification(name), what, DEFAULTS[what])


def advance(name: str, run: Run, goal: int, enough: Callable[[], bool] = lambda: False) -> None:
    """Advance to an iteration, or until enough is reached; fail after `LIMIT` seconds of this solver.

    It is asked whether it is enough after 1,000 iterations, and whenever they have doubled.
    """
    mark, began = 1000, time.process_time()
    while not (run.converged or run.stalled) and run.iterations < goal:
        run.advance("iterations", min(goal, run.iterations + 1000, mark))
        if run.iterations >= mark:
            mark *= 2
            if enough():
                return
        now = time.process_time()
        _spent[name], began = _spent.get(name, 0.0) + now - began, now
        if _spent[name] > LIMIT:
            pytest.fail(
                f"{name} has not reached the optimum after {LIMIT:.0f} s of computation, the last of them on "
                f"{run.iterations} iterations: let it converge faster, or list in APPROXIMATE of its "
                "specification the parameters with which it only approaches the optimum",
                pytrace=False,
            )


def variants(access: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """Every solver, or those of one kind, with all parameters that its specification tries and every bias.

    The bias stands among the parameters, as ``bias``, where it is not the solver's first. What the
    specification says to be refused is left out.
    """
    return [
        (name, variant)
        for name in registry.names()
        if access in (None, registry.get(name).access)
        for bias in registry.get(name).biases
        for given in declared(name, "VARIANTS")
        for variant in [given | ({} if bias == registry.get(name).biases[0] else {"bias": bias})]
        if not any(refused.items() <= variant.items() for refused in refusals(name))
    ]


def with_kernels() -> list[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Every variant of a kernel method with every kernel that it can use."""
    return [
        (name, given, kernel)
        for kernel in KERNELS
        for name, given in variants("kernel")
        if kernel_of(name, kernel) == kernel
    ]


def refusals(name: str) -> list[dict[str, Any]]:
    """Parameters that the method of that name refuses together."""
    return declared(name, "REFUSED")


def observed(through: str) -> list[tuple[str, dict[str, Any]]]:
    """Every variant whose answers are observed through an Oracle (kernel) or LinearData (linear)."""
    return [pair for pair in variants() if observer_of(pair[0]) == through]


def kernel_of(name: str, preferred: dict[str, Any]) -> dict[str, Any]:
    """The preferred kernel, or the first that the solver can use; Examples have none, so any will do."""
    allowed = registry.get(name).kernels
    usable = [kernel for kernel in (preferred, *KERNELS) if allowed is None or kernel["name"] in allowed]
    return usable[0]


def observer_of(name: str) -> str:
    solver = registry.get(name)
    return solver.observed if solver.access == "data" else solver.access


def with_counters() -> list[tuple[str, dict[str, Any], str]]:
    """Every variant, and every counter that moves in its solver, in pairs: all are read by the same loop."""
    found = []
    for name in registry.names():
        given, moving = [each for one, each in variants() if one == name], MOVING[registry.get(name).access]
        for k in range(max(len(given), len(moving))):
            found.append((name, given[k % len(given)], moving[k % len(moving)]))
    return found


def posed(name: str, given: dict[str, Any], y: NDArray) -> tuple[Problem, dict[str, Any]]:
    """The problem of a variant, with λ = 1/n, and the solver's parameters."""
    bias = given.get("bias", registry.get(name).biases[0])
    parameters = {key: value for key, value in given.items() if key != "bias"}
    return Problem.build(y, lam=1.0 / y.size, nu=0.05, radius=1.0, bias=bias), parameters


def label(value: object) -> str | None:
    if isinstance(value, dict):
        return value.get("name") or ",".join(f"{key}={item}" for key, item in value.items()) or "default"
    return None


def data(seed: int = 0, n: int = N) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Overlapping classes in eighths, so that inner products are exact in single precision.

    One example is zero, one is there twice, one twice with both labels.
    """
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.4, 1.0, -1.0)
    X = np.round(8.0 * (rng.normal(size=(n, D)) + 0.6 * y[:, None])) / 8.0
    X[5] = 0.0
    X[8], y[8] = X[7], y[7]
    X[11], y[11] = X[10], -y[10]
    return X.astype(np.float32), y


def start(
    name: str,
    given: dict[str, Any],
    X: Any,
    y: NDArray,
    kernel: dict,
    *,
    cache: int = 0,
    seed: int = 1,
    prefetch: bool = True,
) -> tuple[Run, Oracle | LinearData | BaselineData]:
    """A run of a variant at iteration 0 and what it reads the data through; skips what is not installed."""
    problem, parameters = posed(name, given, y)
    solver = registry.get(name)
    try:
        solver.release()
    except UserError as missing:
        pytest.skip(str(missing))
    oracle = read(solver.access, X, kernel, cache, prefetch=prefetch)
    return solver(solver.Params(**parameters)).start(problem, oracle, Generator(seed)), oracle


def read(
    access: str, X: Any, kernel: dict, cache: int = 0, *, prefetch: bool = True
) -> Oracle | LinearData | BaselineData:
    """The training examples as a solver of that access reads them."""
    if access == "linear":
        return LinearData(X)
    if access == "data":
        return BaselineData(X, kernel, cache)
    return Oracle(X, kernel, cache, prefetch=prefetch)


def state(run: Run, oracle: Oracle | LinearData | BaselineData) -> tuple:
    """Everything that may be seen of a run, for comparison bit for bit."""
    return (*content(run.snapshot()), run.iterations, run.converged, *oracle.ledger.as_dict().items())


def content(snapshot: Snapshot) -> tuple:
    return (
        *(None if array is None else sha256(array.tobytes()).hexdigest()[:16] for array in arrays(snapshot)),
        *sorted(snapshot.native.items()),
    )


def arrays(snapshot: Snapshot) -> list[NDArray | None]:
    model = [value for value in vars(snapshot.model).values() if isinstance(value, np.ndarray)]
    return [*model, snapshot.responses, snapshot.alpha]
