#include "bits.h"

#define BODY "_bits_body.h"
#define INTEGERS
#include "svmbench/simd/csrc/variants.h"

static const block_fn BLOCK[ISA_LEVELS] = VARIANTS(bits_block);

block_fn svmbench_bits_block(int level) { return BLOCK[level]; }
