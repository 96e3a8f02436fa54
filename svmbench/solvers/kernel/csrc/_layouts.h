/* The oracle seen from C: its declarations include this name. */
#include "svmbench/kernels/csrc/_layouts.h"
