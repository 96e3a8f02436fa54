"""C-level interface of the start of decomposition on subsets."""

from svmbench.solvers.dual.partial_level cimport PartialLevel


cdef class Growth(PartialLevel):
    """The dual over growing subsets of the examples; see growing_subsets.pyx."""

    cdef object diagonal
    cdef object bounds              # upper bounds of the coefficients of the whole problem
    cdef object order               # of the examples: each subset consists of the first ones
    cdef object sizes               # of the remaining subsets, ascending; the last is all examples
    cdef object members             # of the current subset, ascending
    cdef object after               # of the next subset
    cdef object fresh               # the new examples among these
    # For all examples: coefficients in the box of the whole problem, their scores if known, and the iterate
    # that is reported meanwhile.
    cdef object alpha
    cdef object scores
    cdef object iterate
    cdef double iterate_bias
    cdef bint first                 # no subset has been solved
    cdef bint warm_started          # the new examples have their initial coefficients

    cdef int solve_next(self, members) except -1
    cdef int stand_at(self, Py_ssize_t left, bint solving, Py_ssize_t done) except -1
    cdef int record_iterate(self) except -1
    cdef int warm_start(self) except -1
    cdef int reconstruct_scores(self, indices, at) except -1
