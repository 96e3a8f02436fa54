"""Read columns of numbers from many traces, without the interpreter's lock.

Each number is bit for bit what ``float`` makes of its cell. A file that is not as traces are written is left
to the reader of lines, which says what is wrong.
"""

import os

import numpy as np

from libc.math cimport INFINITY, NAN
from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy, strlen, strncmp
from posix cimport fcntl, stat, unistd

cdef extern from *:
    """
    #include <locale.h>
    #include <stdlib.h>
    #ifdef __APPLE__
    #include <xlocale.h>
    #endif
    """
    ctypedef void* locale_t
    enum: LC_NUMERIC_MASK
    locale_t newlocale(int mask, const char* name, locale_t base)
    # Rounds correctly. That of the process may expect a decimal comma.
    double strtod_l(const char* text, char** end, locale_t locale) nogil

cdef enum:
    LONGEST = 40    # characters of a number; what is longer was not written by a trace
    DIGITS = 19     # decimal digits that 64 bits always have room for
    EXACT = 22      # greatest power of ten that is a double
    MOST = 64       # most columns of a header

cdef struct Block:
    char* start
    Py_ssize_t size     # bytes used
    Py_ssize_t room     # bytes allocated

cdef struct Wanted:
    Py_ssize_t count
    const char* names[MOST]
    Py_ssize_t lengths[MOST]
    bint whole[MOST]

cdef locale_t PLAIN = newlocale(LC_NUMERIC_MASK, "C", NULL)
cdef double TENS[EXACT + 1]
cdef uint32_t REMAINDERS[8][256]    # of a byte that is followed by up to seven zeros


cdef void fill_tables() noexcept:
    cdef uint32_t rest
    cdef int byte, zeros, _
    TENS[0] = 1.0
    for zeros in range(EXACT):
        TENS[zeros + 1] = 10.0 * TENS[zeros]
    for byte in range(256):
        rest = byte
        for _ in range(8):
            rest = (rest >> 1) ^ (0xEDB88320U * (rest & 1))
        REMAINDERS[0][byte] = rest
    for zeros in range(1, 8):
        for byte in range(256):
            rest = REMAINDERS[zeros - 1][byte]
            REMAINDERS[zeros][byte] = (rest >> 8) ^ REMAINDERS[0][rest & 255]


fill_tables()
if PLAIN == NULL:
    raise MemoryError


cdef uint32_t crc32(const unsigned char* p, Py_ssize_t count) noexcept nogil:
    """Return what `zlib.crc32` returns, eight bytes at a time."""
    cdef uint32_t rest = 0xFFFFFFFFU
    while count >= 8:
        rest = (
            REMAINDERS[7][p[0] ^ (rest & 255)] ^ REMAINDERS[6][p[1] ^ ((rest >> 8) & 255)]
            ^ REMAINDERS[5][p[2] ^ ((rest >> 16) & 255)] ^ REMAINDERS[4][p[3] ^ (rest >> 24)]
            ^ REMAINDERS[3][p[4]] ^ REMAINDERS[2][p[5]] ^ REMAINDERS[1][p[6]] ^ REMAINDERS[0][p[7]]
        )
        p += 8
        count -= 8
    while count > 0:
        rest = (rest >> 8) ^ REMAINDERS[0][p[0] ^ (rest & 255)]
        p += 1
        count -= 1
    return rest ^ 0xFFFFFFFFU


cdef bint has_room(Block* block, Py_ssize_t needed) noexcept nogil:
    """Make room for so many bytes in all; return whether there is memory."""
    cdef void* moved
    if needed > block.room:
        needed = max(needed, 2 * block.room)
        moved = realloc(block.start, needed)
        if moved == NULL:
            return False
        block.start = <char*> moved
        block.room = needed
    return True


