"""The data sets: catalogue entries, parameters and files.

Each set has a name. ``datasets/catalogue/<name>.yaml`` defines where its files come from and what they must
contain, and ``svmbench/data/sets/<name>.py`` defines the parameters and turns them into matrices.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from svmbench.data.entries import Entry, Form, RawFile
from svmbench.data.folders import catalogue_folder, data_folder, mirror_folders
from svmbench.errors import UserError, nearest

#: Name of the set of the user's own files, and suffixes omitted when a set is named after its file.
OWN = "file"
_OWN_SUFFIXES = (".gz", ".bz2", ".xz", ".csv", ".tsv", ".txt", ".dat", ".data", ".svm", ".libsvm")


def names() -> list[str]:
    """Return the names of all data sets, sorted."""
    return list(_names(catalogue_folder()))


@functools.cache
def _names(folder: Path) -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in folder.glob("*.yaml")))


def known(name: str) -> str:
    """Return the name if there is such a set, else raise a `UserError` with the nearest name."""
    if name not in names():
        hint = nearest(name, names())
        raise UserError(f"there is no data set '{name}'{hint or ';'} the sets are: {', '.join(names())}")
    return name


def set_of(dataset: Mapping[str, Any]) -> str:
    """Return the set of a ``dataset`` section: ``file`` if it has a path and no name in the catalogue."""
    name = str(dataset["name"])
    return OWN if name not in names() and "path" in dataset else known(name)


def own_name(given: str, path: str | None) -> str:
    """Return the name of the user's data in tables and folders: the given name, or one from the file's name.

    Parameters
    ----------
    given : str
        The key dataset.name; ``file`` if the user gave none.
    path : str or None
        The file.

    Raises
    ------
    UserError
        If the name cannot be part of the name of a folder.
    """
    if given != OWN:
        if not re.fullmatch(r"\w[\w.+-]{0,39}", given):
            raise UserError(
                f"dataset.name={given} is not allowed: give at most 40 letters, digits or any of . _ + - "
                "that begin with a letter or digit"
            )
        return given
    stem = Path(path or OWN).name
    while (suffix := Path(stem).suffix.lower()) in _OWN_SUFFIXES:
        stem = stem[: -len(suffix)]
    name = re.sub(r"[^\w.+-]+", "_", stem).strip("._+-")[:40]
    return f"{name}-file" if name in names() and name != OWN else name or OWN


def module(name: str) -> ModuleType:
    """Return the module that prepares a set: its ``Params``, ``VERSION`` and ``prepare``."""
    return importlib.import_module(f"svmbench.data.sets.{known(name)}")


def schema(name: str) -> type:
    """Return the dataclass of a set's parameters: names, types, defaults and ranges."""
    return module(name).Params


def suggested(name: str) -> type:
    """Return the dataclass of ``suggested``: gamma and C of the papers, or None, with their sources."""
    return module(name).SUGGESTED


def multiclass(name: str) -> bool:
    """Return whether a set keeps more than two classes apart with ``task=all``."""
    return bool(getattr(module(name), "MULTICLASS", False))


@functools.cache
def entry(name: str) -> Entry:
    """Return the catalogue entry of a set."""
    import yaml

    path = catalogue_folder() / f"{known(name)}.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    folder = content.pop("folder", name)
    files = {key: _raw_file(folder, given) for key, given in content.pop("files", {}).items()}
    return Entry(name=name, files=files, **content)


def _raw_file(folder: str, given: Mapping[str, Any]) -> RawFile:
    forms = given.get("forms", [given])
    return RawFile(folder, tuple(_form(form) for form in forms), given.get("rows"), given.get("classes", {}))


def _form(given: Mapping[str, Any]) -> Form:
    members = given.get("members") or {given["name"]: given.get("sha256")}
    return Form(given["name"], members, given.get("packed_sha256"), tuple(given.get("urls", ())))


def list_sets(directory: str | None = None) -> list[dict[str, Any]]:
    """Describe all sets: name, title, task, rows (per part), features, licence, citation, present.

    ``present`` says whether the files are stored, so that neither a mirror nor the network is needed.
    """
    from svmbench.data.download import stored

    listed = []
    for name in names():
        about = entry(name)
        present = all(stored(file, data_folder(directory)) for file in about.files.values())
        listed.append({item.name: getattr(about, item.name) for item in dataclasses.fields(Entry)[:-1]})
        listed[-1]["present"] = present
    return listed


def fetch(
    name: str,
    mirror: str | None = None,
    directory: str | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> list[Path]:
    """Download the files of a set to the data folder and verify them; existing files are kept.

    Parameters
    ----------
    name : str
        Name of the set; a generated set has no files.
    mirror : str or None
        Folder with copies of the published files; None: ``$SVMBENCH_MIRROR``.
    directory : str or None
        The data folder; None: the default (`svmbench.data.folders.data_folder`).
    say : callable
        Receives one line of progress at a time.

    Raises
    ------
    UserError
        If a file is not available from any source, or the folder is not writable.
    """
    from svmbench.data.download import obtain

    folder, mirrors = data_folder(directory), mirror_folders(mirror)
    return [obtain(file, mirrors, folder, say)[0] for file in entry(name).files.values()]


def verify(name: str, directory: str | None = None) -> list[tuple[str, bool, str]]:
    """Check the stored files of a set; return the path of each, whether it is correct, and a message."""
    from svmbench.data import cache
    from svmbench.data.download import stored
    from svmbench.data.unpack import Corrupt, read

    results = []
    for file in entry(name).files.values():
        found = stored(file, data_folder(directory))
        if found is None:
            sentence = f"not downloaded yet; get it by svmbench datasets fetch {name}"
            results.append((f"{file.folder}/{file.forms[0].name}", False, sentence))
            continue
        path, form = found
        try:
            read(path, form)
        except Corrupt as error:
            results.append((str(path), False, f"{error}; delete it and fetch it again"))
        else:
            checked = form.packed_sha256 or any(form.members.values())
            results.append(
                (str(path), True, "its checksum is right" if checked else "no checksum is known; it unpacks")
            )
    for folder in sorted((data_folder(directory) / "prepared").glob(f"{name}-*")):
        if re.fullmatch(r"[0-9a-f]{12}", folder.name[len(name) + 1 :]):
            results.append((str(folder), *cache.verify(folder)))
    return results


def label_key(text: str) -> str:
    """Return the canonical text of a label: ``+1``, ``1.0`` and ``1`` are the same label."""
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text):
        return text
    number = float(text)
    return str(int(number)) if number.is_integer() else repr(number)
