#include "mapped.h"

#define BODY "_mapped_body.h"
#include "svmbench/simd/csrc/variants.h"

static const mapped_loops *const LOOPS[ISA_LEVELS] = VARIANTS(&mapped);

const mapped_loops *svmbench_mapped_loops(int level) { return LOOPS[level]; }
