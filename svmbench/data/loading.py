"""Loading of data sets from the prepared cache, raw files, generators or the user's files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from svmbench.data import cache, catalogue
from svmbench.data.dataset import Dataset, Prepared, density, rounded, storage
from svmbench.data.entries import Entry
from svmbench.data.folders import data_folder, make_folder, mirror_folders, unwritable
from svmbench.data.raw import RawFiles
from svmbench.data.unpack import allowed_bytes
from svmbench.errors import UserError
from svmbench.files import digest
from svmbench.locking import Lock
from svmbench.option import check_values

#: Bytes per value while a generated set is drawn: two copies in double precision and one in single.
_DRAWN = 20


def load(
    dataset: Mapping[str, Any],
    *,
    mirror: str | None = None,
    directory: str | None = None,
    say: Callable[[str], None] = lambda line: None,
    checksum: str | None = None,
) -> Dataset:
    """Return a data set; it is prepared once, and read from the data folder afterwards.

    Parameters
    ----------
    dataset : mapping
        ``name`` and the set's parameters (`svmbench.data.schema`).
    mirror : str or None
        Folder with copies of the published files, tried before the network; None: ``$SVMBENCH_MIRROR``.
    directory : str or None
        Folder of downloaded and prepared data; None: see `svmbench.data.folders.data_folder`.
    say : callable
        Receives one line of progress at a time.
    checksum : str, optional
        Checksum that a stored run has. Older versions rounded the user's features to float32; if this is the
        checksum of rounded data, rounded data are returned.

    Returns
    -------
    Dataset
        The parts, all dense or all CSR, in float32; in float64 for the user's data if float32 would round
        them. For the labels see `Part`.

    Raises
    ------
    UserError
        For an unknown name or parameter, or a file that is unavailable, not the published one or malformed.
    """
    name, called = catalogue.set_of(dataset), str(dataset["name"])
    module, entry, folder = catalogue.module(name), catalogue.entry(name), data_folder(directory)
    params = _params(module.Params, dataset)
    raw = RawFiles(entry, mirror_folders(mirror), folder, say)

    def prepare() -> Dataset:
        _check_size(called, entry, params)
        try:
            prepared = storage(module.prepare(params, raw), given=name == catalogue.OWN)
        except MemoryError as error:
            raise UserError(f"not enough memory to prepare dataset={called}: give fewer examples") from error
        return _described(called, entry, params, module.VERSION, raw, prepared)

    if not entry.files:  # a generated set, or the user's own file, which may change: neither is worth a copy
        made = prepare()
        if checksum is None or checksum != _checksum(entry, params, module.VERSION, raw, single=True):
            return made
        return replace(rounded(made), checksum=checksum)
    if hasattr(module, "PIECE"):  # it stores its pieces itself
        with _alone(raw.pieces, say):
            return prepare()
    home = _home(folder, entry, params, module.VERSION)
    found = cache.load(home)
    if found is not None:
        return found
    with _alone(home, say):
        found = cache.load(home)  # prepared by another process during the wait
        if found is None:
            damaged = " again: what was prepared is damaged" if home.exists() else ""
            say(f"{name}: preparing{damaged}")
            found = prepare()
            cache.save(home, found)
    return found


def check(dataset: Mapping[str, Any], *, mirror: str | None = None, directory: str | None = None) -> None:
    """Raise the errors of `load`, with the same parameters.

    A data set with files is read, which prepares a published one. Generated sets are not drawn.
    """
    name = catalogue.set_of(dataset)
    entry, schema = catalogue.entry(name), catalogue.module(name).Params
    if entry.files or dataset.get("path") is not None:
        load(dataset, mirror=mirror, directory=directory)
    else:
        _check_size(str(dataset["name"]), entry, _params(schema, dataset))


def _check_size(called: str, entry: Entry, params: Any) -> None:
    """Raise a `UserError` for a generated set that would exceed the memory, before it is allocated."""
    examples = getattr(params, "n_train", 0) + getattr(params, "n_test", 0)
    features = getattr(params, "dimensions", entry.features)
    if entry.files or not features:
        return
    needed, allowed = _DRAWN * examples * features, allowed_bytes()
    if needed > allowed:
        most = allowed // (_DRAWN * features)
        raise UserError(
            f"dataset={called} with {examples} examples takes {needed >> 20} MiB to draw, more than half of "
            f"this machine's memory, {allowed >> 20} MiB: give n_train and n_test of at most {most} together"
        )


def known_checksum(dataset: Mapping[str, Any], *, directory: str | None = None) -> str | None:
    """Return the checksum of the data set that `load` would return; only the user's own files are read.

    For the parameters and errors see `load`.

    Returns
    -------
    str or None
        None for a published set that has not been prepared yet.
    """
    name = catalogue.set_of(dataset)
    module, entry, folder = catalogue.module(name), catalogue.entry(name), data_folder(directory)
    params = _params(module.Params, dataset)
    if entry.files:
        return cache.checksum(_home(folder, entry, params, module.VERSION))
    if name == catalogue.OWN:  # depends on its values
        return load(dataset, directory=directory).checksum
    raw = RawFiles(entry, [], folder, lambda line: None)
    return _checksum(entry, params, module.VERSION, raw, single=True)


def _home(folder: Path, entry: Entry, params: Any, version: int) -> Path:
    """Return the folder of a prepared set, which depends on everything that affects its content."""
    forms = {key: [form.members for form in file.forms] for key, file in entry.files.items()}
    key = digest([entry.name, asdict(params), version, cache.LAYOUT, forms])
    return folder / "prepared" / f"{entry.name}-{key[:12]}"


@contextlib.contextmanager
def _alone(home: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Hold the lock of a prepared folder, so that concurrent processes prepare it once."""
    make_folder(home.parent)
    name = home.name
    try:
        lock = Lock.acquire(
            home.with_name(f".{name}.lock"), lambda who: say(f"{name}: waiting for {who} to prepare it")
        )
    except OSError as error:
        raise unwritable(home.parent, error) from error
    try:
        yield
    finally:
        lock.remove()


