"""C-level interface of the oracle for compiled solvers; all its methods are those of `KernelRows`."""

from svmbench.kernels._rows cimport KernelRows


cdef class Oracle(KernelRows):
    """The only source of kernel values; see _oracle.pyx."""

    cdef object _diagonal
    cdef object _double_values      # what `exact_values` keeps
    cdef object _sizes              # what `double_errors` keeps
    # Whether scores of other rows are compared with those of other models, not only with 0: then all are in
    # double precision.
    cdef public bint compared
    # Whether most of the last scores of other rows were computed in double precision.
    cdef readonly bint in_double
