"""The content of run.json besides the identity."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from svmbench.files import digest
from svmbench.run_config import RunConfig
from svmbench.runner.environment import concurrent_load, environment
from svmbench.runner.optimum import Optimum
from svmbench.runner.prepare import Terms
from svmbench.solvers.base import Solver
from svmbench.store import Store

if TYPE_CHECKING:
    from svmbench.data import Dataset


def manifest(
    config: RunConfig,
    data: Dataset,
    solver: type[Solver],
    terms: Terms,
    store: Store,
    best: Optimum | None,
) -> dict[str, Any]:
    """Return run.json of a run that begins, without its identity.

    ``terms`` are those of its problem, ``best`` is its reference optimum.
    """
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
        "problem": terms,
        "optimum": None if best is None else digest(best.key),
        # As of now: the stored optimum may be replaced.
        "optimum_values": None if best is None else {name: getattr(best, name) for name in _OPTIMUM},
        "environment": store.put_environment(environment(config.threads)),
        "concurrent_load": concurrent_load(store.running()),
    }


#: Numbers of the reference optimum in run.json.
_OPTIMUM = ("primal", "dual", "relative_gap", "norm", "mean_hinge", "nu", "nu_interval", "bias")
