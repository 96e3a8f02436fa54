"""Load a data set: from the prepared cache, or from its raw files, its generator or the user's file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from svmbench.data import cache, catalogue
from svmbench.data.dataset import Dataset, Prepared, density, storage
from svmbench.data.entries import Entry
from svmbench.data.folders import data_folder, mirror_folders
from svmbench.data.raw import RawFiles
from svmbench.errors import UserError, nearest


def load(
    dataset: Mapping[str, Any],
    *,
    mirror: str | None = None,
    directory: str | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Dataset:
    """Return a data set, prepared once and then read back from the data folder.

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

    Returns
    -------
    Dataset
        Labels in {-1, +1}; all parts dense or all CSR, in float32.

    Raises
    ------
    UserError
        For an unknown name or parameter, a file that cannot be had, is not the published one or is malformed.
    """
    name = catalogue.known(str(dataset["name"]))
    module, entry, folder = catalogue.module(name), catalogue.entry(name), data_folder(directory)
    params = _params(name, module.Params, dataset)
    raw = RawFiles(entry, mirror_folders(mirror), folder, say)
    if not entry.files:  # generated, or the user's own file: quicker made than kept in step
        return _described(entry, params, module.VERSION, raw, storage(module.prepare(params, raw)))
    forms = {key: [form.members for form in file.forms] for key, file in entry.files.items()}
    key = cache.digest(name, asdict(params), module.VERSION, cache.LAYOUT, forms)
    home = folder / "prepared" / f"{name}-{key[:12]}"
    found = cache.load(home)
    if found is None:
        say(f"{name}: preparing")
        found = _described(entry, params, module.VERSION, raw, storage(module.prepare(params, raw)))
        cache.save(home, found)
    return found


def _params(name: str, schema: type, dataset: Mapping[str, Any]) -> Any:
    given = {key: value for key, value in dataset.items() if key != "name"}
    allowed = [item.name for item in fields(schema)]
    for key in given:
        if key not in allowed:
            hint = nearest(key, allowed) or ";"
            raise UserError(
                f"dataset={name} has no parameter '{key}'{hint} it has: {', '.join(allowed) or 'none'}"
            )
    return schema(**given)


def _described(entry: Entry, params: Any, version: int, raw: RawFiles, prepared: Prepared) -> Dataset:
    """Add checksum and description to the prepared parts."""
    parts = prepared.parts
    info = {
        "title": entry.title,
        "task": entry.task,
        "rows": {key: part.n for key, part in parts.items()},
        "positives": {key: int(np.count_nonzero(part.y > 0.0)) for key, part in parts.items()},
        "features": int(parts["train"].X.shape[1]),
        "density": density(parts["train"].X),
        "scaling": prepared.scaling,
        "sources": [{"file": file, "sha256": sha256} for file, sha256 in sorted(raw.payloads.items())],
        "parameters": asdict(params),
        "licence": entry.licence,
        "citation": entry.citation,
    }
    # Where a file lies does not change what is in it.
    content = {
        item.name: getattr(params, item.name) for item in fields(params) if not item.metadata.get("place")
    }
    checksum = cache.digest(entry.name, sorted(raw.payloads.items()), content, version)
    return Dataset(entry.name, parts["train"], parts.get("validation"), parts.get("test"), checksum, info)
