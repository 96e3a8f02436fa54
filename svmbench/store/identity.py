"""What makes two runs the same run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from svmbench.files import digest
from svmbench.run_config import RunConfig, relevant

#: Raised when a key of the configuration changes its meaning, so that older runs are not taken for the same.
IDENTITY_VERSION = 1

#: Parameters that a run derives from the optimum where its configuration leaves them ``auto``, by the form
#: that the solver works on: the field of the problem, and the key of the solver.
DERIVED = {"slack-constrained": ("nu", "nu"), "norm-bounded": ("radius", "R")}

#: Fewest digits of a hash that name a run.
_HASH = 4


def identity(
    config: RunConfig,
    checksum: str,
    solver_version: int | str,
    features_version: int | None = None,
    derived: dict[str, float] | None = None,
) -> dict[str, Any]:
    """Return everything that determines the numbers of a run.

    Parameters
    ----------
    config : RunConfig
        Its configuration.
    checksum : str
        Of the data set, payload and preparation.
    solver_version : int or str
        Of the solver, another one whenever its results change.
    features_version : int, optional
        The same of the feature map, where there is one.
    derived : dict, optional
        ν or R by the key of the solver, where the run took it from the optimum of the problem.
    """
    result: dict[str, Any] = {
        "version": IDENTITY_VERSION,
        "config": config.identity(),
        "checksum": checksum,
        "solver_version": solver_version,
    }
    if features_version is not None:
        result["features_version"] = features_version
    if derived:
        result["derived"] = {key: rounded(value) for key, value in derived.items()}
    return result


def rounded(value: float) -> float:
    """Return a derived parameter as the identity holds it, to six digits."""
    return float(f"{value:.6g}")


def derived_from(optimum: Mapping[str, Any], key: str) -> float | None:
    """Return the ν or R that a run takes from an optimum, or None if it takes neither.

    Parameters
    ----------
    optimum : mapping
        Its record. One of an older version has no ``derived``: there runs take all digits of the measured
        number, so that the names of runs that were stored then stay what they are.
    key : str
        ``nu`` or ``R``.
    """
    known: Mapping[str, float | None] = optimum.get("derived") or {"nu": optimum["nu"], "R": optimum["norm"]}
    return known[key]


def underived(identity: dict[str, Any]) -> dict[str, Any]:
    """Return an identity without its derived parameters, which is known before the optimum is."""
    return {key: value for key, value in identity.items() if key != "derived"}


def without_ends(identity: Mapping[str, Any]) -> str:
    """Return a digest of an identity without the ends of its budget: equal ones can be continued."""
    return digest({**identity, "config": relevant(identity["config"], "end")})


def run_id(identity: dict[str, Any]) -> str:
    """Return the name of a run: solver, data set and 12 hexadecimal digits of sha256 over its identity."""
    config = identity["config"]
    return f"{config['solver']['name']}-{config['dataset']['name']}-{digest(identity, 12)}"


def ids_meant(name: str, ids: Iterable[str]) -> list[str]:
    """Return the ids that a name means: itself, those that begin with it, or whose hash does."""
    ids = list(ids)
    if name in ids:
        return [name]
    return sorted(id for id in ids if id.startswith(name)) or sorted(
        id for id in ids if len(name) >= _HASH and id.rpartition("-")[2].startswith(name)
    )
