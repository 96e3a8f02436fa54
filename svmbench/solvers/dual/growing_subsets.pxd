"""C-level interface of the start of decomposition on subsets."""

from libc.stdint cimport int64_t

from svmbench.solvers.dual.nested_sets cimport Nested


cdef class Growth:
    """The dual over growing subsets of the examples; see growing_subsets.pyx."""

    cdef object oracle
    cdef object problem
    cdef object diagonal
    cdef object order               # of the examples: each subset is the first of them
    cdef object sizes               # of the subsets to come, ascending; the last is all examples
    cdef Py_ssize_t least           # size of the sets within the set of a level
    cdef Nested whole               # the level over all examples, filled in at the end
    cdef Nested level               # over the present subset
    cdef object members             # of it, ascending
    cdef object after               # of the next one
    cdef object fresh               # of these, those that are new
    # Of all examples: coefficients in the box of the whole problem, their scores where they are known, and
    # the coefficients and the bias of the last subset that was solved.
    cdef object alpha
    cdef object scores
    cdef readonly object solved
    cdef readonly double bias
    # Scores in the making: of an expansion, at these examples, of which so many are done.
    cdef object terms
    cdef object at
    cdef Py_ssize_t done
    cdef bint solving               # the dual over the subset; else scores are in the making
    cdef bint guessed               # the new examples have their coefficients
    cdef readonly bint finished

    # One iteration; return the kernel values that it is charged.
    cdef int64_t step(self) except -1 nogil
    cdef int64_t evaluate(self) except -1
    cdef int solve_next(self, members) except -1
    cdef int finish_subset(self) except -1
    cdef int guess(self) except -1
    cdef int look_up(self, indices, at) except -1
