"""Arguments of the Python interface as words of the command line; arrays are written to files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from svmbench.config.folder import GROUPS
from svmbench.errors import UserError
from svmbench.run_config import written


def as_words(keys: Mapping[str, Any], *, several: bool = False) -> Iterator[str]:
    """Yield keywords as overrides, arrays of a data set by the files that they are written to.

    If there may be several, a list has the values of a key in a sweep.
    """
    return _words(_with_files(keys), several=several)


def as_options(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield keywords as options of a command."""
    for name, value in options.items():
        text = ",".join(value) if isinstance(value, (list, tuple)) else str(value)
        yield f"--{name.replace('_', '-')}={text}"


def unlabelled(folder: Path, rows: Any) -> Path:
    """Write features to a file and return its path."""
    import numpy as np

    from svmbench.data.arrays import write_arrays

    path = folder / "rows.npz"
    shaped = rows if hasattr(rows, "shape") else np.asarray(rows)
    path.write_bytes(write_arrays(shaped, np.zeros(shaped.shape[:1])))
    return path


def _with_files(keys: Mapping[str, Any]) -> dict[str, object]:
    """Write arrays given for the data set to files and return keys that refer to them."""
    given = keys.get("dataset")
    if given is None or isinstance(given, str) or (isinstance(given, Mapping) and "train" not in given):
        return dict(keys)
    if not isinstance(given, Mapping):
        given = {"train": given}
    folder = Path(str(keys.get("results", "results"))).absolute() / "arrays"
    section: dict[str, object] = {"path": str(_written(folder, given["train"]))}
    if given.get("test") is not None:
        section["test_path"] = str(_written(folder, given["test"]))
    others = {key: value for key, value in given.items() if key not in ("train", "test")}
    return {**keys, "dataset": {"": "file", **section, "name": "arrays", **others}}


def _written(folder: Path, examples: Any) -> Path:
    """Write (X, y) to a file named by the hash of its content."""
    from svmbench.data.arrays import write_arrays
    from svmbench.files import sha256, write_whole

    if not isinstance(examples, Sequence) or len(examples) != 2:
        raise UserError("the examples of dataset are not a pair: give (X, y)")
    content, kind = _table_text(*examples), "csv"
    if content is None:
        content, kind = write_arrays(*examples), "npz"
    path = folder / f"{sha256(content)[:16]}.{kind}"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    return path


def _table_text(X: Any, y: Any) -> bytes | None:
    """Return a data frame with columns of text as CSV with the labels last, else None."""
    import numpy as np

    if not hasattr(X, "columns") or not hasattr(X, "dtypes") or np.asarray(X).dtype.kind in "fiub":
        return None
    names, values = [*map(str, X.columns), "label"], [*(X[name] for name in X.columns), np.asarray(y)]
    if any(len(value) != len(values[0]) for value in values):
        raise UserError(f"X has {len(values[0])} rows and y {len(values[-1])}: give a label for each row")
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    missing = ("nan", "None", "NaT", "<NA>")
    writer.writerow(names)
    writer.writerows(["" if str(one) in missing else one for one in row] for row in zip(*values, strict=True))
    return stream.getvalue().encode()


def _words(keys: Mapping[str, Any], prefix: str = "", *, several: bool = False) -> Iterator[str]:
    """Yield keys as overrides; the ``name`` of a section selects the option of a group."""
    for key, value in keys.items():
        if isinstance(value, Mapping):
            section = dict(value)
            chosen = section.pop("", None)
            if chosen is None and not prefix and key in GROUPS:
                chosen = section.pop("name", None)
            if chosen is not None:
                yield from _words({key: chosen}, several=several)
            yield from _words(section, f"{prefix}{key}.", several=several)
        elif several and isinstance(value, (list, tuple, range)):
            yield f"{prefix}{key}={','.join(map(written, value))}"
        else:
            yield f"{prefix}{key}={written(value)}"
