"""C-level interface of the water level."""


cdef struct Water:
    double level
    double sum              # of the responses below the level
    Py_ssize_t covered      # number of the responses below the level


# Add count and sum of those of the n responses that lie below water.level.
cdef void add_below(const double* c, Py_ssize_t n, Water* water) noexcept nogil

# Count and sum of all n responses below water.level.
cdef void survey(const double* c, Py_ssize_t n, Water* water) noexcept nogil

# The sum of n values.
cdef double total(const double* x, Py_ssize_t n) noexcept nogil

# The level of the given volume by divide and conquer; scratch: n values, overwritten.
cdef double find_level(const double* c, Py_ssize_t n, double volume, double* scratch) noexcept nogil

# Move the water to the level of the given volume; on entry covered and sum belong to its old level.
cdef void settle(const double* c, Py_ssize_t n, double volume, Water* water, double* scratch) noexcept nogil
