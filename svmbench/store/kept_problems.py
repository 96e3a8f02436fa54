"""Binary problems of a run that has no result yet, one file each in ``problems/`` of its folder.

A file is an ``.npz`` archive followed by the digits of its SHA-256. The folder is removed when the run has a
result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import Damage, UserError
from svmbench.files import MOST_BYTES_OF_MANY, read_npz, read_regular, sha256, write_whole
from svmbench.store import documents
from svmbench.store.model import StoredModel
from svmbench.store.runs import PROBLEMS, RUNNING
from svmbench.store.state import State, packed
from svmbench.store.trace import Row

#: Increased when the content changes; files of another layout are ignored.
LAYOUT = 1
_ENDING, _DIGITS = ".part", 64


@dataclass(frozen=True)
class KeptProblem:
    """The contribution of one binary problem to a run so far.

    Attributes
    ----------
    number : int
        Its number, from 1.
    rows : list of dict
        Its checkpoints.
    answers : list of dict
        For each, arrays by part (`svmbench.multiclass.answers`).
    end : (str, str) or None
        Status and reason of its end; None: it has not ended.
    model : StoredModel or None
        Its model, if it has ended.
    failure : float or None
        Probability that the gap of its last checkpoint is no bound, if that rests on a sample.
    state : State or None
        The state from which it is continued, if it has not ended.
    """

    number: int
    rows: list[Row]
    answers: list[dict[str, NDArray[Any]]]
    end: tuple[str, str] | None = None
    model: StoredModel | None = None
    failure: float | None = None
    state: State | None = None

    @property
    def iterations(self) -> int:
        """Iterations so far."""
        return int(self.rows[-1]["iterations"]) if self.state is None else self.state.iterations

    def save(self, folder: Path) -> None:
        """Write it atomically to the folder of its run, replacing an older one."""
        about: dict[str, object] = {"layout": LAYOUT, "run": _run(folder)}
        about |= {name: getattr(self, name) for name in ("number", "rows", "end", "failure")}
        arrays: dict[str, NDArray[Any]] = {}
        for k, own in enumerate(self.answers):
            arrays |= {f"answers.{k}.{name}": array for name, array in own.items()}
        if self.model is not None:
            about["model"], own = self.model.content()
            arrays |= {f"model.{name}": array for name, array in own.items()}
        if self.state is not None:
            arrays |= {f"state.{name}": array for name, array in self.state.content().items()}
        content = packed({"about": np.array(json.dumps(about)), **arrays})
        (folder / PROBLEMS).mkdir(exist_ok=True)
        write_whole(folder / PROBLEMS / f"{self.number}{_ENDING}", content + sha256(content).encode())

    @classmethod
    def load(cls, path: Path) -> KeptProblem | None:
        """Read a kept problem; None if another version wrote it.

        Raises
        ------
        UserError
            If the file is damaged, of another run, or cannot be read.
        """
        try:
            whole = read_regular(path, MOST_BYTES_OF_MANY)
            content, check = whole[:-_DIGITS], whole[-_DIGITS:]
            if sha256(content).encode() != check:
                raise documents.damaged(path, "checksum mismatch")
            arrays = read_npz(content)
            about = json.loads(str(arrays.pop("about")))
            if about["layout"] != LAYOUT:
                return None
            if (about["run"], str(about["number"])) != (_run(path.parents[1]), path.stem):
                raise documents.damaged(path, "it is of another run or problem")
            return cls._of(about, arrays)
        except OSError as error:
            raise documents.Unreadable(path, error) from error
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError) as error:
            raise documents.damaged(path, error) from error

    @classmethod
    def _of(cls, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> KeptProblem | None:
        """Return it from what is stored; None without an end and a state that this version reads."""
        rows, end, own = about["rows"], about["end"], _under("state", arrays)
        state = State.of(own) if own else None
        if end is None and state is None:
            return None
        if end is not None and not rows:
            raise Damage("an ended problem has no checkpoint")
        return cls(
            about["number"],
            rows,
            [_under(f"answers.{k}", arrays) for k in range(len(rows))],
            None if end is None else (end[0], end[1]),
            None if end is None else StoredModel.of(about["model"], _under("model", arrays)),
            about["failure"],
            state,
        )


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the arrays with a prefix, by the rest of their names."""
    prefix += "."
    return {name.removeprefix(prefix): own for name, own in arrays.items() if name.startswith(prefix)}


def _run(folder: Path) -> str:
    """Return the id of the run of a folder."""
    return folder.name.removesuffix(RUNNING)


def files_of(folder: Path) -> list[Path]:
    """Return the files of the kept problems in the folder of a run."""
    return sorted((folder / PROBLEMS).glob(f"*{_ENDING}"))


def kept_problems(
    root: Path, run: str, unusable: Callable[[Path, UserError], None]
) -> dict[int, KeptProblem]:
    """Return the kept problems of a run without a result, by number.

    Parameters
    ----------
    root : Path
        The results folder.
    run : str
        Id of the run.
    unusable : callable
        Receives a file that is damaged or cannot be read, and the error.
    """
    found: dict[int, KeptProblem] = {}
    for folder in (run + RUNNING, run):  # killed, and ended before
        for path in files_of(root / "runs" / folder):
            try:
                one = KeptProblem.load(path)
            except UserError as error:
                unusable(path, error)
                continue
            if one is not None and (one.number not in found or _reach(one) > _reach(found[one.number])):
                found[one.number] = one
    return found


def _reach(one: KeptProblem) -> tuple[bool, int]:
    """Return the progress of a problem."""
    return one.end is not None, one.iterations
