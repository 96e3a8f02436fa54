"""C-level interface of the water level with a bias."""

from libc.stdint cimport int64_t

from svmbench.simd.passes cimport Band


# Arrays of two: the positives, the negatives.
cdef struct Basins:
    double level
    double bias
    Py_ssize_t covered      # responses under water in each class; 0: not known yet
    double[2] cut           # the highest response under water
    Py_ssize_t[2] below     # number of responses below it
    Py_ssize_t[2] ties      # number of responses equal to it
    double[2] expected      # where the next cut is looked for
    double[2] error         # how far from there it was lately


# Return the value of that rank (0: the least), put in its place: lower ones before it, higher ones behind.
cdef double place(double* x, Py_ssize_t n, Py_ssize_t rank) noexcept nogil

# Level and bias of the given volume, from nothing. members: the examples of the first class, then those of
# the second; sizes: how many, at least one each; scratch: a value for each member, overwritten.
cdef void find_basins(
    const double* c, const int64_t* members, const Py_ssize_t* sizes, double volume, Basins* basins,
    double* scratch
) noexcept nogil

# Set the band where the cuts will probably be after a step: c[j] = scale (c[j] + step signs[j] row[j]).
cdef void expect_basins(
    const float* signs, const float* row, double step, double scale, Basins* basins, Band* band
) noexcept nogil

# Level and bias of the given volume, which are looked for in the band of the responses first. signs: the
# labels of all examples, in the order of c; the values of the band are overwritten.
cdef void solve_basins(
    const double* c, const float* signs, const int64_t* members, const Py_ssize_t* sizes, double volume,
    Basins* basins, Band* band
) noexcept nogil
