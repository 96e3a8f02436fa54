"""State from which a run can be continued, ``state.npz`` in its folder: arrays of its solver, and clocks."""

from __future__ import annotations

import contextlib
import io
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.files import MOST_BYTES_OF_MANY, read_npz, read_regular, sha256, write_whole
from svmbench.store.identity import without_ends
from svmbench.store.index import Index, folder_names
from svmbench.store.runs import STATE, StoredRun

_OWN, _COUNT = "svmbench_", "count_"
#: Increased when the content of states changes although the version of solvers does not; invalidates older
#: ones.
LAYOUT = 4
#: Bytes of a piece of the sample that decides whether an array is compressed; one in 64 pieces is sampled.
_PIECE = 1024


@dataclass(frozen=True)
class State:
    """State of a run between two iterations.

    Attributes
    ----------
    iterations : int
        Iterations so far, as at a checkpoint unless a signal left no time to make one.
    wall, cpu : float
        Seconds of training so far.
    counts : mapping of str to int
        The counters that apply.
    arrays : mapping of str to ndarray
        Arrays of the solver and the observer.
    """

    iterations: int
    wall: float
    cpu: float
    counts: Mapping[str, int]
    arrays: Mapping[str, NDArray[Any]]

    @property
    def spent(self) -> dict[str, float]:
        """The costs so far, named as in a checkpoint."""
        return {**self.counts, "iterations": self.iterations, "wall_seconds": self.wall}

    def also(self, arrays: Mapping[str, NDArray[Any]]) -> State:
        """Return the state with more arrays."""
        return replace(self, arrays={**self.arrays, **arrays})

    def save(self, folder: Path) -> None:
        """Write the state atomically, replacing an older one."""
        write_whole(folder / STATE, packed(self.content()))

    def content(self) -> dict[str, NDArray[Any]]:
        """Return what is stored: arrays by name."""
        own = {"layout": LAYOUT, "iterations": self.iterations, "wall": self.wall, "cpu": self.cpu}
        named = {_OWN + name: np.array(value) for name, value in own.items()}
        named |= {_COUNT + name: np.array(value) for name, value in self.counts.items()}
        return {**named, **self.arrays}

    @classmethod
    def of(cls, content: Mapping[str, NDArray[Any]]) -> State | None:
        """Return the state of what is stored, None for another layout; KeyError or TypeError for no state."""
        arrays = dict(content)
        counted = [name for name in arrays if name.startswith(_COUNT)]
        counts = {name.removeprefix(_COUNT): int(arrays.pop(name)) for name in counted}
        iterations, wall, cpu = (arrays.pop(_OWN + name) for name in ("iterations", "wall", "cpu"))
        if arrays.pop(_OWN + "layout") != LAYOUT:
            return None
        return cls(int(iterations), float(wall), float(cpu), counts, arrays)

    @classmethod
    def load(cls, run: StoredRun) -> State | None:
        """Return the state of a run; None if it has none, or one that is damaged."""
        path = run.path / STATE
        expected = (run.files or {}).get(STATE)
        try:
            content = read_regular(path, MOST_BYTES_OF_MANY)
            if run.files is not None and sha256(content) != expected:
                return None
            return cls.of(read_npz(content))
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            return None


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of an ``.npz`` file of arrays."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in arrays.items():
            _write(archive, name, array)
    return content.getvalue()


def _write(archive: zipfile.ZipFile, name: str, array: NDArray[Any]) -> None:
    """Write an array in numpy's format, compressed if a sample of it becomes smaller.

    Scores do not become smaller, and for half a million examples, trying would take most of the second in
    which Ctrl-C must end a run.
    """
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(array), allow_pickle=False)
    content = stream.getbuffer()
    sample = b"".join(content[begin : begin + _PIECE] for begin in range(0, len(content), 64 * _PIECE))
    smaller = len(zlib.compress(sample, 1)) < 0.75 * len(sample)
    form = zipfile.ZIP_DEFLATED if smaller else zipfile.ZIP_STORED
    archive.writestr(f"{name}.npy", content, form, compresslevel=1)


def beginnings(root: Path, identity: Mapping[str, Any]) -> Iterator[StoredRun]:
    """Return the stored runs, ended or killed, that differ from one only in the limits of the budget.

    Runs with a row in the index are not read; each other run of the same solver and data is read once.
    """
    config, wanted = identity["config"], without_ends(identity)
    prefix = f"{config['solver']['name']}-{config['dataset']['name']}-"
    with Index(root) as index:
        names = {name for name in folder_names(root / "runs") if name.startswith(prefix)}
        known = index.beginnings("runs", prefix)
        found = {name for name in names if known.get(name) == wanted}
        for name in names - known.keys():
            with contextlib.suppress(UserError, FileNotFoundError, NotADirectoryError, KeyError):
                signature = index.signature("runs", name)
                run = StoredRun.read(root / "runs" / name)
                if signature is not None:
                    index.keep("runs", name, signature, run)
                if without_ends(run.manifest["identity"]) == wanted:
                    found.add(name)
    for name in sorted(found):
        with contextlib.suppress(UserError, FileNotFoundError):
            run = StoredRun.read(root / "runs" / name)
            if without_ends(run.manifest["identity"]) == wanted:
                yield run
