"""Errors that a user can cause and mend."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Bad input: one sentence saying what was given, what is allowed and what to do.

    The command line prints the sentence, writes nothing else and ends with exit code 2.
    """


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
