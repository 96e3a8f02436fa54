/* Instructions by name. Compilers read the declarations for a quarter of a second: only bodies that use them pay. */
#if defined(__x86_64__)
#include <immintrin.h>
#endif
