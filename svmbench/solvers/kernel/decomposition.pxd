"""C-level interface of decomposition, from which `dcsvm` derives."""

from svmbench.solvers.dual.nested_sets cimport Level
from svmbench.solvers.dual.partial_level cimport PartialLevel
from svmbench.solvers.dual.refinement cimport Refinement
from svmbench.solvers.run cimport SteppedRun


cdef class Run(SteppedRun):
    """A started decomposition; see decomposition.pyx."""

    cdef object problem
    cdef object diagonal
    cdef Py_ssize_t least           # size of the nested working sets
    cdef Level level
    cdef PartialLevel growth        # the warm start; None if there is none, or it is over
    cdef bint shrinks               # whether there are enough examples for shrinking
    cdef readonly PartialLevel shrunk   # rounds over the active examples; None during rounds over all
    cdef readonly Refinement refinement

    # What the next iteration works on, and whether the method has converged.
    cdef int go_on(self) except -1 nogil
    cdef int drop_parts(self) except -1 nogil
    cdef int shrink(self) except -1 nogil
    cdef int refine(self) except -1 nogil
    cdef int renew(self) except -1 nogil
    # Whether the extrema of the values are close enough.
    cdef int look(self) except -1 nogil
