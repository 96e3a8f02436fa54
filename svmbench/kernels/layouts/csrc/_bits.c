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
