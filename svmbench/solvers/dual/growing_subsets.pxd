"""C-level interface of the start of decomposition on subsets."""

from svmbench.solvers.dual.partial_level cimport PartialLevel


cdef class Growth(PartialLevel):
    """The dual over growing subsets of the examples; see growing_subsets.pyx."""

    cdef object diagonal
    cdef object bounds              # upper bounds of the coefficients of the whole problem
    cdef object order               # of the examples: each subset is the first of them
    cdef object sizes               # of the subsets to come, ascending; the last is all examples
    cdef object members             # of the present subset, ascending
    cdef object after               # of the next one
    cdef object fresh               # of these, those that are new
    # Of all examples: coefficients in the box of the whole problem, their scores where they are known, and
    # the coefficients and the bias that are told meanwhile.
    cdef object alpha
    cdef object scores
    cdef object told_alpha
    cdef double told_bias
    cdef bint first                 # no subset has been solved
    cdef bint guessed               # the new examples have their coefficients

    cdef int solve_next(self, members) except -1
    cdef int tell_present(self) except -1
    cdef int guess(self) except -1
    cdef int look_up_scores(self, indices, at) except -1
