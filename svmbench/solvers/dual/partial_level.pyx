"""Common code of warm start and shrinking: rounds over some examples, then values at others.

An iteration is a round, or up to TOGETHER values of an expansion, which are charged one by one.
"""

from svmbench.solvers.run import Uninterrupted

from libc.stdint cimport int64_t

cdef enum:
    TOGETHER = 1 << 28


cdef class PartialLevel:
    """Rounds of `level`, alternating with values of an expansion requested by `reconstruct`.

    Parameters
    ----------
    oracle : Oracle
        Over all examples.
    problem : Problem
        In its C-form.
    whole : Level
        The level over all examples.
    least : int
        Size of the sets within its set.
    """

    def __init__(self, oracle, problem, Level whole not None, least):
        self.oracle, self.problem, self.whole, self.least = oracle, problem, whole, least
        self.changed = True

    cdef int64_t step(self) except -1 nogil:
        cdef int64_t evaluations = 0
        if self.solving:
            evaluations = self.level.round()
            if self.solved():
                with gil:
                    with Uninterrupted():
                        self.end_rounds()
        else:
            with gil:
                with Uninterrupted():
                    evaluations = self.evaluate()
        return evaluations

    cdef int reconstruct(self, indices, coefficients, at) except -1:
        """Request the values of an expansion at some examples."""
        self.terms = self.oracle.expansion(indices, coefficients)
        self.at = at
        self.done = 0
        self.solving = False
        return 0

    cdef int64_t evaluate(self) except -1:
        """Compute a part of the values; continue after the last one."""
        cdef Py_ssize_t count = max(1, TOGETHER // max(self.terms.size, 1))
        part = self.at[self.done : self.done + count]
        self.changed = False  # what is given up here can be made again
        values = self.oracle.expanded(self.terms, part)
        self.changed = True
        self.take(part, values)
        self.done += len(part)
        cdef int64_t evaluations = self.terms.size * len(part)
        if self.done == len(self.at):
            self.end_values()
        return evaluations

    cdef bint solved(self) noexcept nogil:
        return True

    cdef int end_rounds(self) except -1:
        return 0

    cdef int take(self, part, values) except -1:
        return 0

    cdef int end_values(self) except -1:
        return 0
