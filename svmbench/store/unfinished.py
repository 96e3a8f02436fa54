"""The dual point of an optimum that was not certified in time, beside the optima, for the next attempt."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from svmbench.files import read_npz, write_whole
from svmbench.store import documents

if TYPE_CHECKING:
    from svmbench.store.store import Store


class UnfinishedOptimum:
    """What is kept of one problem's optimum until it is certified; to be used under its lock.

    Parameters
    ----------
    store : Store
        Where.
    hash : str
        Of the problem, as of its optimum.
    """

    def __init__(self, store: Store, hash: str) -> None:
        self._path = store.root / "optima" / f".{hash}.unfinished.npz"

    def put(self, alpha: NDArray[np.float64], cost: dict[str, Any]) -> None:
        """Keep a dual point, shape (n,), and what it has cost; a crash leaves the last one or this one.

        Raises
        ------
        StorageError
            If it cannot be stored.
        """
        content = io.BytesIO()
        np.savez_compressed(content, alpha=alpha, cost=json.dumps(cost))
        with documents.storing("the unfinished optimum", self._path.parent):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self._path, content.getvalue())

    def get(self) -> tuple[NDArray[np.float64], dict[str, Any]] | None:
        """Return the dual point and its cost; None where none was kept, or it cannot be read."""
        try:
            kept = read_npz(self._path.read_bytes())
            return kept["alpha"], json.loads(str(kept["cost"]))
        except (OSError, ValueError, KeyError):
            return None

    def remove(self) -> None:
        """Remove it, if there is one."""
        self._path.unlink(missing_ok=True)
