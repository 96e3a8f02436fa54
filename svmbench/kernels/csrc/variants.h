/* Includes BODY once per instruction set, with VARIANT(name), TARGET and LEVEL defined, after the exponential.
 * Vectors are the compiler's generic ones of 64 bytes: on a narrower machine they are split, never wrong. */
#include "kernels.h"

#ifdef __FAST_MATH__
#error "compile without -ffast-math: the exponential rounds by adding a constant, which fast-math removes"
#endif

#define INLINE static inline __attribute__((always_inline))

typedef float vf __attribute__((vector_size(64), may_alias));
typedef double vd __attribute__((vector_size(64), may_alias));
typedef int32_t vi __attribute__((vector_size(64), may_alias));
typedef uint32_t vu __attribute__((vector_size(64), may_alias));
typedef int16_t vs __attribute__((vector_size(64), may_alias));

#define VARIANT(name) name##_base
#define TARGET
#define LEVEL 0
#include "exponential.h"
#include BODY
#undef VARIANT
#undef TARGET
#undef LEVEL

#if defined(__x86_64__)
#include <immintrin.h>

#define VARIANT(name) name##_v3
#define TARGET __attribute__((target("avx2,fma")))
#define LEVEL 1
#include "exponential.h"
#include BODY
#undef VARIANT
#undef TARGET
#undef LEVEL

#ifdef __clang__
#define WIDE(isa) __attribute__((target(isa), min_vector_width(512)))
#else
#define WIDE(isa) __attribute__((target(isa ",prefer-vector-width=512")))
#endif

#define VARIANT(name) name##_v4
#define TARGET WIDE("avx512f,avx512vl,avx512dq,avx512bw,fma")
#define LEVEL 2
#include "exponential.h"
#include BODY
#undef VARIANT
#undef TARGET
#undef LEVEL

#ifdef INTEGERS /* only whole-number arithmetic gains from these */
#define VARIANT(name) name##_v4i
#define TARGET WIDE("avx512f,avx512vl,avx512dq,avx512bw,avx512vnni,avx512vpopcntdq,fma")
#define LEVEL 3
#include "exponential.h"
#include BODY
#undef VARIANT
#undef TARGET
#undef LEVEL
#define VARIANTS(name) {name##_base, name##_v3, name##_v4, name##_v4i}
#else
#define VARIANTS(name) {name##_base, name##_v3, name##_v4, name##_v4}
#endif
#else
#define VARIANTS(name) {name##_base, name##_base, name##_base, name##_base}
#endif
