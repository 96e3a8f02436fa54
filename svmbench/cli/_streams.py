"""Standard output and error with characters escaped that a terminal might interpret."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from svmbench.errors import printable

#: Characters that a terminal might interpret, or that reorder or hide text: control characters except line
#: end and tab, direction marks, and surrogates, which stand for undecodable bytes of file names.
_OBEYED = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff"
#: Sequences of our own progress lines: return to the beginning of the line, and clear it.
_OWN = r"\r(?:\x1b\[K)?|\x1b\[A"


class _Shown:
    """A text stream that escapes what a terminal might interpret; with ``progress``, except our own lines."""

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
    """In this context, escape such characters, and those missing in the encoding of the streams."""
    before = sys.stdout, sys.stderr
    for stream in before:
        # In the C locale, streams write surrogates as bytes and refuse other characters; these are escaped
        # before they get there, so that it is no loss.
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout, sys.stderr = _Shown(before[0], progress=False), _Shown(before[1], progress=True)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before
