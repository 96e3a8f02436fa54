"""Read columns of numbers from the text of a trace, each bit for bit what ``float`` makes of its cell."""

from libc.string cimport memchr

import numpy as np

cdef extern from "Python.h":
    # Rounds correctly, and independently of the locale. Without an exception, overflow is infinite.
    double PyOS_string_to_double(const char* text, char** end, void* overflow) except? -1.0

cdef double NAN = float("nan")
cdef Py_ssize_t LONGEST = 40    # characters of a number; what is longer was not written by a trace


cdef inline double number(const char* cell, const char* stop, bint whole) except? -1.0:
    """Return the number in a cell; ValueError for anything but a plain decimal, or an integer if whole."""
    cdef const char* p = cell
    cdef char* end = NULL
    if stop - cell > LONGEST:
        raise ValueError("a number is too long")
    if whole:
        if p[0] == c'-':
            p += 1
        if p == stop:
            raise ValueError("a sign without digits")
        while p < stop:
            if p[0] < c'0' or p[0] > c'9':
                raise ValueError("a count is not a whole number")
            p += 1
    value = PyOS_string_to_double(cell, &end, NULL)
    if end != stop:
        raise ValueError("a cell is not a number")
    return value


def numbers(bytes content not None, const Py_ssize_t[::1] rows not None, whole not None):
    """Return some columns of all whole lines after the header.

    Parameters
    ----------
    content : bytes
        Lines of cells separated by commas, the first a header. What follows the last line feed is ignored.
    rows : ndarray of intp
        For each column of the file up to the last one wanted, its row in the result, or -1.
    whole : ndarray of bool, shape (m,)
        Which rows of the result hold integers.

    Returns
    -------
    ndarray of float64, shape (m, lines)
        NaN for empty cells.

    Raises
    ------
    ValueError
        If a line has too few cells, or a cell is not a number as traces have them.
    """
    cdef Py_ssize_t lines = max(content.count(b'\n') - 1, 0)
    cdef const char* p = content
    cdef const char* last = p + len(content)
    cdef const char* feed
    cdef const char* comma
    cdef Py_ssize_t line, column, row
    cdef const unsigned char[::1] is_whole = whole.view(np.uint8)
    found = np.empty((is_whole.shape[0], lines))
    cdef double[:, ::1] values = found
    if not lines:
        return found
    p = <const char*>memchr(p, c'\n', last - p) + 1
    for line in range(lines):
        feed = <const char*>memchr(p, c'\n', last - p)
        for column in range(rows.shape[0]):
            comma = <const char*>memchr(p, c',', feed - p)
            if comma == NULL:
                if column < rows.shape[0] - 1:
                    raise ValueError("a line has too few cells")
                comma = feed
            row = rows[column]
            if row >= 0:
                values[row, line] = number(p, comma, is_whole[row]) if comma > p else NAN
            p = comma + 1
        p = feed + 1
    return found