cdef bint read(const char* path, Block* content, Py_ssize_t most) noexcept nogil:
    """Read a regular file of at most ``most`` bytes; return whether that was possible."""
    cdef stat.struct_stat about
    cdef Py_ssize_t expected = 0, got = -1
    cdef int file = fcntl.open(path, fcntl.O_RDONLY | fcntl.O_NONBLOCK | fcntl.O_CLOEXEC)
    if file < 0:
        return False
    content.size = 0
    if stat.fstat(file, &about) == 0 and stat.S_ISREG(about.st_mode):
        expected, got = about.st_size, 1
    # At least one byte more than the size is requested: once the size has been read, that is all.
    while got > 0 and content.size != expected:
        if max(content.size, expected) > most or not has_room(content, max(content.size, expected) + 1):
            got = -1
        else:
            got = unistd.read(file, content.start + content.size, content.room - content.size)
            content.size += max(got, 0)
    unistd.close(file)
    return got >= 0


cdef bint number(const char* cell, const char* stop, bint whole, double* found) noexcept nogil:
    """Read a cell; return whether it is empty, a number as traces have them, or an integer if whole."""
    cdef const char* p = cell
    cdef const char* first
    cdef char* end = NULL
    cdef uint64_t digits = 0
    cdef Py_ssize_t count = 0, decimals = 0
    cdef bint negative = cell < stop and cell[0] == c'-', below = False
    if cell == stop:
        found[0] = NAN
        return True
    if stop - cell > LONGEST:
        return False
    p += negative
    first = p
    while p < stop and (c'0' <= p[0] <= c'9' or (p[0] == c'.' and not below and not whole)):
        if p[0] == c'.':
            below = True
        else:
            digits = 10 * digits + <uint64_t> (p[0] - c'0')
            count += digits > 0
            decimals += below
        p += 1
    if p - first == below:    # no digit
        found[0] = -INFINITY if negative else INFINITY
        if stop - p == 3 and strncmp(p, "nan", 3) == 0:
            found[0] = NAN
            return not whole
        return stop - p == 3 and strncmp(p, "inf", 3) == 0 and not whole
    # If digits and power of ten are doubles, or one is rounded and the other is 1, there is one rounding.
    if p == stop and count <= DIGITS and (
        not decimals or (decimals <= EXACT and digits <= <uint64_t> 1 << 53)
    ):
        found[0] = <double> digits / TENS[decimals]
        if negative:
            found[0] = -found[0]
        return True
    if p < stop and (whole or (p[0] != c'e' and p[0] != c'E')):
        return False
    found[0] = strtod_l(cell, &end, PLAIN)
    return end == stop


cdef inline bint same(const char* one, Py_ssize_t length, const char* other, Py_ssize_t size) noexcept nogil:
    return length == size and memcmp(one, other, size) == 0


cdef Py_ssize_t places(
    const char* header, const char* stop, const Wanted* wanted, Py_ssize_t* rows
) noexcept nogil:
    """Find columns by the header; return the number of columns up to the last one.

    0 if a column is missing, or if two columns have one name. ``rows`` receives, for each column of the file,
    its row in the result, or -1.
    """
    cdef const char* names[MOST]
    cdef Py_ssize_t lengths[MOST]
    cdef const char* comma
    cdef Py_ssize_t column = 0, found = 0, width = 0, length, other, row
    while header <= stop:
        comma = <const char*> memchr(header, c',', stop - header)
        if comma == NULL:
            comma = stop
        length = comma - header
        if column == MOST:
            return 0
        for other in range(column):
            if same(names[other], lengths[other], header, length):
                return 0
        names[column] = header
        lengths[column] = length
        rows[column] = -1
        for row in range(wanted.count):
            if same(wanted.names[row], wanted.lengths[row], header, length):
                rows[column] = row
                found += 1
                width = column + 1
                break
        column += 1
        header = comma + 1
    return width if found == wanted.count else 0


