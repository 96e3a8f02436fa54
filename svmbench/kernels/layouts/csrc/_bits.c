#include "bits.h"

#define BODY "_bits_body.h"
#define INTEGERS
#include "svmbench/simd/csrc/variants.h"

static const block_fn BLOCK[ISA_LEVELS] = VARIANTS(bits_block);

block_fn svmbench_bits_block(int level) { return BLOCK[level]; }

static const column_form FORM[] = {
    {16, place_base},
#if defined(__x86_64__)
    {32, place_avx2},
    {64, place_avx512},
    {64, place_avx512_icl},
#endif
};

const column_form *svmbench_column_form(int level) { return FORM + level; }

quick_form svmbench_bits_form(int level)
{
#if defined(__x86_64__)
    return level == 3 ? QUICK_DIGITS : level == 1 ? QUICK_EQUAL : QUICK_NONE;
#else
    return QUICK_NONE;
#endif
}

void svmbench_bits_quick(int level, const bits_store *store, const quick_sums *what, const char *queries,
                         ptrdiff_t query_bytes, ptrdiff_t count, int threads, double *sums)
{
#if defined(__x86_64__)
    if (threads == 1) {
        (level == 3 ? quick_avx512_icl : quick_avx2)(store, what, queries, query_bytes, count, sums);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int part = 0; part < threads; part++) {
        const ptrdiff_t first = count * part / threads, last = count * (part + 1) / threads;
        (level == 3 ? quick_avx512_icl : quick_avx2)(store, what, queries + first * query_bytes, query_bytes,
                                                     last - first, sums + first);
    }
#endif
}
