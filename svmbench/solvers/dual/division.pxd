"""C-level interface of the division of DC-SVM."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.partial_level cimport PartialLevel


cdef class Division(PartialLevel):
    """The dual over clusters of the examples; see division.pyx."""

    cdef object diagonal
    cdef object rng
    cdef double eps
    cdef object clusters            # the remaining numbers of clusters
    cdef Py_ssize_t sample_size
    cdef bint stop
    cdef int doing                  # what the values being computed are for
    # Of all examples: coefficients, initial values of a part, cluster.
    cdef readonly object alpha
    cdef object values
    cdef readonly object regions
    cdef readonly object centres    # sample, cluster of each point, squared norms; None after the last
    cdef object found               # the same as `Centres`
    cdef Py_ssize_t next            # the next cluster
    cdef object members             # of the current part, ascending
    cdef int64_t most_rounds

    cdef int64_t draw_sample(self) except -1
    cdef int64_t measure(self) except -1
    cdef int next_part(self) except -1
    cdef int begin_part(self, members) except -1
    cdef int solve_part(self) except -1
    cdef int join(self) except -1