cdef bint is_whole(const char* text, const char* last) noexcept nogil:
    """Return whether the checksum that ends a text, over everything before it, is right."""
    cdef const char* check
    cdef uint32_t given = 0
    cdef Py_ssize_t k
    if last - text < 10:
        return False
    check = last - 9
    if check[-1] != c',':
        return False
    for k in range(8):
        if c'0' <= check[k] <= c'9':
            given = 16 * given + <uint32_t> (check[k] - c'0')
        elif c'a' <= check[k] <= c'f':
            given = 16 * given + <uint32_t> (check[k] - c'a' + 10)
        else:
            return False
    return crc32(<const unsigned char*> text, check - text) == given


cdef Py_ssize_t parse(const Block* content, const Wanted* wanted, Block* values) noexcept nogil:
    """Append columns of a trace, one after the other; return their length, -1 for a trace left to others."""
    cdef Py_ssize_t rows[MOST]
    cdef const char* text = content.start
    cdef const char* last = text + content.size
    cdef const char* p
    cdef const char* feed
    cdef const char* comma
    cdef double* found
    cdef Py_ssize_t lines = 0, line, column, row, width, size
    while last > text and last[-1] != c'\n':
        last -= 1    # the beginning of a line that was never completed
    if not is_whole(text, last):
        return -1
    p = <const char*> memchr(text, c'\n', last - text) + 1
    width = places(text, p - 1, wanted, rows)
    if not width:
        return -1
    feed = p
    while feed < last:
        feed = <const char*> memchr(feed, c'\n', last - feed) + 1
        lines += 1
    size = values.size + wanted.count * lines * <Py_ssize_t> sizeof(double)
    if not has_room(values, size):
        return -1
    found = <double*> (values.start + values.size)
    for line in range(lines):
        feed = <const char*> memchr(p, c'\n', last - p)
        for column in range(width):
            comma = <const char*> memchr(p, c',', feed - p)
            if comma == NULL:
                if column < width - 1:
                    return -1
                comma = feed
            row = rows[column]
            if row >= 0 and not number(p, comma, wanted.whole[row], found + row * lines + line):
                return -1
            p = comma + 1
        p = feed + 1
    values.size = size
    return lines


def columns(paths, names, whole, Py_ssize_t most):
    """Return some columns of the checkpoints of traces.

    Parameters
    ----------
    paths : sequence of str
        The traces.
    names : sequence of str
        Different columns, at least one.
    whole : sequence of bool
        Which of them hold integers.
    most : int
        Most bytes of a file.

    Returns
    -------
    list of (ndarray of float64, shape (len(names), checkpoints)) or None
        NaN for empty cells. None for a file that cannot be read, that lacks a column, whose checksum is
        wrong, or with a cell that is not a number as traces have them.
    """
    cdef bytes joined = b"".join([os.fsencode(path) + b"\0" for path in paths])
    cdef const char* at = joined
    cdef list encoded = [name.encode() for name in names]
    cdef bytes column
    cdef Py_ssize_t count = len(paths), run, row, start, stop = 0
    cdef Wanted wanted
    cdef Block content = Block(NULL, 0, 0)
    cdef Block values = Block(NULL, 0, 0)
    cdef Py_ssize_t[::1] lengths = np.empty(count, dtype=np.intp)
    cdef double[::1] copied
    if not 0 < len(encoded) <= MOST:
        raise ValueError(f"{len(encoded)} columns")
    wanted.count = len(encoded)
    for row in range(wanted.count):
        column = encoded[row]
        wanted.names[row] = column
        wanted.lengths[row] = len(column)
        wanted.whole[row] = whole[row]
    try:
        with nogil:
            for run in range(count):
                lengths[run] = -1
                if read(at, &content, most):
                    lengths[run] = parse(&content, &wanted, &values)
                at += strlen(at) + 1
        numbers = np.empty(values.size // <Py_ssize_t> sizeof(double))
        if values.size:
            copied = numbers
            memcpy(&copied[0], values.start, values.size)
    finally:
        free(content.start)
        free(values.start)
    found = []
    for run in range(count):
        if lengths[run] < 0:
            found.append(None)
        else:
            start, stop = stop, stop + wanted.count * lengths[run]
            found.append(numbers[start:stop].reshape(wanted.count, lengths[run]))
    return found
