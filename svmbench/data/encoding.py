"""Conversion of the user's text files to UTF-8 with line feeds, which the parser reads."""

from __future__ import annotations

import codecs

from svmbench.errors import UserError

# Longer marks come first, since that of UTF-32 begins like that of UTF-16.
_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def as_utf8(content: bytes, where: str) -> bytes:
    """Return the text in UTF-8 with a line feed at the end of each line.

    UTF-16 and UTF-32, which spreadsheets save, are detected by their byte order mark; UTF-16 also by a zero
    byte in its first character. One-byte encodings are left unchanged, since they all have the same digits.

    Parameters
    ----------
    content : bytes
        The unpacked file.
    where : str
        Its name for messages.

    Raises
    ------
    UserError
        If it does not have the encoding that its first bytes indicate, or is not text.
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
        raise UserError(
            f"{where} is not text: byte {content.index(0) + 1} is zero, and no known kind of file begins "
            f"with the bytes {content[:8].hex(' ')}; save the data as text"
        )
    return content.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
