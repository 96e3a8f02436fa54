#include "bytes.h"

#define BODY "_bytes_body.h"
#define INTEGERS
#include "svmbench/simd/csrc/variants.h"

static const block_fn BLOCK[ISA_LEVELS] = VARIANTS(bytes_block);

block_fn svmbench_bytes_block(int level) { return BLOCK[level]; }
