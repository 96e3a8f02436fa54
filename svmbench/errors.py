"""Errors that a user can cause and mend."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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


class UserError(Exception):
    """Bad input: one sentence saying what was given, what is allowed and what to do.

    The command line prints the sentence, writes nothing else and ends with exit code 2. What was given may
    come from a file, so the sentence is made `printable`.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(printable(sentence))


class Refusal(UserError):
    """A combination that a solver cannot do; stored as a refused run with this sentence as its reason."""


def nearest(given: str, allowed: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest allowed name, or an empty string.

    Parameters
    ----------
    given : str
        What the user wrote.
    allowed : iterable of str
        The valid names.
    """
    match = difflib.get_close_matches(given, list(allowed), n=1, cutoff=0.5)
    return f"; did you mean '{match[0]}'?" if match else ""
