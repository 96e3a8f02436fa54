#include "dense.h"

#define BODY "_dense_body.h"
#include "svmbench/simd/csrc/variants.h"

static const block_fn BLOCK[ISA_LEVELS] = VARIANTS(dense_block);

block_fn svmbench_dense_block(int level) { return BLOCK[level]; }
