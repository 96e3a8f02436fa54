"""State of a run from which a larger budget continues, declared once for saving and restoring."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.rng import Generator


class Kept:
    """Named arrays of a run; `CountedRun.keep` declares them for both directions.

    Parameters
    ----------
    stored : mapping of str to ndarray, optional
        Saved arrays to restore. Default: save.

    Attributes
    ----------
    arrays : dict of str to ndarray
        The saved arrays; share no memory with the run.
    """

    def __init__(self, stored: Mapping[str, NDArray[Any]] | None = None) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self._stored = stored
        self._within = ""

    @property
    def taking_back(self) -> bool:
        """Whether the run restores a saved state."""
        return self._stored is not None

    def part(self, name: str) -> Kept:
        """Return the state of a part of the run, with names of its own."""
        part = Kept(self._stored)
        part.arrays = self.arrays
        part._within = f"{self._within}{name}."
        return part

    def holds(self, name: str) -> bool:
        """Return whether the saved state contains a part."""
        prefix = f"{self._within}{name}."
        return any(key.startswith(prefix) for key in self._stored or ())

    def vectors(self, **vectors: Any) -> None:
        """Save arrays, or fill them with saved values; pass the memory of the run itself, not copies."""
        for name, vector in vectors.items():
            own = np.asarray(vector)
            if self._stored is None:
                self.arrays[self._within + name] = own.copy()
            else:
                own[...] = self._stored[self._within + name]

    def number(self, name: str, value: Any) -> Any:
        """Save a number and return it, or return the saved number."""
        if self._stored is None:
            self.arrays[self._within + name] = np.array(value)
            return value
        return self._stored[self._within + name].item()

    def stream(self, rng: Generator) -> None:
        """Save the position of a random stream, or restore it."""
        if self._stored is None:
            self.arrays[self._within + "rng"] = rng.words()
        else:
            rng.stand_at(self._stored[self._within + "rng"])
