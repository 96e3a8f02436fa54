"""C-level interface of the oracle for compiled solvers; all its methods are those of `KernelRows`."""

from svmbench.kernels._rows cimport KernelRows


cdef class Oracle(KernelRows):
    """The only source of kernel values; see _oracle.pyx."""

    cdef object _diagonal
    cdef object _double_values      # what `exact_values` keeps
