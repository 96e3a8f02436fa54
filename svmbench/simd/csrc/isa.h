/* Instruction sets of the vector loops, and the one in use. */
#ifndef SVMBENCH_ISA_H
#define SVMBENCH_ISA_H

#include <stddef.h>
#include <stdint.h>

/* base is portable C; avx2 has AVX2 and FMA, avx512 AVX-512 F, VL, DQ and BW, avx512_icl also VNNI and VPOPCNTDQ
 * (Ice Lake, Zen 4). */
enum isa_level { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_AVX512_ICL, ISA_LEVELS };

/* The best level of this processor or, if a name is given, the level of that name; -1 if it cannot run here. */
int svmbench_isa_level(const char *forced);
const char *svmbench_isa_name(int level);

/* Start of part `part` of `parts` equal parts of a count. */
static inline ptrdiff_t share(ptrdiff_t count, int part, int parts) { return count * part / parts; }

#endif
