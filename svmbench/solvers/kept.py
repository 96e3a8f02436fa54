"""The state of a run, which more budget goes on from: named once, written down and taken back alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.rng import Generator


class Kept:
    """Arrays of a run by name; `CountedRun.keep` names them in one place for both ways.

    Parameters
    ----------
    stored : mapping of str to ndarray, optional
        What was written down and is to be taken back. By default the state is written down.

    Attributes
    ----------
    arrays : dict of str to ndarray
        What has been written down; shares no memory with the run.
    """

    def __init__(self, stored: Mapping[str, NDArray[Any]] | None = None) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}
        self._stored = stored
        self._within = ""

    @property
    def taking_back(self) -> bool:
        """Whether the run takes over what was written down."""
        return self._stored is not None

    def part(self, name: str) -> Kept:
        """Return the state of a part of the run: its names are apart from those of the others."""
        part = Kept(self._stored)
        part.arrays = self.arrays
        part._within = f"{self._within}{name}."
        return part

    def vectors(self, **vectors: Any) -> None:
        """Write arrays down, or fill them with what was written: memory of the run itself, not copies."""
        for name, vector in vectors.items():
            own = np.asarray(vector)
            if self._stored is None:
                self.arrays[self._within + name] = own.copy()
            else:
                own[...] = self._stored[self._within + name]

    def number(self, name: str, value: Any) -> Any:
        """Write a number down and return it; on the way back return the one that was written."""
        if self._stored is None:
            self.arrays[self._within + name] = np.array(value)
            return value
        return self._stored[self._within + name].item()

    def stream(self, rng: Generator) -> None:
        """Write down where a random stream is, or go back there."""
        if self._stored is None:
            self.arrays[self._within + "rng"] = rng.words()
        else:
            rng.stand_at(self._stored[self._within + "rng"])
