"""Errors that a user can cause and correct."""

from __future__ import annotations

import csv
import difflib
import json
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

#: Least similarity of a suggestion (`difflib`: twice the common letters over the letters of both): for names
#: of three letters, two in common.
_CLOSE = 0.6


def printable(text: str) -> str:
    r"""Return a text with characters that a terminal might interpret or hide escaped as in Python.

    An escape sequence in a user's file or file name is shown (``\x1b[2J``) instead of executed. Line ends are
    kept.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )


#: Characters that start a formula in spreadsheets, and numbers that start with one.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_SIGNED = re.compile(r"[+-](\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def csv_cell(value: object) -> object:
    """Return a value as a cell of CSV, with text `printable` and never a formula to a spreadsheet.

    Text that begins like a formula gets a leading apostrophe, which marks text in spreadsheets. Numbers, also
    as text, are unchanged.
    """
    if not isinstance(value, str):
        return printable(str(value)) if isinstance(value, list | dict) else value
    formula = value.startswith(_FORMULA) and not _SIGNED.fullmatch(value)
    return ("'" if formula else "") + printable(value)


def write_csv(stream: SupportsWrite[str], header: Sequence[str], rows: Iterable[Iterable[object]]) -> None:
    """Write a table as CSV, each cell as by `csv_cell`."""
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(csv_cell, header))
    # Numbers stay as they are, and there may be a million of them.
    writer.writerows([v if type(v) is float or type(v) is int else csv_cell(v) for v in row] for row in rows)


#: Most characters of a message, which may quote a file.
_LONGEST = 2000


def shortened(text: str, most: int) -> str:
    """Return a text shortened to about `most` characters by omitting its middle."""
    half = most // 2
    left_out = len(text) - 2 * half
    if left_out <= 40:
        return text
    return f"{text[:half]} ... ({left_out} characters left out) ... {text[-half:]}"


class UserError(Exception):
    """Bad input: one sentence that says what was given, what is allowed and what to do.

    The command line prints only the sentence and exits with code 2. The sentence may quote a file, so it is
    made `printable` and, if very long, `shortened`.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(shortened(sentence, _LONGEST)))


def command(words: str, results: str | Path) -> str:
    """Return a command that works in the current folder: with the results folder, unless that is ``results``.

    Parameters
    ----------
    words : str
        The subcommand and its arguments, quoted for a shell.
    results : str or Path
        The results folder.
    """
    folder, here = Path(results).absolute(), Path.cwd()
    if folder == here / "results":
        return f"svmbench {words}"
    shown = str(folder.relative_to(here) if folder.is_relative_to(here) else folder)
    takes_keys = words.split()[0] in ("run", "plan", "tune")
    option = [f"results={shown}"] if takes_keys else ["--results", shown]
    return f"svmbench {words} {shlex.join(option)}"


class Damage(ValueError):
    """What is wrong with the content of a file, in words for the reader of a message."""


def fault(error: Exception) -> str:
    """Return in words what an error says of the content of a file that was being read.

    Only texts that are meant for a reader are quoted: those of Python name its types and its functions.
    """
    if isinstance(error, Damage):
        return str(error)
    if isinstance(error, OSError):
        return error.strerror or "it cannot be read"
    if isinstance(error, json.JSONDecodeError):
        return f"it is not JSON at line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeError):
        return "it is not UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):
        return f"'{error.args[0]}' is missing or unknown"
    return "a value has a wrong type or form"


#: Names of the types that JSON and YAML have.
_TYPES = {dict: "a section", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def kind_of(value: object) -> str:
    """Return in words which type a value of a document has."""
    return _TYPES.get(type(value), "a number")


class Refusal(UserError):
    """A combination that a solver does not support; stored as a refused run with this sentence as reason."""


def nearest(given: str, allowed: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest allowed name, or an empty string if none is close.

    For a dotted key, a section in common is ignored, since it would make all keys of the section look
    similar. Case is ignored.

    Parameters
    ----------
    given : str
        The name given by the user.
    allowed : iterable of str
        The valid names.
    """
    section = given[: given.rfind(".") + 1]

    def likeness(name: str) -> float:
        shared = len(section) if name.startswith(section) else 0
        pair = name[shared:].lower(), given[shared:].lower()
        return difflib.SequenceMatcher(None, *pair).ratio()

    best = max(((likeness(name), name) for name in allowed), default=(0.0, ""))
    return f"; did you mean '{best[1]}'?" if best[0] >= _CLOSE else ""


def nearest_file(given: str | Path) -> str:
    """Return the same for the closest file beside one that does not exist, or an empty string."""
    path = Path(given).expanduser()
    try:
        beside = [str(Path(given).with_name(one.name)) for one in path.parent.iterdir() if one.is_file()]
    except (OSError, ValueError):
        return ""
    return "" if path.exists() else nearest(str(given), beside)
