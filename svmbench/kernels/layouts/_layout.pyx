"""The interface of the storage layouts, which store the training examples and compute kernel rows.

Every kernel value is within 1e-6 of the plain float64 formula: in absolute terms for a Gaussian kernel, whose
values lie in (0, 1], and relative to |x| |x'| for others (scaled accordingly for the polynomial kernel). A
value depends only on its two examples: it is the same, bit for bit, in a row, in a block and with any number
of threads.

The loops use the instruction set that `svmbench.simd.targets` chose at import.
"""

import numpy as np
import scipy

from svmbench.kernels.functions.registry import kernel_of
from svmbench.sparse import issparse

from libc.stdint cimport int64_t

from svmbench.simd.targets cimport isa_level


#: Rows are padded to a multiple of this length.
PADDING = TILE

# Fewest queries of an expansion that are processed at once; fewest multiplications assumed for a value; and
# the number of multiplications, a tenth of a second, after which signals are checked.
cdef enum:
    FEWEST_QUERIES = 64
cdef double LEAST_WORK = 16.0
cdef double WORK_TOGETHER = 2.0 ** 28

#: Number of examples converted at a time, so that a change of type or order does not copy the whole matrix.
PART = 4096


def parts(X):
    """Yield the rows of a matrix as dense float32 arrays, a few thousand at a time."""
    if issparse(X):
        X = scipy.sparse.csr_array(X)
    for begin in range(0, X.shape[0], PART):
        part = X[begin : begin + PART]
        yield np.ascontiguousarray(part.toarray() if issparse(part) else part, dtype=np.float32)


