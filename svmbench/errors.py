"""Errors that a user can cause and mend."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

#: Likeness (`difflib`: twice the letters in common over those of both) from which on a name may be meant by
#: another one: for names of three letters, two in common.
_CLOSE = 0.6


def printable(text: str) -> str:
    r"""Return a text in which every character that a terminal might obey or hide is escaped as in Python.

    So an escape sequence in a user's file or file name is shown (``\x1b[2J``) and not acted on. Line ends
    stay.
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )


#: What a spreadsheet takes for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def csv_cell(value: object) -> object:
    """Return a value as a cell of CSV: text is made `printable`, and none is a formula to a spreadsheet.

    Text that begins with ``=``, ``+``, ``-`` or ``@`` gets an apostrophe in front, by which spreadsheets know
    that it is text. Numbers stay as they are.
    """
    if not isinstance(value, str):
        return printable(str(value)) if isinstance(value, list | dict) else value
    return ("'" if value.startswith(_FORMULA) else "") + printable(value)


#: Most characters of a sentence: what a file says may be quoted in it.
_LONGEST = 2000


def shortened(text: str, most: int) -> str:
    """Return a text of about so many characters at most, without what is in its middle."""
    half = most // 2
    left_out = len(text) - 2 * half
    if left_out <= 40:
        return text
    return f"{text[:half]} ... ({left_out} characters left out) ... {text[-half:]}"


class UserError(Exception):
    """Bad input: one sentence saying what was given, what is allowed and what to do.

    The command line prints the sentence, writes nothing else and ends with exit code 2. What was given may
    come from a file, so the sentence is made `printable`, and a very long one is
    `shortened`.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(shortened(sentence, _LONGEST)))


class Refusal(UserError):
    """A combination that a solver cannot do; stored as a refused run with this sentence as its reason."""


def nearest(given: str, allowed: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest allowed name, or an empty string if none is close.

    Of a dotted key, the section is not part of the comparison with another key of that section, which would
    make all its keys look close. Upper and lower case are the same.

    Parameters
    ----------
    given : str
        What the user wrote.
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
