"""Read LIBSVM and CSV text into arrays, with exact decimals and errors that name line, field and column.

`tests/specification/slow_readers.py` defines in plain Python what is accepted and what is rejected.

If the digits of a decimal form an integer of at most 2^53 and its exponent is within ±22, its value is a
single correctly rounded product or quotient of two exact doubles (Clinger 1990). Python converts all other
decimals. Hence every value equals ``float(text)`` bit for bit.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

import re

import numpy as np

from svmbench.errors import UserError

cdef enum Scan:
    FAST        # a number, whose value is set
    SLOW        # a number, but beyond the fast path
    BAD         # not a number

cdef int64_t LARGEST_INDEX = <int64_t>1 << 31    # minus 1, it fits the 32 bits of a column number
cdef uint64_t EXACT = 1 << 53               # integers up to this are exact doubles
cdef uint64_t ROOM = (<uint64_t>-1 - 9) // 10    # one more digit fits into 64 bits up to here
cdef double[23] POWERS = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]


cdef inline bint is_digit(char c) noexcept nogil:
    return c >= c'0' and c <= c'9'


cdef inline bint is_blank(char c) noexcept nogil:
    return c == c' ' or c == c'\t' or c == c'\r'


cdef Scan scan_decimal(const char* p, const char* stop, const char** end, double* value) noexcept nogil:
    """Read the longest decimal at ``p``; set ``end`` to the character after it, even if it is invalid."""
    cdef uint64_t mantissa = 0
    cdef int64_t exponent = 0
    cdef int64_t written = 0
    cdef bint negative = False
    cdef bint exponent_negative = False
    cdef bint fits = True
    cdef bint fraction = False
    cdef Py_ssize_t digits = 0
    if p < stop and (p[0] == c'-' or p[0] == c'+'):
        negative = p[0] == c'-'
        p += 1
    while p < stop:
        if is_digit(p[0]):
            digits += 1
            if mantissa <= ROOM:
                mantissa = mantissa * 10 + <uint64_t>(p[0] - c'0')
            else:
                fits = False
            exponent -= fraction
        elif p[0] == c'.' and not fraction:
            fraction = True
        else:
            break
        p += 1
    end[0] = p
    if digits == 0:
        return Scan.BAD
    if p < stop and (p[0] == c'e' or p[0] == c'E'):
        p += 1
        if p < stop and (p[0] == c'-' or p[0] == c'+'):
            exponent_negative = p[0] == c'-'
            p += 1
        end[0] = p
        if p >= stop or not is_digit(p[0]):
            return Scan.BAD
        while p < stop and is_digit(p[0]):
            if written < 100000000:
                written = written * 10 + (p[0] - c'0')
            p += 1
        end[0] = p
        exponent += -written if exponent_negative else written
    if not fits or mantissa > EXACT or exponent < -22 or exponent > 22:
        return Scan.SLOW
    value[0] = <double>mantissa
    if exponent < 0:
        value[0] /= POWERS[-exponent]
    else:
        value[0] *= POWERS[exponent]
    if negative:
        value[0] = -value[0]
    return Scan.FAST


cdef object DECIMAL_COMMA = re.compile(r"[+-]?[0-9.]*,[0-9]+([eE][+-]?[0-9]+)?").fullmatch
cdef object THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?").fullmatch
cdef str COLUMNS = ("; every column but the label's (dataset.label_column) holds numbers: leave this one "
                    "out, or give dataset.encode=onehot for a column of 0 and 1 for each of its words")
cdef str FILL = ", or give dataset.missing=median or dataset.missing=drop"
cdef tuple MISSING = ("na", "n/a", "null", "none", "?", "-")     # how tables mark a missing value


cdef str shortened(str text):
    """Shorten a text for a message."""
    return text if len(text) <= 40 else text[:37] + "..."


cdef class Labels:
    """Distinct label texts of a file, in order of appearance, with the place where each appears first."""

    cdef dict codes
    cdef list texts
    cdef list places

    def __cinit__(self):
        self.codes = {}
        self.texts = []
        self.places = []

    cdef int32_t code(self, bytes text, Py_ssize_t line, Py_ssize_t field, Py_ssize_t column):
        cdef object known = self.codes.get(text)
        if known is not None:
            return <int32_t>known
        self.codes[text] = len(self.texts)
        # Bytes are escaped, not replaced, so that labels in another encoding remain distinct.
        self.texts.append(text.decode("utf-8", "backslashreplace"))
        self.places.append((line, field, column))
        return <int32_t>(len(self.texts) - 1)


cdef class Reader:
    """A position in the text, and the error messages for it."""

    cdef bytes data
    cdef str where
    cdef const char* p
    cdef const char* stop
    cdef const char* line_start
    cdef Py_ssize_t line
    cdef Py_ssize_t field
    cdef str rule       # what each field must be; ends the message about a field that is not a number

    def __cinit__(self, bytes data, str where, str rule=""):
        self.rule = rule
        self.data = data
        self.where = where
        self.p = data
        self.stop = self.p + len(data)
        self.line_start = self.p
        self.line = 1
        self.field = 1
        if data[:3] == b"\xef\xbb\xbf":     # byte order mark of some editors
            self.p += 3
            self.line_start = self.p

    cdef inline void skip_blanks(self) noexcept:
        while self.p < self.stop and is_blank(self.p[0]):
            self.p += 1

    cdef inline bint at_line_end(self) noexcept:
        return self.p >= self.stop or self.p[0] == c'\n'

    cdef void skip_line(self) noexcept:
        """Go to the start of the next line."""
        while self.p < self.stop and self.p[0] != c'\n':
            self.p += 1
        if self.p < self.stop:
            self.p += 1
        self.line += 1
        self.line_start = self.p
        self.field = 1

    cdef Py_ssize_t column(self, const char* at) noexcept:
        return at - self.line_start + 1

    cdef str token(self, const char* start, char delimiter):
        """Return the text from ``start`` to the next delimiter (' ': any blank), shortened for messages."""
        cdef const char* q = start
        while q < self.stop and q[0] != c'\n' and q[0] != delimiter:
            if delimiter == c' ' and is_blank(q[0]):
                break
            q += 1
        return shortened(start[:q - start].decode("utf-8", "replace").strip())

    cdef object fail(self, const char* at, str what):
        """Raise an error that names the place."""
        place = f"line {self.line}, field {self.field} (column {self.column(at)})"
        raise UserError(f"{self.where}, {place}: {what}")

    cdef bytes quoted(self, char delimiter):
        """Read a text in double quotes and return it without them; a doubled quote inside means one quote."""
        cdef const char* start = self.p
        cdef const char* q = start + 1
        while q < self.stop and q[0] != c'\n':
            if q[0] == c'"':
                if q + 1 >= self.stop or q[1] != c'"':
                    break
                q += 1
            q += 1
        if q >= self.stop or q[0] == c'\n':
            self.fail(start, "the quoted field does not end on its line; write each example on one line")
        self.p = q + 1
        if not self.at_line_end() and not is_blank(self.p[0]) and self.p[0] != delimiter:
            text = self.token(self.p, delimiter)
            self.fail(self.p, f"'{text}' follows a closing quote; double the quotes inside a field")
        return start[1:q - start].replace(b'""', b'"').strip(b" \t\r")

    cdef double quoted_number(self, char delimiter) except? -1.0:
        """Read a decimal in quotes, and the quotes."""
        cdef double value = 0.0
        cdef const char* at = self.p
        cdef bytes text = self.quoted(delimiter)
        cdef const char* start = text
        cdef const char* end = start
        cdef Scan result = scan_decimal(start, start + len(text), &end, &value)
        if result == Scan.BAD or end != start + len(text):
            self.bad_number(at, text.decode("utf-8", "replace"))
        return self.checked(at, text) if result == Scan.SLOW else value

    cdef double checked(self, const char* at, bytes text) except? -1.0:
        """Convert a number that is not on the fast path; refuse one that overflows."""
        cdef double value = float(text)
        if value - value != 0.0:
            self.fail(at, f"{shortened(text.decode())} is beyond the range of a number; rescale the data")
        return value

    cdef double number(self, char delimiter) except? -1.0:
        """Read a decimal."""
        cdef double value = 0.0
        cdef const char* start = self.p
        cdef const char* end = self.p
        cdef Scan result = scan_decimal(start, self.stop, &end, &value)
        cdef bint closed = end >= self.stop or end[0] == c'\n' or is_blank(end[0]) or end[0] == delimiter
        closed = closed or (end[0] == c'#' and not self.rule)
        if result == Scan.BAD or not closed:
            self.bad_number(start, self.token(start, delimiter))
        if result == Scan.SLOW:
            value = self.checked(start, start[:end - start])
        self.p = end
        return value

    cdef object bad_number(self, const char* start, str text):
        text = shortened(text)
        if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            fill = FILL if self.rule and text.lower() == "nan" else ""
            self.fail(start, f"{text} is not a finite number; remove or impute the value{fill}")
        fill = FILL if self.rule else ""
        if not text:
            cut = "(at the end of a file: it may be cut off)"
            self.fail(start, f"the value is missing; give a number{fill} {cut}")
        if text.lower() in MISSING:
            self.fail(start, f"'{text}' is not a number; remove or impute the missing value{fill}")
        if self.rule and text.startswith("#"):
            self.fail(start, f"'{text}' is a comment, which delimited text cannot have; remove it")
        if DECIMAL_COMMA(text):
            self.fail(start, f"'{text}' has a decimal comma; write the numbers of the file with a point")
        if THOUSANDS(text):
            self.fail(start, f"'{text}' separates thousands; write the numbers of the file without that")
        self.fail(start, f"'{text}' is not a number{self.rule}")


def libsvm(bytes data, str where, Py_ssize_t features=0, int first=1):
    """Read lines ``label index:value ...``; ``#`` begins a comment, indices ascend.

    Parameters
    ----------
    data : bytes
        The whole text.
    where : str
        Name of the file for error messages.
    features : int
        Number of features; 0 for any.
    first : {0, 1}
        Index of the first feature.

    Returns
    -------
    codes : ndarray of int32, shape (n,)
        Index of each row's label in ``labels``.
    labels : list of str
    places : list of (int, int, int)
        Line, field and column where each label appears first.
    indptr : ndarray of int64, shape (n + 1,)
    indices : ndarray of int32, shape (nnz,)
        Indices counted from 0.
    values : ndarray of float64, shape (nnz,)

    Raises
    ------
    UserError
        For anything else, with line, field and column.
    """
    cdef Py_ssize_t rows = data.count(b"\n") + 1
    cdef Py_ssize_t pairs = data.count(b":")
    codes_array = np.empty(rows, dtype=np.int32)
    indptr_array = np.zeros(rows + 1, dtype=np.int64)
    indices_array = np.empty(pairs, dtype=np.int32)
    values_array = np.empty(pairs, dtype=np.float64)
    cdef int32_t[::1] codes = codes_array
    cdef int64_t[::1] indptr = indptr_array
    cdef int32_t[::1] indices = indices_array
    cdef double[::1] values = values_array
    cdef Reader reader = Reader(data, where)
    cdef Labels labels = Labels()
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t nnz = 0
    cdef int64_t index = 0
    cdef int64_t last = 0
    cdef const char* start = reader.p
    while reader.p < reader.stop:
        reader.skip_blanks()
        if reader.at_line_end() or reader.p[0] == c'#':
            reader.skip_line()
            continue
        start = reader.p
        while not (
            reader.at_line_end() or is_blank(reader.p[0]) or reader.p[0] == c':' or reader.p[0] == c'#'
        ):
            reader.p += 1
        if reader.p < reader.stop and reader.p[0] == c':':
            text = reader.token(start, c' ')
            reader.fail(start, f"'{text}' stands where the label belongs; begin each line with the label")
        codes[n] = labels.code(start[:reader.p - start], reader.line, reader.field, reader.column(start))
        last = first - 1
        while True:
            reader.skip_blanks()
            if reader.at_line_end() or reader.p[0] == c'#':
                break
            reader.field += 1
            index = read_index(reader, last, features, first)
            last = index
            indices[nnz] = <int32_t>(index - first)
            values[nnz] = reader.number(c' ')
            nnz += 1
        n += 1
        indptr[n] = nnz
        reader.skip_line()
    if n == 0:
        raise UserError(f"{where} is empty: it needs lines of the form 'label index:value ...'")
    return (codes_array[:n], labels.texts, labels.places, indptr_array[:n + 1], indices_array[:nnz],
            values_array[:nnz])


cdef int64_t read_index(Reader reader, int64_t last, Py_ssize_t features, int first) except -1:
    """Read ``index:``."""
    cdef const char* start = reader.p
    cdef int64_t index = 0
    while reader.p < reader.stop and is_digit(reader.p[0]) and index <= LARGEST_INDEX:
        index = index * 10 + (reader.p[0] - c'0')
        reader.p += 1
    if index > LARGEST_INDEX:
        text = reader.token(start, c':')
        reader.fail(start, f"index '{text}' is too large; indices go up to {LARGEST_INDEX}")
    if reader.p == start or reader.p >= reader.stop or reader.p[0] != c':':
        text = reader.token(start, c' ')
        if text.startswith("qid:"):
            reader.fail(
                start, f"'{text}' is the query of a ranking file; give data for classification, without qid"
            )
        reader.fail(start, f"'{text}' is not a pair index:value (at the end of a file: it may be cut off)")
    reader.p += 1
    if index < first:
        reader.fail(start, "index 0 is not allowed; indices begin at 1")
    if index == last:
        reader.fail(start, f"index {index} is repeated; give each index once in a line")
    if index < last:
        reader.fail(start, f"index {index} comes after index {last}; sort the pairs of each line by index")
    if features > 0 and index - first >= features:
        reader.fail(start, f"index {index} is larger than the number of features, {features}")
    return index


def csv(bytes data, str where, Py_ssize_t columns, Py_ssize_t label, str delimiter, bint header):
    """Read lines of numbers with one label column.

    Parameters
    ----------
    data : bytes
        The whole text.
    where : str
        Name of the file for error messages.
    columns : int
        Number of fields in every line, including the label.
    label : int
        Column of the label, from 0.
    delimiter : str
        One character; a blank stands for any run of blanks and tabs. Fields may be in double quotes.
    header : bool
        Whether to skip the first line that is not blank.

    Returns
    -------
    codes, labels, places
        As in `libsvm`.
    values : ndarray of float64, shape (n, columns - 1)

    Raises
    ------
    UserError
        For a field that is not a finite number, or a line with more or fewer fields.
    """
    # Each field of a row takes at least two characters, itself and a delimiter or line end. So many empty
    # lines do not lead to large arrays. The last row may be a line that is cut off.
    cdef Py_ssize_t rows = min(data.count(b"\n"), (len(data) + 1) // (2 * columns)) + 1
    codes_array = np.empty(rows, dtype=np.int32)
    values_array = np.empty((rows, columns - 1), dtype=np.float64)
    cdef int32_t[::1] codes = codes_array
    cdef double[:, ::1] values = values_array
    cdef Reader reader = Reader(data, where, COLUMNS)
    cdef Labels labels = Labels()
    cdef char mark = <char>ord(delimiter)
    cdef bint skip = header
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t field = 0
    cdef Py_ssize_t feature = 0
    while reader.p < reader.stop:
        skip_around(reader, mark)
        if reader.at_line_end() or skip:
            skip = skip and reader.at_line_end()
            reader.skip_line()
            continue
        feature = 0
        for field in range(columns):
            reader.field = field + 1
            if field > 0:
                next_field(reader, mark, field, columns)
            skip_around(reader, mark)
            if field == label:
                codes[n] = read_label(reader, labels, mark)
            elif reader.p < reader.stop and reader.p[0] == c'"':
                values[n, feature] = reader.quoted_number(mark)
                feature += 1
            else:
                values[n, feature] = reader.number(mark)
                feature += 1
        skip_around(reader, mark)
        if not reader.at_line_end():
            reader.field = columns + 1
            reader.fail(reader.p, f"the line has more than {columns} fields, the number in the first line")
        n += 1
        reader.skip_line()
    if n == 0:
        raise UserError(f"{where} has no examples: it needs lines of numbers with a label, below its header")
    return codes_array[:n], labels.texts, labels.places, values_array[:n]


cdef int skip_around(Reader reader, char mark) noexcept:
    """Skip the blanks before a field, but not a delimiter that is a tab."""
    while reader.p < reader.stop and is_blank(reader.p[0]) and (mark == c' ' or reader.p[0] != mark):
        reader.p += 1
    return 0


cdef int next_field(Reader reader, char mark, Py_ssize_t done, Py_ssize_t columns) except -1:
    """Skip the delimiter before the next field."""
    skip_around(reader, mark)
    if reader.at_line_end():
        reader.fail(reader.p, f"the line ends after {done} of {columns} fields; the file may be cut off")
    if mark != c' ':
        if reader.p[0] != mark:
            text = reader.token(reader.p, mark)
            reader.fail(reader.p, f"'{text}' stands where the delimiter '{chr(mark)}' belongs; "
                                  "another one is given by dataset.delimiter")
        reader.p += 1
    return 0


cdef int32_t read_label(Reader reader, Labels labels, char mark) except -1:
    """Read one label field."""
    cdef const char* start = reader.p
    cdef bytes text
    if reader.p < reader.stop and reader.p[0] == c'"':
        text = reader.quoted(mark)
    else:
        while not reader.at_line_end() and reader.p[0] != mark:
            if mark == c' ' and is_blank(reader.p[0]):
                break
            reader.p += 1
        text = start[:reader.p - start].rstrip(b" \t\r")
    if not text:
        reader.fail(start, "the label is missing")
    return labels.code(text, reader.line, reader.field, reader.column(start))
