#include "mixed.h"

#define BODY "_mixed_body.h"
#include "svmbench/simd/csrc/variants.h"

static const block_fn BLOCK[ISA_LEVELS] = VARIANTS(mixed_block);

block_fn svmbench_mixed_block(int level) { return BLOCK[level]; }
