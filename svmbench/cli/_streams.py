"""Standard output and error on which what a terminal might obey is escaped, wherever it comes from."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from svmbench.errors import printable

#: What a terminal might obey, or what reorders or hides text around it: control characters but line end and
#: tab, marks of direction, and surrogates, which stand for bytes of file names that are no text.
_OBEYED = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
#: What the progress lines of this program write: back to the beginning of the line, and clear it.
_OWN = r"\r(?:\x1b\[K)?|\x1b\[A"


class _Shown:
    """A text stream that escapes what a terminal might obey.

    Parameters
    ----------
    stream : text stream
        Where the text goes.
    progress : bool
        Whether lines are written over by this program.
    """

    def __init__(self, stream: Any, progress: bool) -> None:
        self._stream = stream
        self._obeyed = re.compile(rf"({_OWN})|[{_OBEYED}]+" if progress else f"()[{_OBEYED}]+")

    def write(self, text: str) -> int:
        self._stream.write(self._obeyed.sub(lambda found: found[1] or printable(found[0]), text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def shown() -> Iterator[None]:
    """Escape what a terminal might obey, and characters that its encoding does not have, meanwhile."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = _Shown(before[0], progress=False), _Shown(before[1], progress=True)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
