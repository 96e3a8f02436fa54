/* Includes BODY once per instruction set, with VARIANT(name), TARGET, LEVEL and BYTES, the width of a register,
 * defined, after vectors.h. */
#include "isa.h"

#ifdef __FAST_MATH__
#error "compile without -ffast-math: the exponential rounds by adding a constant, which fast-math removes"
#endif

#define INLINE static inline __attribute__((always_inline))

#define VARIANT(name) name##_base
#define TARGET
#define LEVEL 0
#define BYTES 16
#include "vectors.h"
#include BODY
#undef VARIANT
#undef TARGET
#undef LEVEL
#undef BYTES

#if defined(__x86_64__)
#define VARIANT(name) name##_avx2
#define TARGET __attribute__((target("avx2,fma")))
#define LEVEL 1
#define BYTES 32
#include "vectors.h"
#include BODY
#undef VARIANT
#undef TARGET
#undef LEVEL
#undef BYTES

#ifdef __clang__
#define WIDE(isa) __attribute__((target(isa), min_vector_width(512)))
#else
#define WIDE(isa) __attribute__((target(isa ",prefer-vector-width=512")))
#endif

#define VARIANT(name) name##_avx512
#define TARGET WIDE("avx512f,avx512vl,avx512dq,avx512bw,fma")
#define LEVEL 2
#define BYTES 64
#include "vectors.h"
#include BODY
#undef VARIANT
#undef TARGET
#undef LEVEL
#undef BYTES

#ifdef INTEGERS /* only whole-number arithmetic gains from these */
#define VARIANT(name) name##_avx512_icl
#define TARGET WIDE("avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512vpopcntdq,fma")
#define LEVEL 3
#define BYTES 64
#include "vectors.h"
#include BODY
#undef VARIANT
#undef TARGET
#undef LEVEL
#undef BYTES
#define VARIANTS(name) {name##_base, name##_avx2, name##_avx512, name##_avx512_icl}
#else
#define VARIANTS(name) {name##_base, name##_avx2, name##_avx512, name##_avx512}
#endif
#else
#define VARIANTS(name) {name##_base, name##_base, name##_base, name##_base}
#endif
