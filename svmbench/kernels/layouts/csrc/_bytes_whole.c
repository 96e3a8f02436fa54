#include "whole.h"

#define BODY "_bytes_whole_body.h"
#include "svmbench/simd/csrc/variants.h"

static const whole_loops *const LOOPS[ISA_LEVELS] = VARIANTS(&whole_set);

const whole_loops *svmbench_whole_loops(int level) { return LOOPS[level]; }
