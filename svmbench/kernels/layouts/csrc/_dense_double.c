#include "dense_double.h"

#define BODY "_dense_double_body.h"
#include "svmbench/simd/csrc/variants.h"

static const block_fn BLOCK[ISA_LEVELS] = VARIANTS(dense_double_block);

block_fn svmbench_dense_double_block(int level) { return BLOCK[level]; }
