/* The instruction set of this processor. */
#include <string.h>

#include "isa.h"

static const char *const NAMES[ISA_LEVELS] = {"base", "avx2", "avx512", "avx512_icl"};

static int best(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")))
        return ISA_BASE;
    if (!(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")))
        return ISA_AVX2;
    if (!(__builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512vpopcntdq")))
        return ISA_AVX512;
    return ISA_AVX512_ICL;
#else
    return ISA_BASE;
#endif
}

int svmbench_isa_level(const char *forced)
{
    const int level = best();
    if (forced[0] == '\0')
        return level;
    for (int other = 0; other <= level; other++)
        if (strcmp(forced, NAMES[other]) == 0)
            return other;
    return -1;
}

const char *svmbench_isa_name(int level) { return NAMES[level]; }
