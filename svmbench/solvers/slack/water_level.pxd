"""C-level interface of the water level."""

from svmbench.simd.passes cimport Band

# Half of a band's width, in mean errors of the expectation, and the weight of the last error in the mean.
cdef double REACH
cdef double NEWEST


cdef struct Water:
    double level
    double sum              # of the responses below the level
    Py_ssize_t covered      # number of the responses below the level
    double expected         # the first Newton step towards the next level, by a sample
    double excess           # recent mean error of it
    double error            # recent mean distance of the level from what is left


# Count and sum of the responses below water.level.
cdef void sum_of_below(const double* c, Py_ssize_t n, Water* water) noexcept nogil

# The sum of n values.
cdef double total(const double* x, Py_ssize_t n) noexcept nogil

# The level of the given volume by divide and conquer; scratch: n values, overwritten; compared: how many
# values were compared with a pivot, or NULL.
cdef double find_level(
    const double* c, Py_ssize_t n, double volume, double* scratch, Py_ssize_t* compared
) noexcept nogil

# Move the water to the level of the given volume; on entry covered and sum belong to its old level.
cdef void solve_level(
    const double* c, Py_ssize_t n, double volume, Water* water, double* scratch
) noexcept nogil

# Set the band where the level will probably be after a step: c[j] = scale (c[j] + step signs[j] row[j]).
cdef void expect_level(
    const double* c, const float* signs, const float* row, Py_ssize_t n, double step, double scale,
    double volume, Water* water, Band* band
) noexcept nogil

# Move the water to the level of the given volume, which is looked for in the band of the responses first; the
# values of the band are overwritten.
cdef void solve_level_near(
    const double* c, Py_ssize_t n, double volume, Water* water, Band* band
) noexcept nogil
