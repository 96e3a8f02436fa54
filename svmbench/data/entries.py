"""Catalogue entries of data sets and their files."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Form:
    """One of the forms in which a file is published; all forms hold the same data.

    Attributes
    ----------
    name : str
        File name without the suffix of a compression. A name that ends in ``.tar`` denotes an archive.
    members : dict of str to (str or None)
        Files to read, with the SHA-256 of their unpacked bytes: the members of an archive, else the file.
    packed_sha256 : str or None
        SHA-256 of the published file, if that of its unpacked bytes is unknown.
    urls : tuple of str
        Addresses, in the order to try.
    """

    name: str
    members: dict[str, str | None]
    packed_sha256: str | None = None
    urls: tuple[str, ...] = ()


@dataclass(frozen=True)
class RawFile:
    """One file of a set.

    Attributes
    ----------
    folder : str
        Sub-folder of the raw data and of a mirror.
    forms : tuple of Form
        Forms, in the order to try.
    rows : int or None
        Required number of examples.
    classes : dict of str to int
        Required number of examples of each label; empty if the file has no labels.
    """

    folder: str
    forms: tuple[Form, ...]
    rows: int | None = None
    classes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """Catalogue entry of a data set."""

    name: str
    title: str
    task: str
    rows: dict[str, int]
    features: int | None
    licence: str
    citation: str
    files: dict[str, RawFile]
