#include "peak.h"

#define BODY "_limits_body.h"
#define INTEGERS
#include "svmbench/simd/csrc/variants.h"

typedef uint32_t (*read_fn)(const uint32_t *words, ptrdiff_t count, ptrdiff_t passes);

static const limit_fn POPCOUNT[ISA_LEVELS] = VARIANTS(popcount);
static const limit_fn PRODUCTS[ISA_LEVELS] = VARIANTS(products);
static const limit_fn FMA[ISA_LEVELS] = VARIANTS(fma);
static const limit_fn EXPONENTIAL[ISA_LEVELS] = VARIANTS(exponential);
static const read_fn READ[ISA_LEVELS] = VARIANTS(read);

limit_fn svmbench_limit_popcount(int level) { return POPCOUNT[level]; }
limit_fn svmbench_limit_bytes(int level) { return PRODUCTS[level]; }
limit_fn svmbench_limit_fma(int level) { return FMA[level]; }
limit_fn svmbench_limit_exponential(int level) { return EXPONENTIAL[level]; }

uint32_t svmbench_limit_read(int level, const uint32_t *words, ptrdiff_t count, ptrdiff_t passes)
{
    return READ[level](words, count, passes);
}
