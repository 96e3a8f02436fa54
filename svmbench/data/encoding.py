"""Bring the text of a user's file into the form that the parser reads: UTF-8 with line feeds."""

from __future__ import annotations

import codecs

from svmbench.errors import UserError

# The longer marks first: that of UTF-32 begins like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def as_utf8(content: bytes, where: str) -> bytes:
    """Return the text in UTF-8 with a line feed at the end of each line.

    Text in UTF-16 or UTF-32, as spreadsheets save it, is known by its byte order mark, or UTF-16 by the zero
    byte of its first character. What is in a one-byte encoding stays as it is: numbers are the same in all of
    them.

    Parameters
    ----------
    content : bytes
        The file, unpacked.
    where : str
        Its name for messages.

    Raises
    ------
    UserError
        If it is not the encoding that its first bytes say, or no text at all.
    """
    encoding = next((name for mark, name in _MARKS.items() if content.startswith(mark)), None)
    if encoding is None and len(content) > 1 and 0 in content[:2]:
        encoding = "utf-16-be" if content[0] == 0 else "utf-16-le"
    if encoding is not None:
        try:
            content = content.decode(encoding).encode()
        except UnicodeError as error:
            named = encoding[:6].upper()
            raise UserError(
                f"{where} is not text: it begins like {named} but is not ({error}); save it as UTF-8"
            ) from error
    if b"\0" in content:
        raise UserError(f"{where} is not text: byte {content.index(0) + 1} is zero; save the data as text")
    if b"\r" in content and b"\n" not in content:  # the line ends of some spreadsheets
        content = content.replace(b"\r", b"\n")
    return content
