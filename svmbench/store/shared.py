"""Documents beside the runs, verified whenever they are read.

Certified optima are named by a digest of their problem, environments by a digest of their content. An optimum
also has a checksum of its content. Speed measurements and results of checks contain a digest, except those of
older versions.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from svmbench.errors import Damage, UserError, command, fault
from svmbench.files import MOST_BYTES_OF_MANY, digest, read_json, read_regular
from svmbench.run_config import Document
from svmbench.store import documents, lines
from svmbench.store.identity import rounded


def sealed(record: Mapping[str, Any]) -> Document:
    """Return the record of an optimum with the checksum of its content added."""
    return {**record, "checksum": digest(record)}


def optimum(path: Path) -> Document:
    """Read a certified optimum, without its checksum.

    Raises
    ------
    UserError
        If it is damaged, has the name of another problem, or numbers that contradict each other.
    FileNotFoundError
        If there is no such file.
    """
    record = _read(path)
    checksum = record.pop("checksum", None)
    if checksum != digest(record):
        raise documents.damaged(path, "checksum mismatch")
    if path.stem != digest(record.get("key")):
        raise documents.damaged(path, "its name is that of another problem")
    try:
        _check_numbers(record)
    except (ArithmeticError, AttributeError, TypeError, ValueError) as error:
        raise documents.damaged(path, error) from error
    return record


#: Numbers of an optimum, which may be unknown; their relative accuracy, and the least objective for it.
_NUMBERS = (
    *("primal", "dual", "gap", "relative_gap", "norm", "mean_hinge", "nu", "bias"),
    *("test_error", "empty_test_error", "test_mistakes", "support_vectors", "at_bound"),
)
_SAME, _LEAST = 1e-6, 1e-9


def _check_numbers(record: Mapping[str, Any]) -> None:
    """Raise ValueError or TypeError unless the numbers that an optimum has fit each other."""
    found = {name: record[name] for name in _NUMBERS if record.get(name) is not None}
    for name, value in found.items():
        if not is_number(value):
            raise Damage(f"{name} is not a number")
    primal, norm, loss = (found.get(name, math.nan) for name in ("primal", "norm", "mean_hinge"))
    gap = primal - found.get("dual", math.nan)
    lam = record["key"].get("lam", math.nan) if isinstance(record.get("key"), dict) else math.nan
    off = {
        "the bound is above the objective": -gap,
        "the objectives make another gap": abs(gap - found.get("gap", math.nan)),
        "the objectives make another relative gap": abs(gap - primal * found.get("relative_gap", math.nan)),
        "norm and mean hinge loss make another objective": abs(0.5 * lam * norm**2 + loss - primal),
        "norm and mean hinge loss make another nu": abs(norm * found.get("nu", math.nan) - loss),
    }
    for what, difference in off.items():
        if difference > _SAME * max(primal, _LEAST):  # not if one of them is unknown
            raise Damage(what)
    low, high = record.get("nu_interval") or (0.0, None)
    high = math.inf if high is None else high
    nu, derived = found.get("nu"), (record.get("derived") or {}).get("nu")
    if nu is not None and not low <= nu <= high:
        raise Damage("nu is outside of its interval")
    # It has at most six digits, even if none of these numbers is within the interval.
    if derived is not None and not rounded(low) <= derived <= rounded(high):
        raise Damage("the derived nu is outside of its interval")


def environment(path: Path) -> Document:
    """Read an environment; errors as in `optimum`."""
    record = _read(path)
    if path.stem != digest(record):
        raise documents.damaged(path, "its name is not the digest of its content")
    if not _are_libraries(record.get("libraries", [])):
        raise documents.damaged(path, "its libraries are not described as a machine does")
    return record


def _are_libraries(found: Any) -> bool:
    """Return whether these are descriptions of libraries, each with a processor's name or none."""
    return isinstance(found, list) and all(
        isinstance(one, dict) and isinstance(one.get("architecture"), str | None) for one in found
    )


def measurement(path: Path) -> tuple[Document, bool]:
    """Read a speed measurement, and return whether it has a digest; errors as in `optimum`."""
    record = _read(path)
    found = lines.unchecked(record)
    if found is None:
        raise documents.damaged(path, "it does not match its digest")
    return found, lines.CHECK in record


def record(path: Path) -> tuple[Document, bool]:
    """Read a plan of a sweep or the result of a check, and whether it has a digest; errors as above."""
    with _reading(path):
        return lines.whole(read_regular(path, MOST_BYTES_OF_MANY))


def read_events(path: Path) -> tuple[list[Document], int]:
    """Read the events of a sweep, and count its damaged lines; errors as above."""
    with _reading(path):
        records, damaged = lines.read(read_regular(path, MOST_BYTES_OF_MANY), is_event)
        return records, len(damaged)


def events(path: Path) -> list[Document]:
    """Read the events of a sweep; a damaged line is an error, too."""
    records, damaged = read_events(path)
    if damaged:
        raise documents.damaged(path, f"{damaged} of {len(records) + damaged} lines")
    return records


def is_event(event: Mapping[str, Any]) -> bool:
    """Return whether a record is a valid event; those of older versions have no digest."""
    if type(event.get("job")) is not int or not is_number(event.get("time")):
        return False
    if event.get("event") != "ended":
        return event.get("event") == "began"
    numbers, run = event.get("numbers"), event.get("run", "")
    return (
        all(isinstance(event.get(key), str) for key in ("state", "reason"))
        and is_number(event.get("seconds"))
        and isinstance(numbers, dict)
        and all(value is None or is_number(value) for value in numbers.values())
        and (run is None or (isinstance(run, str) and "run" in event))
    )


def is_number(value: object) -> bool:
    """Return whether a value is a number of usual size; JSON also has 10^400."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def verdicts(path: Path) -> list[Document]:
    """Read the verdicts on claims of papers, each with a digest; a damaged claim is an error, too."""
    with _reading(path):
        try:
            found = [lines.unchecked(claim) for claim in read_json(read_regular(path))]
            if None in found:
                raise Damage(f"{found.count(None)} of {len(found)} claims")
        except (ValueError, TypeError, AttributeError) as error:
            home = path.parent.parent if path.parent.name == "reference" else path.parent
            again = command("paper verdict", home)
            raise UserError(f"{path} is damaged ({fault(error)}): {again} writes it again") from error
    return found  # type: ignore[return-value]


def _read(path: Path) -> Document:
    """Read a document like `documents.read`; `Unreadable` if the file system fails."""
    with _reading(path):
        return documents.read(path)


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise a `UserError` for a file that is damaged or cannot be read; a missing one raises as before."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise documents.Unreadable(path, error) from error
    except (ValueError, TypeError, AttributeError) as error:
        raise documents.damaged(path, error) from error


#: Readers of the documents in each folder.
READERS: dict[str, Callable[[Path], Document]] = {"optima": optimum, "environments": environment}

#: Readers of documents that contain their digest.
SEALED: dict[str, Callable[[Path], tuple[Document, bool]]] = {"speed": measurement, "checks": record}
