/* The loops of regions.h. */
#include "_tiled_body.h"

/* Whether the regions [first, last) may be as near to a query as `farthest`, judged by the columns with known bounds.
 * Up to one register more is written. */
TARGET static void VARIANT(reach)(const region_set *set, const char *query, ptrdiff_t first, ptrdiff_t last,
                                  uint8_t *reached)
{
    typedef float many __attribute__((vector_size(BYTES), may_alias, aligned(4)));
    typedef int8_t marks __attribute__((vector_size(LANES)));
    for (ptrdiff_t p = first; p < last; p += LANES) {
        vf sum = {0};
        for (ptrdiff_t k = 0; k < set->columns; k++) {
            const float value = ((const float *)query)[set->words[k]];
            const vf below = *(const many *)(set->low + k * set->stride + p) - value;
            const vf above = value - *(const many *)(set->high + k * set->stride + p);
            const vi under = below > 0.0f, over = above > 0.0f; /* at most one of them */
            const vf outside = (vf)(((vi)below & under) | ((vi)above & over));
            sum += outside * outside;
        }
        const marks near = __builtin_convertvector((vi)(sum <= set->farthest), marks);
        __builtin_memcpy(reached + (p - first), &near, sizeof near);
    }
}
