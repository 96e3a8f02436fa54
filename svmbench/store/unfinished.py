"""State of a search for an optimum that was not certified in time, kept for the next attempt."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.files import (
    MOST_BYTES_OF_MANY,
    digest,
    read_npz,
    read_regular,
    remove_leftovers,
    sha256,
    write_whole,
)
from svmbench.store import documents

if TYPE_CHECKING:
    from svmbench.store.store import Store

_ABOUT = "about"


class UnfinishedOptimum:
    """State of the search for one optimum until it is certified; use it under its lock.

    Parameters
    ----------
    store : Store
        The store.
    hash : str
        Hash of the problem, as for its optimum.
    made_by : mapping
        What the state depends on; a state made by anything else is ignored.
    """

    def __init__(self, store: Store, hash: str, made_by: Mapping[str, Any]) -> None:
        self._path = store.root / "optima" / f".{hash}.unfinished.npz"
        self._made_by = dict(made_by)

    def put(self, arrays: Mapping[str, NDArray[Any]], cost: Mapping[str, Any]) -> None:
        """Store a state and its cost atomically.

        Raises
        ------
        StorageError
            If it cannot be stored.
        """
        about = {"made_by": self._made_by, "cost": dict(cost), "check": _check(arrays)}
        content = io.BytesIO()
        np.savez(content, **{_ABOUT: np.array(json.dumps(about))}, **arrays)  # type: ignore[arg-type]
        with documents.storing("the unfinished optimum", self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, content.getvalue())

    def get(self) -> tuple[dict[str, NDArray[Any]], dict[str, float | None]] | None:
        """Return the state and its cost, or None if no usable state is stored."""
        try:
            arrays = read_npz(read_regular(self._path, MOST_BYTES_OF_MANY))
            about = json.loads(str(arrays.pop(_ABOUT)))
            whole = about["made_by"] == self._made_by and about["check"] == _check(arrays)
            return (arrays, about["cost"]) if whole else None
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def remove(self) -> None:
        """Remove the state, if there is one, and what killed writers left of it."""
        remove_leftovers(self._path)
        self._path.unlink(missing_ok=True)


def _check(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return a digest of arrays: names, types, shapes and bytes."""
    return digest(
        [[name, str(one.dtype), one.shape, sha256(one.tobytes())] for name, one in sorted(arrays.items())]
    )
