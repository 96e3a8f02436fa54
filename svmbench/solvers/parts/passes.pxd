"""C-level interface of the passes over vectors of responses."""


# Number and sum of those of the n values that are below the level.
cdef void survey(const double* x, Py_ssize_t n, double level, double* sum, Py_ssize_t* count) noexcept nogil

# Of the values whose sign is the given one: those of [floor, ceiling) to `band`, which has room for n + 8,
# and how many; number and sum of those below.
cdef void collect(
    const double* x, const float* signs, Py_ssize_t n, float sign, double floor, double ceiling, double* band,
    Py_ssize_t* count, double* sum, Py_ssize_t* below
) noexcept nogil

# x[j] += factor signs[j] row[j]
cdef void add_signed(
    double* x, const float* signs, const float* row, Py_ssize_t n, double factor
) noexcept nogil

# x[j] = scale (x[j] + step signs[j] row[j]), total[j] += x[j]; the survey of the new values.
cdef void move(
    double* x, double* total, const float* signs, const float* row, Py_ssize_t n, double step, double scale,
    double level, double* sum, Py_ssize_t* count
) noexcept nogil

# x[j] *= scale, total[j] += x[j]
cdef void rescale(double* x, double* total, Py_ssize_t n, double scale) noexcept nogil
