"""Base of the layouts in tiles: bits, bytes, mixed, dense, double.

A subclass defines the form of an example as a query (`encode`, `decode`), the form of a query in a tile
(`pack`, `unpack`), and the C function that computes a block of kernel values.
"""

import numpy as np

from svmbench.errors import UserError
from svmbench.kernels.layouts import _regions
from svmbench.kernels.layouts._layout import PART, parts

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memset

from svmbench.kernels.layouts._layout cimport ROW_GROUP, TILE
from svmbench.simd.targets cimport allocate


cdef extern from "tiled.h" nogil:
    void svmbench_tiled_rows(const tiled_job *, const char *queries, ptrdiff_t count, float *out,
                             ptrdiff_t stride)
    int svmbench_tiled_add(const tiled_job *, const char *queries, ptrdiff_t count,
                           const double *coefficients, const float *const *held, float *const *kept,
                           double *sums)
    int svmbench_tiled_scores(const tiled_job *, const char *queries, ptrdiff_t count,
                              const double *coefficients, double *scores)

# If a tile has at least this many bytes, computing a row is bound by memory. Then a block, which reads the
# tiles once for all its rows, takes at most half the time.
cdef enum:
    WIDE = TILE * 256
# If an example has at most this many bytes, computing a row is as fast as storing it and reading it back:
# memory is slower than the caches, and newly allocated memory is slowest. If rows are not kept, LASVM stores
# its expansion set separately. So changing these bounds changes its results in the last bits, and its state,
# and needs a new version.
cdef enum:
    SMALL_EXAMPLE = 96
    SMALL_EXAMPLE_NEAR = 32
    NEAR_ROW = 1 << 14      # values of a row; many such rows stay in the caches


