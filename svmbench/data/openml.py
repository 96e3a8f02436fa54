"""Data sets of OpenML, from what scikit-learn or openml-python has downloaded; nothing is downloaded here.

``sklearn.datasets.fetch_openml`` stores the answers of OpenML's REST API under their addresses. In a folder
``openml/openml.org``, the description of data set 61 is ``api/v1/json/data/61.gz``, and its file is in the
path of the address that the description names. openml-python has a folder for each data set,
``org/openml/www/datasets/61``, with ``description.xml``, and ``dataset.arff`` or ``dataset_61.pq``. A
description names the label, the columns that are no features, and the MD5 of the ARFF file; Parquet has none.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from xml.etree import ElementTree

from svmbench.data.folders import mirror_folders
from svmbench.data.unpack import Corrupt, read_unpacked
from svmbench.errors import UserError

#: How the path of such a data set begins: ``openml:61``, ``openml:iris``; ``openml:iris/1`` has a version.
PREFIX = "openml:"


@dataclass(frozen=True)
class Description:
    """What OpenML says of a data set, and where its file is if it has been downloaded."""

    number: str
    name: str
    version: str
    target: str
    ignored: tuple[str, ...]
    md5: str | None
    file: Path


def found(given: str, mirror: str | None) -> Description:
    """Return a data set by its number or name, with its file checked.

    Parameters
    ----------
    given : str
        Number, name, or name/version.
    mirror : str or None
        The key data.mirror: folders with the layout of either cache, tried first.

    Raises
    ------
    UserError
        If it is not there, is not the one published, or several have the name.
    """
    name, _, version = given.partition("/")
    folders = [*mirror_folders(mirror), *_caches()]
    known = {one.number: one for folder in reversed(folders) for one in _descriptions(folder)}
    matching = [
        one
        for one in known.values()
        if one.number == name or (one.name.lower() == name.lower() and version in ("", one.version))
    ]
    if not matching:
        fetch = (
            f"data_id={name}" if name.isdecimal() else f'name="{name}"' + (version and f", version={version}")
        )
        here = ", ".join(sorted(f"{one.name} ({one.number})" for one in known.values())) or "none"
        raise UserError(
            f"{PREFIX}{given} is not on this machine (found: {here}): download it once by "
            f"sklearn.datasets.fetch_openml({fetch}), or name a copy of that cache by data.mirror=DIR"
        )
    if len(matching) > 1:
        several = ", ".join(f"openml:{one.number} (version {one.version})" for one in matching)
        raise UserError(f"openml:{given} is the name of {len(matching)} data sets: give one of {several}")
    return _checked(matching[0])


def _caches() -> list[Path]:
    """Return the folders in which scikit-learn and openml-python store data sets by default."""
    home, cache = Path.home(), Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return [
        Path(os.environ.get("SCIKIT_LEARN_DATA") or home / "scikit_learn_data") / "openml",
        *map(Path, filter(None, [os.environ.get("OPENML_CACHE_DIR")])),
        cache / "openml",
        home / ".openml" / "cache",
    ]


def _descriptions(folder: Path) -> Iterator[Description]:
    """Yield the data sets that are described in a folder; those that cannot be read are left out."""
    for path in sorted(folder.glob("openml.org/api/v1/json/data/*.gz")):
        try:
            told = json.loads(gzip.decompress(path.read_bytes()))["data_set_description"]
            file = folder / "openml.org" / (urlparse(told["url"]).path.lstrip("/") + ".gz")
            yield _description(told, file)
        except (OSError, EOFError, ValueError, LookupError, TypeError, zlib.error):
            continue
    for path in sorted(folder.glob("org/openml/www/datasets/*/description.xml")):
        try:
            fields: dict[str, Any] = {}
            for item in ElementTree.parse(path).getroot():
                fields.setdefault(item.tag.rpartition("}")[2], []).append(item.text or "")
            several = {"ignore_attribute"}
            told = {key: value if key in several else value[0] for key, value in fields.items()}
            names = ("dataset.arff", f"dataset_{told['id']}.pq", "dataset.pq")
            files = [path.with_name(name) for name in names]
            file = next((one for one in files if one.exists()), files[0])
            yield _description(told | ({"md5_checksum": None} if file.suffix == ".pq" else {}), file)
        except (OSError, ElementTree.ParseError, LookupError):
            continue


def _description(told: dict[str, Any], file: Path) -> Description:
    ignored = told.get("ignore_attribute") or []
    names = ignored if isinstance(ignored, list) else [ignored]
    names = [
        part for name in [*names, told.get("row_id_attribute") or ""] for part in name.split(",") if part
    ]
    return Description(
        number=str(told["id"]),
        name=told["name"],
        version=str(told.get("version", "1")),
        target=told.get("default_target_attribute") or "",
        ignored=tuple(name.strip() for name in names),
        md5=told.get("md5_checksum"),
        file=file,
    )


def _checked(one: Description) -> Description:
    """Return a data set whose file is there, is the one published, and has one label."""
    about = f"{PREFIX}{one.number} ({one.name})"
    if not one.target or "," in one.target:
        what = f"the labels {one.target}" if one.target else "no label"
        raise UserError(
            f"{about} has {what}: give its file, dataset.path={one.file}, and dataset.label_column"
        )
    try:
        content = read_unpacked(one.file)
    except FileNotFoundError:
        raise UserError(f"{about} is described, but its file {one.file} is missing: fetch it again") from None
    except (Corrupt, OSError) as error:
        raise UserError(f"{about}: {one.file} cannot be read: {error}; fetch it again") from error
    if one.md5 and hashlib.md5(content, usedforsecurity=False).hexdigest() != one.md5:
        raise UserError(f"{about}: {one.file} has another MD5 than its description says: fetch it again")
    return one
