"""Kernel rows for compiled solvers, cached or computed and counted.

The evaluations actually made (``kev_computed``) are counted here, once per row or block.
"""

from libc.stdint cimport int64_t

from svmbench.kernels._cache cimport RowCache
from svmbench.kernels._ledger cimport Ledger
from svmbench.kernels._prefetch cimport Prefetch
from svmbench.kernels.layouts._layout cimport ROW_GROUP, Layout

cdef enum:
    MOST_ROWS = 1024        # per batch of cache look-ups


cdef class KernelRows:
    """The rows over the examples of a layout; see `svmbench.kernels._oracle.Oracle`.

    Parameters
    ----------
    layout : Layout
        The examples.
    ledger : Ledger
        The counts.
    cache_bytes : int
        Size of the row cache; two rows are always cached.
    prefetch : bool
        Whether rows may be computed ahead of need.
    """

    def __init__(self, Layout layout not None, Ledger ledger not None, cache_bytes, prefetch):
        self.layout = layout
        self.ledger = ledger
        self.n = layout.n
        self.d = layout.d
        self.cache = RowCache(self.n, layout.stride, cache_bytes)
        most = max(1, min(layout.ahead, self.cache.slots // 8)) if prefetch else 1
        self.prefetch = Prefetch(layout, self.cache, ledger, most)

    cdef const float *get_row(self, Py_ssize_t i) noexcept nogil:
        cdef float *values = self.cache.find(i)
        cdef int64_t index = i
        if values == NULL:
            values = self.cache.insert(i)
            self.layout.rows(&index, 1, values)
            self.ledger.computed(self.n)
        else:
            self.prefetch.found()
        return values

    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1:
        self.layout.pairs(rows, count, cols, width, out, stride)
        self.ledger.computed(count * width)
        return 0

    cdef int take(self, const int64_t *examples, Py_ssize_t count) except -1:
        cdef Py_ssize_t j = 0
        for j in range(count):
            self.examples[j] = examples[j]
        self.layout = self.layout.over(self.whole.layout, examples, count)
        self.n = count
        self.cache.clear()
        return 0

    cdef void place(self, Py_ssize_t p, int64_t example) noexcept nogil:
        self.examples[p] = example
        self.layout.place(self.whole.layout, p, example)
        self.cache.clear()

    cdef void resize(self, Py_ssize_t count) noexcept nogil:
        self.layout.resize(count)
        self.n = count

    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      double *sums) except -1 nogil:
        cdef bint roomy = self.cache.slots >= MOST_ROWS or not self.layout.worth_keeping()
        cdef Py_ssize_t step = MOST_ROWS if roomy else ROW_GROUP
        cdef Py_ssize_t begin = 0
        while begin < count:
            add_group(self, indices + begin, coefficients + begin, min(step, count - begin), sums)
            begin += step
        return 0


cdef int add_group(KernelRows given, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                   double *sums) except -1 nogil:
    """`add_rows` for up to MOST_ROWS rows if the cache has room for all of them, else for up to ROW_GROUP."""
    cdef bint roomy = given.cache.slots >= count
    cdef const float *held[MOST_ROWS]
    cdef const float *nothing[MOST_ROWS]
    cdef float *kept[MOST_ROWS]
    cdef float *places[MOST_ROWS]
    cdef int64_t missing[MOST_ROWS]
    cdef bint keep = given.layout.worth_keeping()
    cdef Py_ssize_t made = 0, r = 0
    for r in range(count):
        nothing[r] = NULL
        held[r] = given.cache.find(indices[r]) if keep else NULL
        kept[r] = given.cache.insert(indices[r]) if keep and held[r] == NULL else NULL
        if kept[r] != NULL and roomy:
            held[r] = copied(given, indices[r], kept[r])
        if held[r] == NULL:
            missing[made] = indices[r]
            places[made] = kept[r]
            made += 1
    given.ledger.computed(made * given.n)
    if keep and roomy:
        # Missing rows are computed first, in full blocks, each of which reads the stored examples once.
        given.layout.add_rows(missing, coefficients, made, nothing, places, NULL)
        for r in range(count):
            if held[r] == NULL:
                held[r] = kept[r]
    return given.layout.add_rows(indices, coefficients, count, held, kept, sums)


cdef const float *copied(KernelRows part, int64_t i, float *row) noexcept nogil:
    """Copy a row from the cache of the whole matrix; return NULL if it is not cached there."""
    cdef const float *whole = NULL
    cdef Py_ssize_t j = 0
    if part.whole is not None and part.cache.slots >= part.examples.shape[0]:
        whole = part.whole.cache.seen(part.examples[i])
    if whole == NULL:
        return NULL
    for j in range(part.n):
        row[j] = whole[part.examples[j]]
    return row