cdef class TiledLayout(Layout):
    """Examples in tiles of TILE, interleaved so that a register contains the same part of each example.

    An example's place is its number, unless there are regions.
    """

    #: What the layout requires of examples, as the end of an error message.
    needs = ""

    def __dealloc__(self):
        free(self.tiles)
        free(self.queries)

    cdef int reserve(self, block_fn block, const void *store, Py_ssize_t tile_bytes,
                     Py_ssize_t query_bytes) except -1:
        cdef Py_ssize_t n_tiles = (self.n + TILE - 1) // TILE
        self.sources = None
        self.stride = n_tiles * TILE
        self.job.block = block
        self.job.store = store
        self.job.kernel = self.params
        self.job.n = self.n
        self.job.n_tiles = n_tiles
        self.job.tile_bytes = tile_bytes
        self.ahead = ROW_GROUP if tile_bytes >= WIDE else 1
        self.job.query_bytes = query_bytes
        self.job.level = self.level
        self.job.threads = self.threads
        self.tiles = <char *>allocate(<size_t>n_tiles * tile_bytes)
        self.queries = <char *>allocate(<size_t>self.together() * query_bytes)
        memset(self.tiles, 0, <size_t>n_tiles * tile_bytes)
        return 0

    cdef int arrange(self, X, columns) except -1:
        self.regions = _regions.find(X, columns, self.kernel)
        self.places = NULL if self.regions is None else &self.regions.places[0]
        return 0

    cdef Py_ssize_t at(self, Py_ssize_t j) noexcept nogil:
        return j if self.places == NULL else self.places[j]

    cdef int fill(self, X) except -1:
        cdef const uint8_t[:, ::1] records
        cdef Py_ssize_t begin = 0, r = 0
        for part in parts(X):
            encoded = self.encode(part)
            if encoded is None:
                raise UserError(
                    f"layout={self.name} does not fit these examples: it needs {self.needs}; "
                    "leave the layout out to have the fitting one chosen"
                )
            records = encoded
            if self.job.query_bytes:
                for r in range(records.shape[0]):
                    self.pack(self.at(begin + r), <const char *>&records[r, 0])
            begin += records.shape[0]
        return 0

    cdef void pack(self, Py_ssize_t j, const char *query) noexcept nogil:
        pass

    cdef void unpack(self, Py_ssize_t j, char *query) noexcept nogil:
        pass

    def encode(self, X):
        """Return rows of float32 as queries, uint8, shape (len(X), query_bytes); None if they do not fit."""
        raise NotImplementedError

    def decode(self, records):
        """Return queries as rows of float32, shape (len(records), d)."""
        raise NotImplementedError

    cdef Py_ssize_t group(self) noexcept nogil:
        return ROW_GROUP

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        cdef Py_ssize_t r = 0
        for r in range(count):
            self.unpack(self.at(indices[r]), self.queries + r * self.job.query_bytes)
        self.make_rows(self.queries, count, out)

    cdef void make_rows(self, const char *queries, Py_ssize_t count, float *out) noexcept nogil:
        if self.places == NULL:
            svmbench_tiled_rows(&self.job, queries, count, out, self.stride)
        else:
            self.regions.rows(&self.job, queries, count, out, self.stride)

    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1:
        cdef tiled_job job
        cdef Py_ssize_t begin = 0, size = 0, r = 0
        if self.columns is None or self.columns.stride < width:
            self.columns = self.select(np.zeros(width, dtype=np.int64))
        job = (<TiledLayout>self.columns.over(self, cols, width)).job
        while begin < count:
            size = min(<Py_ssize_t>ROW_GROUP, count - begin)
            for r in range(size):
                self.unpack(self.at(rows[begin + r]), self.queries + r * self.job.query_bytes)
            svmbench_tiled_rows(&job, self.queries, size, out + begin * stride, stride)
            begin += ROW_GROUP
        return 0

    cdef Layout over(self, Layout whole, const int64_t *examples, Py_ssize_t count):
        cdef TiledLayout other = <TiledLayout>whole
        cdef Py_ssize_t j = 0
        if self.sources is None or self.sources.shape[0] < self.stride:
            self.sources = np.full(self.stride, -1, dtype=np.int64)
        for j in range(count):
            if self.sources[j] != examples[j]:
                other.unpack(other.at(examples[j]), other.queries)
                self.pack(j, other.queries)
                self.sources[j] = examples[j]
        self.n = self.job.n = count
        self.job.n_tiles = (count + TILE - 1) // TILE
        if self.columns is not None:
            self.columns.sources[:] = -1        # they are copies of the previous examples
        return self

    cdef bint can_cross(self) noexcept nogil:
        return self.places == NULL

    cdef Py_ssize_t query_size(self) noexcept nogil:
        return self.job.query_bytes

    cdef void cross(self, Layout other, const int64_t *examples, Py_ssize_t count, char *queries,
                    float *out, Py_ssize_t apart) noexcept nogil:
        cdef tiled_job job = self.job
        cdef Py_ssize_t r = 0
        job.threads = 1
        for r in range(count):
            (<TiledLayout>other).unpack((<TiledLayout>other).at(examples[r]), queries + r * job.query_bytes)
        svmbench_tiled_rows(&job, queries, count, out, apart)

    cdef bint can_place(self) noexcept nogil:
        return True     # in a subset, which has no regions: its first examples are similar

    cdef void place(self, Layout whole, Py_ssize_t p, int64_t example) noexcept nogil:
        (<TiledLayout>whole).unpack((<TiledLayout>whole).at(example), self.queries)
        self.pack(p, self.queries)

    cdef void resize(self, Py_ssize_t count) noexcept nogil:
        self.n = self.job.n = count
        self.job.n_tiles = (count + TILE - 1) // TILE

    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      const float **held, float **kept, double *sums) except -1 nogil:
        cdef Py_ssize_t begin = 0, size = 0, missing = 0, r = 0, status = 0
        while begin < count and not status:
            size = min(self.together(), count - begin)
            missing = 0
            for r in range(begin, begin + size):
                if held[r] == NULL:
                    self.unpack(self.at(indices[r]), self.queries + missing * self.job.query_bytes)
                    missing += 1
            if self.places == NULL:
                status = svmbench_tiled_add(&self.job, self.queries, size, coefficients + begin, held + begin,
                                            kept + begin, sums)
            else:   # without held or kept rows
                status = self.regions.add(&self.job, self.queries, size, coefficients + begin, sums)
            begin += size
        if status:
            with gil:
                raise MemoryError("no memory for the work buffer of a few kernel rows")
        return 0

    cdef Py_ssize_t together(self) noexcept nogil:
        """Return how many rows are added together, at most."""
        return ROW_GROUP if self.places == NULL else self.regions.together(&self.job)

    cdef bint worth_keeping(self) noexcept nogil:
        cdef Py_ssize_t small = SMALL_EXAMPLE_NEAR if self.n <= NEAR_ROW else SMALL_EXAMPLE
        return self.places == NULL and self.job.tile_bytes > small * TILE

    def largest_number(self, records):
        """Return the largest integer of which values with queries are computed; -1: not known."""
        return -1

    def records(self, indices):
        """Return the stored examples at `indices` as queries, uint8, shape (len(indices), query_bytes)."""
        cdef const int64_t[::1] chosen = np.ascontiguousarray(indices, dtype=np.int64)
        out = np.empty((chosen.shape[0], self.job.query_bytes), dtype=np.uint8)
        cdef uint8_t[:, ::1] view = out
        cdef Py_ssize_t r = 0
        if self.job.query_bytes:
            for r in range(chosen.shape[0]):
                self.unpack(self.at(chosen[r]), <char *>&view[r, 0])
        return out

    def gather(self, indices):
        """Return the stored examples at `indices`, float32, shape (len(indices), d)."""
        return self.decode(self.records(indices))

    def squared_norms(self):
        """Return |x_j|² in float64, shape (n,)."""
        out = np.empty(self.n)
        for begin in range(0, self.n, PART):
            rows = self.gather(np.arange(begin, min(begin + PART, self.n))).astype(np.float64)
            out[begin : begin + PART] = np.einsum("ij,ij->i", rows, rows)
        return out

    def encoded(self, X):
        """Yield the rows of X in parts: a layout that a part fits, its queries there, and the slice of X."""
        from svmbench.kernels.layouts._dense import DenseLayout

        dense, begin = None, 0
        for part in parts(X):
            layout, records = self, self.encode(part)
            if records is None:
                if dense is None:
                    dense = DenseLayout(self.gather(np.arange(self.n)), self.kernel, self.threads)
                layout, records = dense, dense.encode(part)
            yield layout, records, slice(begin, begin + len(part))
            begin += len(part)

    def queries_of(self, X):
        """Return the rows of X as queries, in parts; None for a part that does not fit this layout."""
        return [(len(part), self.encode(part)) for part in parts(X)]

    def scores(self, queries, coefficients):
        """Return Σ_j coefficients[j] K(x, x_j) for each row x, float64; see `Layout.scores`.

        NaN for rows that do not fit this layout; `svmbench.kernels.decisions` computes those in double.
        """
        found = [np.full(count, np.nan) if records is None else self.expansion(records, coefficients)
                 for count, records in queries]
        return np.concatenate([np.zeros(0), *found])

    def scores_at(self, other, indices, coefficients):
        """Return the same for the examples at `indices` of another layout of the same kind and options."""
        return self.expansion(other.records(indices), coefficients)

    def values(self, X):
        """Return K(x, x_j) for each row x of X and each stored example, float32, shape (X.shape[0], n).

        Rows that do not fit this layout are taken against a dense copy of the stored examples.
        """
        out = np.empty((X.shape[0], self.stride), dtype=np.float32)
        for layout, records, rows in self.encoded(X):
            layout.rows_of(records, out[rows])
        return out[:, : self.n]

    def rows_of(self, const uint8_t[:, ::1] records, float[:, ::1] out):
        """Make the kernel rows of the given queries, shape (len(records), stride)."""
        cdef Py_ssize_t begin = 0, count = records.shape[0]
        if self.n == 0 or count == 0:
            return
        # Without features a record has no element to point to.
        cdef const char *first = <const char *>&records[0, 0] if records.shape[1] else NULL
        with nogil:
            while begin < count:
                self.make_rows(first + begin * self.job.query_bytes,
                               min(<Py_ssize_t>ROW_GROUP, count - begin), &out[begin, 0])
                begin += ROW_GROUP

    def expansion(self, const uint8_t[:, ::1] records, coefficients):
        """Return Σ_j coefficients[j] K(q, x_j) for each query q, float64, shape (len(records),)."""
        if self.regions is not None:
            coefficients = np.asarray(coefficients)[self.regions.examples]
        cdef const double[::1] weights = np.ascontiguousarray(coefficients, dtype=np.float64)
        out = np.zeros(records.shape[0])
        cdef double[::1] view = out
        cdef Py_ssize_t begin = 0, count = records.shape[0], most = self.queries_together(self.n), status = 0
        cdef const char *queries = NULL
        if self.n == 0 or records.shape[1] == 0:
            return out
        while begin < count and not status:
            queries, most = <const char *>&records[begin, 0], min(most, count - begin)
            with nogil:
                if self.places == NULL:
                    status = svmbench_tiled_scores(&self.job, queries, most, &weights[0], &view[begin])
                else:
                    status = self.regions.scores(&self.job, queries, most, &weights[0], &view[begin])
            begin += most
            PyErr_CheckSignals()
        if status:
            raise MemoryError("no memory for the work buffer of the kernel expansion")
        return out
