"""What the parser of LIBSVM and delimited text reads and refuses, in plain Python, line by line.

Each reader returns one pair of label and values for each example, or None where the text must be refused.
"""

import math
import re

_DECIMAL = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_PAIR = re.compile(rb"([0-9]+):([^ \t\r]+)")


def number(text):
    """Return a finite decimal, or None."""
    value = float(text) if _DECIMAL.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def libsvm(text, features=0):
    """Read lines ``label index:value ...``: indices from 1 to 2^31, or to ``features``, ascending."""
    examples = []
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        words = [word for word in re.split(rb"[ \t\r]+", line.split(b"#")[0]) if word]
        if not words:
            continue
        label, *rest = words
        if b":" in label:
            return None
        values = {}
        for word in rest:
            pair = _PAIR.fullmatch(word)
            if pair is None or len(pair[1].lstrip(b"0")) > 10:
                return None
            index, value = int(pair[1][-10:]), number(pair[2])
            if value is None or not max(values, default=0) < index <= (features or 1 << 31):
                return None
            values[index] = value
        examples.append((label, values))
    return examples or None


def csv(text, columns, label, delimiter, header):
    """Read lines of ``columns`` fields, all numbers but the one with the label."""
    examples = []
    blanks = b" \r" if delimiter == b"\t" else b" \t\r"
    skip = header
    for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        line = line.strip(blanks)
        if not line or skip:
            skip = skip and not line
            continue
        fields = _fields(line, delimiter, blanks)
        if fields is None or len(fields) != columns or not fields[label]:
            return None
        values = [number(field) for field in fields[:label] + fields[label + 1 :]]
        if None in values:
            return None
        examples.append((fields[label], {k: value for k, value in enumerate(values) if value is not None}))
    return examples or None


def _fields(line, delimiter, blanks):
    """Return the fields of a line without the blanks and quotes around them, or None for a stray quote."""
    fields, at = [], 0
    ends = blanks if delimiter == b" " else delimiter
    while True:
        while line[at : at + 1] and line[at] in blanks and line[at] not in delimiter.strip():
            at += 1
        start = at
        if line[at : at + 1] == b'"':
            at += 1
            while line[at : at + 1] not in (b"", b'"') or line[at : at + 2] == b'""':
                at += 2 if line[at : at + 1] == b'"' else 1
            if at >= len(line):
                return None
            fields.append(line[start + 1 : at].replace(b'""', b'"').strip(b" \t\r"))
            at += 1
            if at < len(line) and line[at] not in blanks + delimiter:
                return None
        else:
            while at < len(line) and line[at] not in ends:
                at += 1
            fields.append(line[start:at].rstrip(b" \t\r"))
        while at < len(line) and line[at] in blanks:
            at += 1
        if at >= len(line):
            return fields
        if delimiter != b" ":
            if line[at : at + 1] != delimiter:
                return None
            at += 1
