"""The layout of examples whose features are all 0 or 1: packed words, and kernel values from a table.

The words are also stored by columns, from which rows with few ones are computed (csrc/columns.h).
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memset

from svmbench.kernels.layouts._layout cimport TILE
from svmbench.kernels.layouts._tiled cimport TiledLayout, block_fn
from svmbench.simd.targets cimport allocate


cdef extern from "bits.h" nogil:
    enum:
        MOST_COLUMNS
    ctypedef struct bits_store:
        const uint32_t *tiles
        ptrdiff_t words
        const float *table
        int32_t most
        uint8_t *columns
        uint8_t *ones
        ptrdiff_t features
        const uint8_t *split
    ctypedef struct column_form:
        int bytes
        int (*place)(int x) noexcept nogil
    block_fn svmbench_bits_block(int level)
    const column_form *svmbench_column_form(int level)
    ctypedef enum quick_form:
        QUICK_NONE
        QUICK_EQUAL
        QUICK_DIGITS
    ctypedef struct quick_sums:
        ptrdiff_t n
        int distance
        const uint8_t *table
        const int8_t *digits
    quick_form svmbench_bits_form(int level)
    void svmbench_bits_quick(int level, const bits_store *, const quick_sums *, const char *queries,
                             ptrdiff_t query_bytes, ptrdiff_t count, int threads, double *sums)

cdef extern from *:
    int __builtin_ctz(uint32_t x) noexcept nogil

# Fewest examples that are also stored by columns, unless most of their features are ones.
cdef enum:
    FEWEST = 128

# If examples have at most this many words, a row is computed as fast as it is read from memory.
cdef enum:
    CHEAP = 8

# The C loops read the table in pieces of this many values.
_PIECE = 128


# Numbers of the tables of `quick_scores`, and the largest one of three digits from -128 to 127. With larger
# errors, too many signs are uncertain: scores are about 1 near the margin.
cdef enum:
    QUICK = 32
    MOST_DIGITS = 127 * (1 + 256 * (1 + 256))
    FEWEST_EQUAL = 1024     # examples that are worth a layout of their own
cdef double QUICK_ERROR = 0.005
_UNIT = 1.0 / (2.0**24 - 1.0)


def kernel_table(kernel, largest):
    """Return the kernel values at the integers 0 to `largest`, computed in float64, as float32.

    The integers are squared distances for a radial kernel, and inner products for others.

    Parameters
    ----------
    kernel : ScalarKernel
        The kernel.
    largest : int
        Largest of the integers that occur.
    """
    numbers = np.arange(-(-(largest + 1) // _PIECE) * _PIECE, dtype=np.float64)
    with np.errstate(under="ignore", over="ignore"):
        return kernel.value(numbers).astype(np.float32)


cdef class BitsLayout(TiledLayout):
    """Examples of zeros and ones, in words of 32 features. Kernel values are exact and then rounded once.

    Parameters
    ----------
    X, kernel, threads
        See `Layout`.
    """

    name = "bits"
    needs = "features that are all 0 or 1"
    cdef bits_store store
    cdef const float[::1] table
    cdef const uint8_t[:, ::1] split

    def __dealloc__(self):
        free(self.store.columns)
        free(self.store.ones)

    def __cinit__(self, X, kernel, threads=1):
        self.unit_squared = 1.0
        self.store.words = (self.d + 31) // 32
        self.reserve(svmbench_bits_block(self.level), &self.store, TILE * self.store.words * 4,
                     (self.store.words + 1) * 4)
        self.store.tiles = <const uint32_t *>self.tiles
        self.kept = self.store.words > CHEAP
        self.table = kernel_table(self.kernel, self.d)
        self.store.table = &self.table[0]
        self.split = np.asarray(self.table)[:32].view(np.uint8).reshape(32, 4).T.copy()
        self.store.split = &self.split[0, 0]
        if self.n >= FEWEST and self.d and 2.0 * X.mean() <= 1.0:
            self.add_columns()
        self.fill(X)

    cdef int add_columns(self) except -1:
        """Allocate the columns, zeroed."""
        cdef Py_ssize_t register = svmbench_column_form(self.level).bytes
        cdef size_t blocks = (self.n + 8 * register - 1) // (8 * register)
        self.store.features = self.d
        self.store.ones = <uint8_t *>allocate(blocks * 8 * register)
        memset(self.store.ones, 0, blocks * 8 * register)
        self.store.columns = <uint8_t *>allocate(blocks * (self.d + 1) * register)
        memset(self.store.columns, 0, blocks * (self.d + 1) * register)
        return 0

    cdef void pack(self, Py_ssize_t j, const char *query) noexcept nogil:
        cdef Py_ssize_t words = self.store.words, w = 0
        cdef uint32_t *lane = <uint32_t *>self.tiles + (j // TILE) * words * TILE + j % TILE
        cdef const uint32_t *given = <const uint32_t *>query
        cdef int32_t ones = (<const int32_t *>query)[words]
        if self.store.columns != NULL:
            self.pack_columns(j, lane, given, ones)
        for w in range(words):
            lane[w * TILE] = given[w]
        self.store.most = max(self.store.most, ones)

    cdef void pack_columns(self, Py_ssize_t j, const uint32_t *lane, const uint32_t *given,
                           int32_t ones) noexcept nogil:
        """Change example j of the columns from what is stored in its lane to the given words."""
        cdef const column_form *form = svmbench_column_form(self.level)
        cdef Py_ssize_t register = form.bytes, block = j // (8 * register), w = 0
        cdef int place = form.place(j % (8 * register))
        cdef uint8_t bit = 1 << (place // register)
        cdef uint8_t *column = self.store.columns + block * (self.d + 1) * register + place % register
        cdef uint32_t left = 0
        self.store.ones[block * 8 * register + place] = min(ones, 255)
        for w in range(self.store.words):
            left = lane[w * TILE] ^ given[w]
            while left:
                column[(32 * w + __builtin_ctz(left)) * register] ^= bit
                left &= left - 1

    cdef void unpack(self, Py_ssize_t j, char *query) noexcept nogil:
        cdef Py_ssize_t words = self.store.words, w = 0
        cdef const uint32_t *lane = <const uint32_t *>self.tiles + (j // TILE) * words * TILE + j % TILE
        cdef uint32_t left = 0
        cdef int32_t ones = 0
        for w in range(words):
            (<uint32_t *>query)[w] = left = lane[w * TILE]
            while left:
                left &= left - 1
                ones += 1
        (<int32_t *>query)[words] = ones

    def value_error(self, X=None):
        """See `Layout`. Values come from a table, and are rounded once."""
        return (0.0, 1.01 * 2.0 ** -24) if self.kernel.radial else None

    def encode(self, X):
        """Return packed words and the number of ones, or None unless every value is 0 or 1."""
        ones = X == 1.0
        if not np.all(ones | (X == 0.0)):
            return None
        records = np.zeros((len(X), self.job.query_bytes), dtype=np.uint8)
        packed = np.packbits(ones, axis=1, bitorder="little")
        records[:, : packed.shape[1]] = packed
        records[:, 4 * self.store.words :] = ones.sum(axis=1, dtype=np.int32)[:, None].view(np.uint8)
        return records

    def largest_number(self, records):
        """See `TiledLayout`."""
        return min(self.d, int(self.numbers_of(np.asarray(records)).max(initial=0)) + self.store.most)

    def decode(self, records):
        """Return the queries as rows of float32."""
        bits = np.unpackbits(records[:, : 4 * self.store.words], axis=1, count=self.d, bitorder="little")
        return bits.astype(np.float32)

    def quick_scores(self, queries, coefficients):
        """See `Layout`. Values are rounded to 24 bits, and summed in whole numbers."""
        form = svmbench_bits_form(self.level)
        if form == QUICK_NONE or self.store.columns == NULL or not self.kernel.normalised:
            return None
        fitting = [records for _, records in queries if records is not None]
        most = max((int(self.numbers_of(records).max(initial=0)) for records in fitting), default=0)
        if 2 * most > self.d:
            return None
        return (self.digit_scores if form == QUICK_DIGITS else self.equal_scores)(queries, coefficients, most)

    def digit_scores(self, queries, coefficients, most):
        """Return the same with coefficients that are also rounded to 24 bits; `most` ones of a query."""
        cdef Py_ssize_t register = svmbench_column_form(self.level).bytes, k = 0, block = 0
        cdef int64_t number = 0, digit = 0
        cdef const column_form *form = svmbench_column_form(self.level)
        cdef quick_sums what
        sizes = np.abs(coefficients)
        largest = float(sizes.max(initial=0.0))
        error = 1.01 * 2.0**-24 * (0.5 * float(sizes.sum()) + self.n * largest)
        what.n, what.distance = self.n, self.kernel.radial
        if not 0.0 < error < QUICK_ERROR or most + (self.store.most if what.distance else 0) >= QUICK:
            return None
        table = _digits(self.kernel.value(np.arange(QUICK, dtype=np.float64))).T.copy()
        whole = np.rint(coefficients * (MOST_DIGITS / largest)).astype(np.int64)
        digits = np.zeros(((self.n + 8 * register - 1) // (8 * register), 3, 8 * register), dtype=np.int8)
        cdef const uint8_t[:, ::1] of_values = table
        cdef const int64_t[::1] of_points = whole
        cdef int8_t[:, :, ::1] places = digits
        for k in range(self.n):
            number, block = of_points[k], k // (8 * register)
            for digit in range(3):
                places[block, digit, form.place(k % (8 * register))] = <int8_t>(number & 255)
                number = (number - <int8_t>(number & 255)) >> 8
        what.table, what.digits = &of_values[0, 0], &places[0, 0, 0]
        return self.summed(&what, queries, largest / MOST_DIGITS * _UNIT), error

    def equal_scores(self, queries, coefficients, most):
        """Return the same if most coefficients are equal, as at the bound; others are in `scores`."""
        cdef quick_sums what
        cdef BitsLayout chosen
        top = coefficients[np.abs(coefficients).argmax()] if self.n else 0.0
        numbers = self.numbers_of(self.records(np.arange(self.n)))
        equal = (coefficients == top) & (numbers > 0) & (numbers < QUICK)
        at = np.flatnonzero(equal)
        error = 0.505 * _UNIT * abs(top) * at.size
        if not 0.0 < error < QUICK_ERROR or most > MOST_COLUMNS or at.size < max(FEWEST_EQUAL, self.n // 2):
            return None
        chosen = self.select(at[np.argsort(numbers[at], kind="stable")])
        if chosen.store.columns == NULL:
            return None
        together = np.arange(most + chosen.store.most + 1)[:, None] - 2.0 * np.arange(QUICK)
        values = self.kernel.value(np.maximum(together, 0.0))
        cdef const uint8_t[:, :, ::1] table = _digits(values).transpose(0, 2, 1).copy()
        what.n, what.distance, what.table, what.digits = at.size, self.kernel.radial, &table[0, 0, 0], NULL
        found = chosen.summed(&what, queries, top * _UNIT)
        rest = np.flatnonzero(~equal)
        return found + self.select(rest).scores(queries, coefficients[rest]), error

    cdef object numbers_of(self, records):
        """Return the numbers of ones of encoded rows."""
        return np.ascontiguousarray(records[:, 4 * self.store.words :]).view(np.int32).ravel()

    cdef object summed(self, quick_sums *what, queries, double unit):
        """Return the sums of all queries in whole numbers, times the unit; NaN for rows that do not fit."""
        cdef const uint8_t[:, ::1] rows
        cdef double[::1] sums
        found = []
        for count, records in queries:
            part = np.full(count, np.nan) if records is None else np.zeros(count)
            if records is not None and count:
                sums, rows = part, records
                with nogil:
                    svmbench_bits_quick(self.level, &self.store, what, <const char *>&rows[0, 0],
                                        self.job.query_bytes, rows.shape[0], self.threads, &sums[0])
                PyErr_CheckSignals()
            found.append(unit * part)
        return np.concatenate([np.zeros(0), *found])


def _digits(values):
    """Return values from 0 to 1 in units of `_UNIT`, as three bytes each in a last axis, the lowest first."""
    return np.rint(values / _UNIT).astype("<u4")[..., None].view(np.uint8)[..., :3]
