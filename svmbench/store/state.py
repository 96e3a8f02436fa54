"""What a run can be continued from, ``state.npz`` in its folder: arrays of its solver, and its clocks."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.files import sha256, write_whole
from svmbench.store import documents
from svmbench.store.runs import STATE, StoredRun

_OWN = "svmbench_"


@dataclass(frozen=True)
class State:
    """A run between two iterations.

    Attributes
    ----------
    iterations : int
        Made so far: those of a checkpoint.
    wall, cpu : float
        Seconds of training so far.
    arrays : mapping of str to ndarray
        What the solver keeps.
    """

    iterations: int
    wall: float
    cpu: float
    arrays: Mapping[str, NDArray[Any]]

    def also(self, arrays: Mapping[str, NDArray[Any]]) -> State:
        """Return the state with more arrays."""
        return replace(self, arrays={**self.arrays, **arrays})

    def save(self, folder: Path) -> None:
        """Write it whole, in place of an older one."""
        own = {"iterations": self.iterations, "wall": self.wall, "cpu": self.cpu}
        content = io.BytesIO()
        named = {_OWN + name: np.array(value) for name, value in own.items()}
        np.savez_compressed(content, **named, **dict(self.arrays))  # type: ignore[arg-type]
        write_whole(folder / STATE, content.getvalue())

    @classmethod
    def load(cls, run: StoredRun) -> State | None:
        """Return the state of a run; None if it has none, or one that is damaged."""
        path = run.path / STATE
        expected = (run.files or {}).get(STATE)
        try:
            content = path.read_bytes()
            if run.files is not None and sha256(content) != expected:
                return None
            with np.load(io.BytesIO(content), allow_pickle=False) as kept:
                arrays = {name: kept[name] for name in kept.files}
            iterations, wall, cpu = (arrays.pop(_OWN + name) for name in ("iterations", "wall", "cpu"))
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
            return None
        return cls(int(iterations), float(wall), float(cpu), arrays)


def with_state(root: Path, pattern: str, fits: Callable[[dict[str, Any]], bool]) -> Iterator[StoredRun]:
    """Return the runs of a name pattern that keep a state and whose identity fits, ended or killed."""
    for path in sorted((root / "runs").glob(f"{pattern}/{STATE}")):
        try:
            # Before the rest of the run is read: a sweep has thousands of one solver on one data set.
            if fits(documents.read(path.parent / "run.json")["identity"]):
                yield StoredRun.read(path.parent)
        except (UserError, FileNotFoundError, KeyError):
            continue
