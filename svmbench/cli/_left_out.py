"""What a command left out, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from svmbench.errors import printable

#: Most reasons given.
_REASONS = 6


def tell(left_out: Iterable[tuple[str, str]], rest: str = "") -> None:
    """Print why runs or problems were left out, a line per reason; ``rest`` says how to see the others."""
    reasons: dict[str, list[str]] = {}
    for name, reason in dict.fromkeys(left_out):
        reasons.setdefault(reason, []).append(name)
    for reason, (first, *others) in list(reasons.items())[:_REASONS]:
        more = f" and {len(others)} more" if others else ""
        print(printable(f"left out: {first}{more}: {reason}"), file=sys.stderr)
    unsaid = sum(map(len, list(reasons.values())[_REASONS:]))
    if unsaid:
        print(f"left out, {unsaid} more{rest}", file=sys.stderr)
