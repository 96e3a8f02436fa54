"""Times and sizes of the files of many runs, read without the interpreter's lock."""

import os

from libc.stdint cimport int64_t
from libc.string cimport strlen

cdef extern from *:
    """
    #include <stdint.h>
    #include <sys/stat.h>

    #ifdef __APPLE__
    #define SVMBENCH_MODIFIED st_mtimespec
    #define SVMBENCH_CHANGED st_ctimespec
    #else
    #define SVMBENCH_MODIFIED st_mtim
    #define SVMBENCH_CHANGED st_ctim
    #endif

    static int64_t svmbench_nanoseconds(struct timespec time) {
        return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
    }

    static int svmbench_state(int folder, const char *path, int64_t *found) {
        struct stat state;
        if (fstatat(folder, path, &state, 0)) return -1;
        found[0] = svmbench_nanoseconds(state.SVMBENCH_MODIFIED);
        found[1] = svmbench_nanoseconds(state.SVMBENCH_CHANGED);
        found[2] = (int64_t)state.st_size;
        return 0;
    }
    """
    int svmbench_state(int folder, const char* path, int64_t* found) nogil


def signatures(folder, names, files not None):
    """Return the times of modification and of status change, and the sizes, of the files of runs.

    Parameters
    ----------
    folder : str
        The folder of the runs.
    names : sequence of str
        Names of runs in it.
    files : sequence of str
        Names of files of each run.

    Returns
    -------
    list of bytes or None
        Per run, three 64-bit integers per file, times in nanoseconds; None if a file is missing.
    """
    cdef Py_ssize_t count = len(names), width = len(files), size = 24 * width, run, file
    ends = [b"/" + os.fsencode(end) + b"\0" for end in files]
    cdef bytes paths = b"".join([name + end for name in map(os.fsencode, names) for end in ends])
    cdef const char* path = paths
    cdef bytearray found = bytearray(count * size), missing = bytearray(count)
    cdef char* values = found
    cdef char* lacks = missing
    cdef int home
    try:
        home = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return [None] * count
    try:
        with nogil:
            for run in range(count):
                for file in range(width):
                    if svmbench_state(home, path, <int64_t*> (values + run * size + 24 * file)):
                        lacks[run] = 1
                    path += strlen(path) + 1
    finally:
        os.close(home)
    return [None if lacks[run] else bytes(found[run * size:(run + 1) * size]) for run in range(count)]
