"""What a command left out, on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from svmbench.errors import printable

#: Most runs or problems named.
_NAMED = 6


def tell(left_out: Sequence[tuple[str, str]], rest: str) -> None:
    """Print the first things left out, with their reasons; ``rest`` says how to see the others."""
    for name, reason in left_out[:_NAMED]:
        print(printable(f"left out: {name}: {reason}"), file=sys.stderr)
    if len(left_out) > _NAMED:
        print(f"left out, {len(left_out) - _NAMED} more{rest}", file=sys.stderr)
