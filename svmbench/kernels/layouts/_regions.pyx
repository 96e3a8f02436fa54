"""Regions: most values of a narrow Gaussian kernel are 0 and need not be computed.

Every layout that computes in single precision gives 0 for values below 2^-125. If most pairs of examples are
that far apart, examples are stored in an order that keeps near ones together: they are halved at the median
of the column that varies most, and the halves are halved in turn, down to regions of REGION examples. The
least and greatest values of some columns in a region bound its distance from a query. Values in regions that
are too far are set to 0 without computing them, so that rows and their sums are the same, bit for bit, as
without regions.
"""

import math

import numpy as np

from svmbench.sparse import issparse

from svmbench.kernels.layouts._layout cimport ROW_GROUP


cdef extern from "regions.h" nogil:
    void svmbench_region_rows(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count,
                              float *out, ptrdiff_t stride)
    int svmbench_region_add(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count,
                            const double *coefficients, double *sums)
    int svmbench_region_scores(const tiled_job *, const region_set *, const char *queries, ptrdiff_t count,
                               const double *coefficients, double *scores)

# Bytes of queries whose rows are added together.
cdef enum:
    QUERIES_BYTES = 1 << 20

#: Most columns that have bounds: those that vary most.
MOST_COLUMNS = 16

# Fewest examples for which regions are made.
_FEWEST = 16 * REGION
# Number of pairs that decide whether most values are 0; the ratio that spreads their examples evenly (the
# golden ratio); and of these examples, every how manyth is used to count the regions within reach.
_SAMPLE = 1024
_GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
_THIN = 16
# Largest fraction of regions that a query may reach; if it is larger, regions cost more than they save.
_MOST_REACHED = 0.5
# Number of examples from which the column that varies most in a half is determined.
_SPREAD = 128


def find(X, columns, kernel):
    """Return the `Regions` of examples; None if they would save less than half of the values.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Examples.
    columns : array of int, shape (c,)
        Features that a query begins with, as float32, in this order.
    kernel : Kernel
        The kernel; only a radial one has regions.
    """
    n = X.shape[0]
    if not kernel.radial or n < _FEWEST or len(columns) == 0 or issparse(X):
        return None
    sample = (np.arange(2 * _SAMPLE) * _GOLDEN % 1.0 * n).astype(np.int64)
    some = np.asarray(X[sample][:, columns], dtype=np.float64)
    words = np.sort(np.argsort(-some.var(axis=0), kind="stable")[:MOST_COLUMNS])
    some = some[:, words]
    limit = kernel.farthest
    apart = some[:_SAMPLE] - some[_SAMPLE:]
    if np.mean(np.square(apart).sum(axis=1) <= limit) > _MOST_REACHED:
        return None
    features = np.asarray(columns)[words]
    values = np.asarray(X[:, features], dtype=np.float32)
    found = Regions(values, ordered(values), features, words, limit)
    return found if found.reached(some[::_THIN]) <= _MOST_REACHED else None


def ordered(values, size=REGION):
    """Return the examples in the order of their regions, int64, shape (n,)."""
    order = np.arange(len(values))
    halves = [(0, len(values))]
    while halves:
        begin, end = halves.pop()
        if end - begin > size:
            part = order[begin:end]
            middle = (end - begin + size) // (2 * size) * size
            widest = values[part[:: -(-len(part) // _SPREAD)]].var(axis=0, dtype=np.float64).argmax()
            order[begin:end] = part[np.argpartition(values[part, widest], middle)]
            halves += [(begin, begin + middle), (begin + middle, end)]
    return order


cdef class Regions:
    """The order of the examples of a layout, and bounds of its regions.

    Parameters
    ----------
    values : ndarray of float32, shape (n, c)
        Columns of the examples.
    order : array of int, shape (n,)
        The example at each place.
    features, words : array of int, shape (c,)
        The features in these columns, and their positions in a query.
    limit : float
        Squared distance beyond which every value counts as 0.
    """

    def __init__(self, values, order, features, words, limit):
        n, columns = values.shape
        count = -(-n // REGION)
        stride = -(-count // 16) * 16 + 16
        self.low = np.full((columns, stride), np.inf, dtype=np.float32)
        self.high = np.full((columns, stride), -np.inf, dtype=np.float32)
        begins = np.arange(0, n, REGION)
        arranged = values[order]
        np.asarray(self.low)[:, :count] = np.minimum.reduceat(arranged, begins).T
        np.asarray(self.high)[:, :count] = np.maximum.reduceat(arranged, begins).T
        self.features = features
        self.words = np.ascontiguousarray(words, dtype=np.int64)
        self.examples = np.ascontiguousarray(order, dtype=np.int64)
        self.example_at = self.examples
        places = np.empty(n, dtype=np.int64)
        places[self.examples] = np.arange(n)
        self.places = places
        self.set = region_set(
            count=count, columns=columns, stride=stride, low=&self.low[0, 0], high=&self.high[0, 0],
            words=&self.words[0], examples=&self.example_at[0], farthest=limit,
        )

    def reached(self, queries):
        """Return the mean fraction of regions within reach of queries, which are given by their columns."""
        low, high = np.asarray(self.low)[:, : self.set.count], np.asarray(self.high)[:, : self.set.count]
        total = 0.0
        for query in queries:
            outside = np.maximum(np.maximum(low - query[:, None], query[:, None] - high), 0.0)
            total += np.mean(np.square(outside).sum(axis=0) <= self.set.farthest)
        return total / len(queries)

    def order(self, examples):
        """Return the permutation that sorts examples by their places."""
        return np.argsort(np.asarray(self.places)[examples], kind="stable")

    cdef Py_ssize_t together(self, const tiled_job *job) noexcept nogil:
        cdef Py_ssize_t fitting = QUERIES_BYTES // max(<Py_ssize_t> 1, job.query_bytes)
        return max(<Py_ssize_t> ROW_GROUP, min(<Py_ssize_t> REGION_QUERIES, fitting))

    cdef void rows(self, const tiled_job *job, const char *queries, Py_ssize_t count, float *out,
                   Py_ssize_t stride) noexcept nogil:
        svmbench_region_rows(job, &self.set, queries, count, out, stride)

    cdef int add(self, const tiled_job *job, const char *queries, Py_ssize_t count,
                 const double *coefficients, double *sums) noexcept nogil:
        return svmbench_region_add(job, &self.set, queries, count, coefficients, sums)

    cdef int scores(self, const tiled_job *job, const char *queries, Py_ssize_t count,
                    const double *coefficients, double *scores) noexcept nogil:
        return svmbench_region_scores(job, &self.set, queries, count, coefficients, scores)
