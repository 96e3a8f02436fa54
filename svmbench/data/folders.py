"""Locations of downloaded and prepared data."""

from __future__ import annotations

import os
from pathlib import Path

from svmbench.errors import UserError

_PACKAGE = Path(__file__).resolve().parent.parent


def catalogue_folder() -> Path:
    """Return the folder of the catalogue, installed or in a source checkout."""
    for folder in (_PACKAGE / "catalogue", _PACKAGE.parent / "datasets" / "catalogue"):
        if folder.is_dir():
            return folder
    raise RuntimeError("the catalogue of data sets is missing from this installation of svmbench")


def data_folder(directory: str | None = None) -> Path:
    """Return the folder of downloaded (``raw``) and prepared (``prepared``) data, which need not exist yet.

    It is the first of these that is given or exists: ``directory`` (the key data.dir), ``$SVMBENCH_DATA``,
    the ``datasets`` folder of the source checkout that svmbench runs from, ``svmbench`` in the user's cache
    folder.
    """
    given = directory or os.environ.get("SVMBENCH_DATA")
    if given:
        return Path(given).expanduser().absolute()
    checkout = _PACKAGE.parent / "datasets"
    if (checkout / "catalogue").is_dir():
        return checkout
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "svmbench"


def mirror_folders(mirror: str | None = None) -> list[Path]:
    """Return the mirror folders, from ``mirror`` (the key data.mirror) or else ``$SVMBENCH_MIRROR``.

    Several may be given, separated as in ``$PATH``.
    """
    given = mirror or os.environ.get("SVMBENCH_MIRROR") or ""
    return [Path(part).expanduser().absolute() for part in given.split(os.pathsep) if part]


def make_folder(folder: Path) -> Path:
    """Create a folder for data; raise a `UserError` with the reason if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def unwritable(folder: Path, error: OSError) -> UserError:
    """Return the error for a data folder that is not writable."""
    # numpy raises an OSError without errno if it could not write the whole array.
    reason = error.strerror or f"the disk is probably full ({error})"
    return UserError(
        f"cannot write data to {folder}: {reason}; name another folder by data.dir=DIR or $SVMBENCH_DATA"
    )
