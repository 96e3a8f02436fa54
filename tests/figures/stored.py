"""Runs with a given trace, written into a store by the store's own writer."""

import numpy as np

from svmbench.files import digest
from svmbench.run_config import RunConfig
from svmbench.store import Store
from svmbench.store.identity import identity
from tests.store.conftest import CONFIG as STORED

#: That of the tests of the store, but for what pictures show.
CONFIG = {**STORED, "budget": {**STORED["budget"], "kev": 1e9}}

#: Name of the optimum that runs refer to.
PROBLEM = "the only one"
OPTIMUM = digest(PROBLEM)

#: Load of a machine that did nothing else.
ALONE = {"seconds": 10.0, "own": 1.0, "others": 0.0, "others_most": 0.0, "stolen": 0.0}

#: What solvers are called, as their runs say.
TITLES = {"sbp": "SBP", "pegasos": "Pegasos", "sdca": "SDCA", "smo": "SMO", "perceptron": "Perceptron"}


def stored_run(
    root,
    solver="sbp",
    dataset="adult",
    seed=0,
    costs=(),
    errors=(),
    *,
    status="budget",
    reason="because the test says so",
    rows=1000,
    config=None,
    title=None,
    load=ALONE,
    machine=None,
    checksum="checksum",
    **columns,
):
    """Store a run that was observed at the costs with these test errors, in percent.

    The three conventions agree and an iteration costs as many evaluations as there are rows; ``columns``
    gives others, ``config`` other groups of the configuration, ``checksum`` the data; ``load`` is that of its
    ``machine``. A solver that is not in `TITLES` is called by its name, as runs were before titles.
    """
    called = title or TITLES.get(solver)
    own = {"solver": {"name": solver}, "dataset": {"name": dataset}, "seed": seed}
    full = {**CONFIG, **own, **(config or {})}
    lam = full["problem"]["lam"] or 1 / (full["problem"]["C"] * rows)
    writer = Store(root).begin(
        identity(RunConfig.of(full), checksum, 1),
        {
            "config": full,
            "dataset": {"name": dataset, "checksum": checksum, "rows": {"train": rows}},
            "problem": {"lam": lam, "C": 1 / (lam * rows), "bias": full["problem"]["bias"]},
            "optimum": OPTIMUM,
            "environment": None if machine is None else Store(root).put_environment({"processor": machine}),
            **({"solver": {"name": solver, "title": called}} if called else {}),
        },
    )
    costs, errors = np.asarray(costs, dtype=float), np.asarray(errors, dtype=float)
    table = {
        "iterations": np.ceil(costs / rows),
        **dict.fromkeys(("kev_ondemand", "kev_rowupdate", "kev_iter"), costs),
        "test_error": errors / 100.0,
        **columns,
    }
    for row in zip(*table.values(), strict=True):
        writer.checkpoint({name: _stored(value) for name, value in zip(table, row, strict=True)})
    return writer.finish(status, reason, **({} if load is None else {"load": load}))


def _stored(value):
    if isinstance(value, str):
        return value
    return None if np.isnan(value) else float(value)


def store_optimum(root, test_error=10.0, primal=0.3, **more):
    """Store the optimum that runs refer to; the error in percent."""
    known = {"test_error": test_error / 100.0, "test_mistakes": 5, "primal": primal}
    Store(root).put_optimum({"key": PROBLEM, "relative_gap": 1e-7, "nu": 0.01, **known, **more})
