"""What the catalogue knows of a data set and of the files it comes in."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Form:
    """One of the forms in which a file is published; all forms hold the same data.

    Attributes
    ----------
    name : str
        File name without the suffix of a compression. A name in ``.tar`` is an archive.
    members : dict of str to (str or None)
        Files to read, with the sha256 of their unpacked bytes; of an archive several, else the file itself.
    packed_sha256 : str or None
        Of the file as published, where nothing is known about its unpacked bytes.
    urls : tuple of str
        Addresses, to be tried in order.
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
        Sub-folder in the raw data and in a mirror.
    forms : tuple of Form
        To be tried in order.
    rows : int or None
        Number of examples that must be in it.
    classes : dict of str to int
        Number of examples of each label that must be in it; empty where it has no labels of its own.
    """

    folder: str
    forms: tuple[Form, ...]
    rows: int | None = None
    classes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Entry:
    """The catalogue's knowledge of one data set."""

    name: str
    title: str
    task: str
    rows: dict[str, int]
    features: int | None
    licence: str
    citation: str
    files: dict[str, RawFile]