def _params(schema: type, dataset: Mapping[str, Any]) -> Any:
    given = {key: value for key, value in dataset.items() if key != "name"}
    return schema(**check_values("dataset.", given, schema))


def _described(
    called: str, entry: Entry, params: Any, version: int, raw: RawFiles, prepared: Prepared
) -> Dataset:
    """Return the prepared parts with checksum and description."""
    parts = prepared.parts
    positives = {key: int(np.count_nonzero(part.y > 0.0)) for key, part in parts.items()}
    info = {
        "title": entry.title,
        "task": entry.task,
        "rows": {key: part.n for key, part in parts.items()},
        **({} if len(prepared.labels or ()) > 2 else {"positives": positives}),
        "features": int(parts["train"].X.shape[1]),
        "columns": prepared.columns or int(parts["train"].X.shape[1]),
        "labels": None if prepared.labels is None else list(prepared.labels),
        **({} if prepared.filling is None else {"filling": prepared.filling}),
        "density": density(parts["train"].X),
        "scaling": prepared.scaling,
        "sources": [{"file": file, "sha256": sha256} for file, sha256 in sorted(raw.payloads.items())],
        "parameters": asdict(params),
        "licence": entry.licence,
        "citation": entry.citation,
    }
    checksum = _checksum(entry, params, version, raw, single=parts["train"].X.dtype == np.float32)
    return Dataset(called, parts["train"], parts.get("validation"), parts.get("test"), checksum, info)


def _checksum(entry: Entry, params: Any, version: int, raw: RawFiles, *, single: bool) -> str:
    """Return the checksum of a set's content, once all its files have been read.

    `single` says whether the features are in float32.
    """
    # Locations of files do not count, nor do parameters that were added later if they have their defaults.
    content = {
        item.name: value
        for item in fields(params)
        if not item.metadata.get("place")
        and not ((value := getattr(params, item.name)) == item.default and item.metadata.get("later"))
    }
    told = [entry.name, sorted(raw.payloads.items()), content, version]
    return digest(told if single else [*told, "float64"], 64)
