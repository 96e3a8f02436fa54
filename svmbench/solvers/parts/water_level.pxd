"""C-level interface of the water level."""


cdef struct Water:
    double level
    double sum              # of the responses below the level
    Py_ssize_t covered      # number of the responses below the level


# Count and sum of the responses below water.level.
cdef void look(const double* c, Py_ssize_t n, Water* water) noexcept nogil

# The sum of n values.
cdef double total(const double* x, Py_ssize_t n) noexcept nogil

# The level of the given volume by divide and conquer; scratch: n values, overwritten.
cdef double find_level(const double* c, Py_ssize_t n, double volume, double* scratch) noexcept nogil

# Move the water to the level of the given volume; on entry covered and sum belong to its old level.
cdef void settle(const double* c, Py_ssize_t n, double volume, Water* water, double* scratch) noexcept nogil
