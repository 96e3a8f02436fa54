"""What makes two runs the same run."""

from __future__ import annotations

import hashlib
from typing import Any

from svmbench.store.documents import canonical

#: Raised when a key of the configuration changes its meaning, so that older runs are not taken for the same.
IDENTITY_VERSION = 1

#: Keys of the resolved configuration that cannot change a result, as paths.
IRRELEVANT = (
    ("results",),
    ("data",),
    ("force",),
    ("prefetch",),
    ("budget", "name"),
    ("dataset", "suggested"),
)


def identity(
    config: dict[str, Any], checksum: str, solver_version: int | str, features_version: int | None = None
) -> dict[str, Any]:
    """Return everything that determines the numbers of a run.

    Parameters
    ----------
    config : dict
        Resolved configuration.
    checksum : str
        Of the data set, payload and preparation.
    solver_version : int or str
        Of the solver, another one whenever its results change.
    features_version : int, optional
        The same of the feature map, where there is one.
    """
    relevant = {key: dict(value) if isinstance(value, dict) else value for key, value in config.items()}
    for *parents, last in IRRELEVANT:
        branch: Any = relevant
        for key in parents:
            branch = branch.get(key, {})
        branch.pop(last, None)
    result = {
        "version": IDENTITY_VERSION,
        "config": relevant,
        "checksum": checksum,
        "solver_version": solver_version,
    }
    return result if features_version is None else {**result, "features_version": features_version}


def run_id(identity: dict[str, Any]) -> str:
    """Return the name of a run: solver, data set and 12 hexadecimal digits of sha256 over its identity."""
    config = identity["config"]
    return f"{config['solver']['name']}-{config['dataset']['name']}-{digest(identity, 12)}"


def digest(document: Any, length: int = 16) -> str:
    """Return the first hexadecimal digits of sha256 over the canonical JSON of a document."""
    return hashlib.sha256(canonical(document).encode()).hexdigest()[:length]
