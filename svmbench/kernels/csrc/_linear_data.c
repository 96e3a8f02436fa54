/* The dense loops of rows.h. */
#include "rows.h"

#define BODY "_linear_data_body.h"
#include "svmbench/simd/csrc/variants.h"

static const dense_loops *const LOOPS[ISA_LEVELS] = VARIANTS(&rows);

const dense_loops *svmbench_dense_loops(int level) { return LOOPS[level]; }
