"""C-level interface of the water level with a bias."""

from libc.stdint cimport int64_t


cdef enum:
    MARKS = 32


# Arrays of two: the positives, the negatives.
cdef struct Basins:
    double level
    double bias
    Py_ssize_t covered      # responses under water in each class; 0: not known yet
    double[2] cut           # the highest response under water
    Py_ssize_t[2] below     # number of responses below it
    Py_ssize_t[2] ties      # number of responses equal to it
    double reach            # how far from where it is expected the next cut is looked for
    # A few examples that were near the cut, how many, and the sum of their responses then.
    int64_t[2][MARKS] marks
    int[2] n_marks
    double[2] marks_sum


# Level and bias of the given volume, from nothing. members: the examples of the first class, then those of
# the second; sizes: how many, at least one each; scratch: a value for each member, overwritten.
cdef void find_basins(
    const double* c, const int64_t* members, const Py_ssize_t* sizes, double volume, Basins* basins,
    double* scratch
) noexcept nogil

# The same from nearby basins, with less work. signs: the labels of all examples, in the order of c; scratch:
# 2 n + 16 values.
cdef void settle_basins(
    const double* c, const float* signs, const int64_t* members, const Py_ssize_t* sizes, double volume,
    Basins* basins, double* scratch
) noexcept nogil
