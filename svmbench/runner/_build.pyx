"""Compiler and Cython version of the compiled layer."""

cdef extern from *:
    """
    #define SVMBENCH_TEXT_(x) #x
    #define SVMBENCH_TEXT(x) SVMBENCH_TEXT_(x)
    #if defined(__clang__)
    static const char svmbench_compiler[] = __VERSION__;
    #elif defined(__GNUC__)
    static const char svmbench_compiler[] = "gcc " __VERSION__;
    #elif defined(_MSC_VER)
    static const char svmbench_compiler[] = "msvc " SVMBENCH_TEXT(_MSC_VER);
    #else
    static const char svmbench_compiler[] = "unknown";
    #endif
    """
    const char *svmbench_compiler
    const unsigned long CYTHON_HEX_VERSION


def compiler():
    """Return the name and version of the C compiler."""
    return svmbench_compiler.decode()


def cython():
    """Return the version of Cython."""
    version = CYTHON_HEX_VERSION
    return f"{version >> 24}.{version >> 16 & 0xFF}.{version >> 8 & 0xFF}"
