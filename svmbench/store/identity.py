"""Identity of a run: everything that determines its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NotRequired, TypedDict

from svmbench.files import digest
from svmbench.run_config import Document, RunConfig, relevant

#: Increased when a key of the configuration changes its meaning, so that older runs have other identities.
IDENTITY_VERSION = 1

#: Parameters derived from the optimum if the configuration leaves them ``auto``, by the form that the solver
#: works on: the field of the problem, and the key of the solver.
DERIVED = {"slack-constrained": ("nu", "nu"), "norm-bounded": ("radius", "R")}

#: Fewest digits of a hash that identify a run.
_HASH = 4


class Identity(TypedDict):
    """What determines the numbers of a run, in run.json."""

    version: int
    config: Document
    checksum: str
    solver_version: int | str
    features_version: NotRequired[int]
    derived: NotRequired[dict[str, float]]
    start: NotRequired[str]


def identity(
    config: RunConfig,
    checksum: str,
    solver_version: int | str,
    features_version: int | None = None,
    derived: dict[str, float] | None = None,
) -> Identity:
    """Return everything that determines the numbers of a run.

    Parameters
    ----------
    config : RunConfig
        Configuration of the run.
    checksum : str
        Checksum of the data set, payload and preparation.
    solver_version : int or str
        Version of the solver, which changes with its results.
    features_version : int, optional
        Version of the feature map, if there is one.
    derived : dict, optional
        ν or R by the key of the solver, if the run derived it from the optimum of the problem.
    """
    result: Identity = {
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
    """Return a derived parameter rounded to six digits, as in the identity."""
    return float(f"{value:.6g}")


def derived_from(optimum: Mapping[str, Any], key: str) -> float | None:
    """Return the ν or R that runs derive from an optimum, None if it is undefined.

    Parameters
    ----------
    optimum : mapping
        Record of the optimum. Records of older versions have no ``derived``; runs then use all digits of the
        measured number, so that runs stored then keep their names.
    key : str
        ``nu`` or ``R``.
    """
    known: Mapping[str, float | None] = optimum.get("derived") or {"nu": optimum["nu"], "R": optimum["norm"]}
    return known[key]


def underived(identity: Identity) -> Identity:
    """Return an identity without derived parameters, known before the optimum is."""
    known = identity.copy()
    known.pop("derived", None)
    return known


def without_ends(identity: Mapping[str, Any]) -> str:
    """Return a digest of an identity without the limits of its budget; if equal, runs can be continued."""
    return digest({**identity, "config": relevant(identity["config"], "end")})


def run_id(identity: Identity) -> str:
    """Return the name of a run: solver, data set and 12 hexadecimal digits of its identity's SHA-256."""
    config = identity["config"]
    return f"{config['solver']['name']}-{config['dataset']['name']}-{digest(identity, 12)}"


def ids_meant(name: str, ids: Iterable[str]) -> list[str]:
    """Return the ids that a name refers to: itself, or those of which it is a prefix, or of their hash."""
    ids = list(ids)
    if name in ids:
        return [name]
    return sorted(id for id in ids if id.startswith(name)) or sorted(
        id for id in ids if len(name) >= _HASH and id.rpartition("-")[2].startswith(name)
    )