cdef class Layout:
    """Stored examples, and the computation of kernel rows from them.

    Parameters
    ----------
    X : ndarray or scipy.sparse matrix, shape (n, d)
        Examples.
    kernel : Kernel or dict
        The kernel, or its name and parameters.
    threads : int
        OpenMP threads of one call.

    Raises
    ------
    UserError
        If the kernel is unknown, or the examples cannot be stored in this layout.
    """

    #: The layout's name in `svmbench.kernels.layouts.choice.make_layout`.
    name = ""

    #: Time of a value in an expansion in double precision, relative to a value in a block of rows. A vector
    #: register holds half as many numbers. Measured: 2 for dense rows with at least 24 features, with every
    #: kernel.
    exact_price = 2.0

    def __cinit__(self, X, kernel, threads=1, **_):
        self.kernel = kernel = kernel_of(kernel)
        self.level = isa_level()
        self.threads = threads
        self.ahead = 1
        self.kept = True
        if kernel.compiled is not None:
            self.params.kind = kernel.compiled
            self.params.gamma, self.params.coef0 = kernel.gamma, kernel.coef0
            self.params.degree = kernel.degree
        self.n, self.d = X.shape

    def distance_error(self, X=None):
        """Return bounds on the relative and absolute error of squared distances in rows, or None if unknown.

        The absolute error is in units of 1/gamma. The bounds are those of distances between stored examples
        and rows of X, by default the stored ones. Inner products have at most the same relative error, as
        part of the product of both norms.
        """
        return None

    def value_error(self, X=None):
        r"""Return the numbers (r, s) in the bound on the rounding error of a value in a row, or None.

        If k is the kernel value in exact arithmetic, a value in a row is within :math:`k (r \ln(1/k) + s)` of
        it, except that values below 2^-125 may be 0. The error of the squared distance determines r, that of
        the exponential s. The bound is only known for the Gaussian kernel.
        """
        return self.kernel.value_error(self.distance_error(X))

    def relative_error(self):
        """Return a bound on the rounding error of values in rows, relative to both `Kernel.lengths`."""
        return self.kernel.relative_error(self.distance_error())

    cdef Py_ssize_t group(self) noexcept nogil:
        """Return the largest number of rows that one call of `rows` may compute."""
        return 1

    cdef void rows(self, const int64_t *indices, Py_ssize_t count, float *out) noexcept nogil:
        """Write the kernel rows of `count` stored examples, each of `stride` values."""

    cdef int pairs(self, const int64_t *rows, Py_ssize_t count, const int64_t *cols, Py_ssize_t width,
                   float *out, Py_ssize_t stride) except -1:
        """Write values between stored examples: out[r * stride + c] = K(x_rows[r], x_cols[c]).

        The stride is at least `width`, padded to whole tiles.
        """
        return 0

    cdef bint can_cross(self) noexcept nogil:
        """Return whether `cross` is supported."""
        return False

    cdef Py_ssize_t query_size(self) noexcept nogil:
        """Return the bytes of scratch memory that `cross` needs for each example."""
        return 0

    cdef void cross(self, Layout other, const int64_t *examples, Py_ssize_t count, char *queries,
                    float *out, Py_ssize_t apart) noexcept nogil:
        """Write the values between up to ROW_GROUP examples of another layout and all examples of this one.

        These are `stride` values for each, which begin `apart` values after the last ones. Both layouts must
        have been selected from the same layout. Several threads may call this at once.
        """

    cdef Layout over(self, Layout whole, const int64_t *examples, Py_ssize_t count):
        """Return a layout over `count` examples of another, at most as many as this one was made with.

        If possible, the result is this layout itself, with its examples replaced.
        """
        return whole.select(<const int64_t[:count]>examples)

    cdef bint can_place(self) noexcept nogil:
        """Return whether `place` and `resize` are supported."""
        return False

    cdef void place(self, Layout whole, Py_ssize_t p, int64_t example) noexcept nogil:
        """Put one example of another layout of the same kind into place p of this one."""

    cdef void resize(self, Py_ssize_t count) noexcept nogil:
        """Restrict rows to the first `count` places, at most as many as this layout was made with."""

    cdef int add_rows(self, const int64_t *indices, const double *coefficients, Py_ssize_t count,
                      const float **held, float **kept, double *sums) except -1 nogil:
        """Add a linear combination of rows: sums[j] += coefficients[r] K(x_indices[r], x_j), by ascending r.

        Rows that are not NULL in `held` are read from there. Others are computed, and written to `kept`
        unless that is NULL; this may be the memory of an earlier row in `held`. The sums are the same, bit
        for bit, whichever rows are in `held`. If `sums` is NULL, rows are only computed.
        """
        return 0

    cdef double pair_work(self) noexcept nogil:
        """Return the approximate number of multiplications of one value in double precision."""
        return self.d

    cdef Py_ssize_t queries_together(self, double points) noexcept nogil:
        """Return how many queries an expansion of this many points processes between checks for signals."""
        cdef double each = max(points, 1.0) * max(self.pair_work(), LEAST_WORK)
        return FEWEST_QUERIES * <Py_ssize_t> (1.0 + self.threads * WORK_TOGETHER / (FEWEST_QUERIES * each))

    cdef bint worth_keeping(self) noexcept nogil:
        """Return whether reading a row from memory is faster than computing it again."""
        return True

    def block(self, indices, out=None):
        """Return the kernel rows of the given stored examples, float32, shape (len(indices), n).

        Parameters
        ----------
        indices : array of int, shape (b,)
            Stored examples.
        out : ndarray of float32, shape (b, at least stride), C-contiguous, optional
            Memory for the rows and their padding; the result is a view of it.
        """
        cdef const int64_t[::1] chosen = np.ascontiguousarray(indices, dtype=np.int64)
        cdef Py_ssize_t count = chosen.shape[0], begin = 0, size = 0, step = self.group()
        if out is None:
            out = np.empty((count, self.stride), dtype=np.float32)
        cdef float[:, ::1] view = out
        if view.shape[0] < count or view.shape[1] != self.stride:
            raise ValueError(f"out of shape {out.shape} holds no {count} rows of {self.stride} values")
        if count and self.n:
            with nogil:
                while begin < count:
                    size = min(step, count - begin)
                    self.rows(&chosen[begin], size, &view[begin, 0])
                    begin += step
        return out[:count, : self.n]

    def options(self):
        """Return the arguments with which another layout of this kind stores examples in the same way."""
        return {}

    def select(self, indices):
        """Return a layout of the same kind over the stored examples at `indices`."""
        chosen = self.gather(np.ascontiguousarray(indices, dtype=np.int64))
        return type(self)(chosen, self.kernel, self.threads, **self.options())

    def gather(self, indices):
        """Return the stored examples at `indices`: float32 array or CSR array, shape (len(indices), d)."""
        raise NotImplementedError

    def gather_double(self, indices):
        """Return these examples in float64, as the documented formula of the kernel uses them."""
        return self.gather(indices).astype(np.float64)

    def in_double(self, X):
        """Return other rows in float64, as the formula uses them: an array, or CSR if the examples are."""
        if issparse(self.gather(np.zeros(0, dtype=np.int64))):
            return scipy.sparse.csr_array(X).astype(np.float64)
        return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float64)

    def squared_norms(self):
        """Return |x_j|² in float64, shape (n,)."""
        raise NotImplementedError

    def self_values(self):
        """Return K(x_j, x_j), float64, shape (n,)."""
        return self.kernel.value(self.squared_norms())

    def lengths(self):
        """Return `Kernel.lengths` of the stored examples, float64, shape (n,)."""
        return self.kernel.lengths_of(self.squared_norms())

    def queries_of(self, X):
        """Return the rows of X in the form that `scores` reads."""
        raise NotImplementedError

    def scores(self, queries, coefficients):
        """Return Σ_j coefficients[j] K(x, x_j) for each row x, float64, from `queries_of` the rows.

        They may be those of another layout of the same kind and options.
        """
        raise NotImplementedError

    def quick_scores(self, queries, coefficients):
        """Return `scores` with larger errors and their bound, besides those of values; None if not faster.

        An array of float64, shape (m,), and a number.
        """
        return None

    def scores_at(self, other, indices, coefficients):
        """Return `scores` for the examples at `indices` of another layout of the same kind and options."""
        raise NotImplementedError

    def values(self, X):
        """Return K(x, x_j) for each row x of X and each stored example, float32, shape (X.shape[0], n)."""
        raise NotImplementedError
