/* Kernel values of examples of zeros and ones from columns of bits; included by the bits layout, once per instruction
 * set.
 *
 * The ones that a query has in common with all examples are the sum of the query's columns. Full adders add the columns
 * of a block of examples at once, one bit of each example in each register. With AVX-512 an adder takes two instructions.
 * The bits of the sums are then gathered into bytes. The bytes, or the squared distances computed from them, are looked
 * up in a table of values.
 *
 * Example x of a block is bit j of byte q of the registers of its columns, and byte q of register j of the sums; x, j
 * and q depend on each other such that the values come out in the order of the examples (`place`). */

#undef EXAMPLES
#define EXAMPLES (8 * BYTES) /* examples of a block */

/* Keeps numbers apart: compilers would gather their values into registers, which takes twice as long. */
#undef APART
#if LEVEL == 1
#define APART(number) __asm__("" : "+r"(number))
#else
#define APART(number) (void)(number)
#endif

typedef uint8_t VARIANT(vb) __attribute__((vector_size(BYTES), may_alias));
#undef vb
#define vb VARIANT(vb)

/* The byte of a block's sums that belongs to example x. */
static int VARIANT(place)(int x)
{
#if LEVEL >= 2 /* the dwords of a register, shifted, are the numbers of 16 successive examples */
    const int j = x / 64, q = x % 16 * 4 + x / 16 % 4;
#elif LEVEL == 1 /* the bytes are interleaved within each half of a register */
    const int j = x / 32, q = x / 4 % 2 * 16 + x / 8 % 4 * 4 + x % 4;
#else
    const int j = x / BYTES, q = x % BYTES;
#endif
    return j * BYTES + q;
}

TARGET INLINE vu VARIANT(load)(const void *from)
{
    vu v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

/* a where a bit of the mask is 1, b elsewhere. */
TARGET INLINE vu VARIANT(choose)(vu mask, vu a, vu b)
{
#if LEVEL >= 2
    return (vu)_mm512_ternarylogic_epi32((__m512i)mask, (__m512i)a, (__m512i)b, 0xCA);
#else
    return b ^ ((a ^ b) & mask);
#endif
}

/* Adds three bits: *a becomes the sum, and the carry is returned. */
TARGET INLINE vu VARIANT(full)(vu *a, vu b, vu c)
{
#if LEVEL >= 2
    const __m512i carry = _mm512_ternarylogic_epi32((__m512i)*a, (__m512i)b, (__m512i)c, 0xE8);
    *a = (vu)_mm512_ternarylogic_epi32((__m512i)*a, (__m512i)b, (__m512i)c, 0x96);
    return (vu)carry;
#else
    const vu two = *a ^ b, carry = (*a & b) | (two & c);
    *a = two ^ c;
    return carry;
#endif
}

/* Adds two bits. */
TARGET INLINE vu VARIANT(half)(vu *a, vu b)
{
    const vu carry = *a & b;
    *a ^= b;
    return carry;
}

/* Adds seven columns, whose sum has three bits. */
TARGET INLINE void VARIANT(seven)(const char *columns, const uint32_t *at, vu *sum)
{
    vu x[7];
#pragma GCC unroll 7
    for (int k = 0; k < 7; k++)
        x[k] = VARIANT(load)(columns + at[k]);
    const vu first = VARIANT(full)(&x[0], x[1], x[2]);
    const vu second = VARIANT(full)(&x[3], x[4], x[5]);
    const vu third = VARIANT(full)(&x[0], x[3], x[6]);
    sum[0] = x[0];
    sum[1] = first;
    sum[2] = VARIANT(full)(&sum[1], second, third);
}

/* The sums of 7, 15, 23, ... columns, in `bits` bits. */
TARGET INLINE void VARIANT(sum_columns)(const char *columns, const uint32_t *at, ptrdiff_t count, const int bits,
                                        vu *sum)
{
#pragma GCC unroll 8
    for (int p = 3; p < bits; p++)
        sum[p] = (vu){0};
    VARIANT(seven)(columns, at, sum);
    for (ptrdiff_t k = 7; k < count; k += 8) {
        vu next[3];
        VARIANT(seven)(columns, at + k, next);
        vu carry = VARIANT(full)(&sum[0], next[0], VARIANT(load)(columns + at[k + 7]));
        carry = VARIANT(full)(&sum[1], next[1], carry);
        carry = VARIANT(full)(&sum[2], next[2], carry);
#pragma GCC unroll 8
        for (int p = 3; p < bits; p++)
            carry = VARIANT(half)(&sum[p], carry);
    }
}

/* Exchanges bits between two registers: the lower one of each pair of fields of `width` bits of a and b becomes a, the
 * upper one becomes b. */
TARGET INLINE void VARIANT(exchange)(vu *a, vu *b, const int width, uint32_t mask)
{
    const vu lower = mask - (vu){0};
    const vu first = VARIANT(choose)(lower, *a, *b << width);
    *b = VARIANT(choose)(lower, *a >> width, *b);
    *a = first;
}

/* From the bits of sums, one register each, to sums of a byte each: sum[j] has those of bit j of each byte. */
TARGET INLINE void VARIANT(to_bytes)(vu *sum, const int bits)
{
    const uint32_t nibble = 0x0F0F0F0Fu;
#pragma GCC unroll 8
    for (int p = bits; p < 8; p++)
        sum[p] = (vu){0};
#pragma GCC unroll 4
    for (int p = 0; p < bits; p += 2)
        VARIANT(exchange)(sum + p, sum + p + 1, 1, 0x55555555u);
#pragma GCC unroll 2
    for (int p = 0; p < bits; p += 4)
#pragma GCC unroll 2
        for (int i = 0; i < 2; i++)
            VARIANT(exchange)(sum + p + i, sum + p + i + 2, 2, 0x33333333u);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        if (bits > 4) {
            VARIANT(exchange)(sum + i, sum + i + 4, 4, nibble);
        } else {
            sum[i + 4] = (sum[i] >> 4) & nibble;
            sum[i] &= nibble;
        }
}

/* The columns of a query: where they begin in a block, the column of zeros repeated at the end as `sum_columns` needs;
 * how many; and how many of them are the query's. */
#undef columns_of
#define columns_of VARIANT(columns_of)
typedef struct {
    uint32_t at[MOST_COLUMNS];
    int32_t count;
    int32_t ones;
} columns_of;

TARGET static void VARIANT(list_columns)(const bits_store *store, const uint32_t *words, columns_of *query)
{
    int32_t count = 0;
    for (ptrdiff_t w = 0; w < store->words; w++)
        for (uint32_t left = words[w]; left; left &= left - 1)
            query->at[count++] = (uint32_t)(w * 32 + __builtin_ctz(left)) * BYTES;
    query->ones = count;
    while (count < 7 || count % 8 != 7)
        query->at[count++] = (uint32_t)store->features * BYTES;
    query->count = count;
}

/* The numbers of a block, a byte each: the ones in common with each example or, with `ones`, the squared distances.
 * Returns whether the numbers are below 32, 64 and 128 (1, 2 or 4), or else 0. */
TARGET INLINE int VARIANT(number_some)(const char *block, const uint8_t *ones, const columns_of *query, const int bits,
                                       uint8_t *numbers)
{
    vu sum[8], any = {0};
    VARIANT(sum_columns)(block, query->at, query->count, bits, sum);
    VARIANT(to_bytes)(sum, bits);
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) {
        vb number = (vb)sum[j];
        if (ones != NULL)
            number = (vb)VARIANT(load)(ones + j * BYTES) + (uint8_t)query->ones - (number + number);
        any |= (vu)number;
        __builtin_memcpy(numbers + j * BYTES, &number, sizeof number);
    }
#if LEVEL >= 2
    return !_mm512_test_epi8_mask((__m512i)any, _mm512_set1_epi8((char)0xE0))   ? 1
           : !_mm512_test_epi8_mask((__m512i)any, _mm512_set1_epi8((char)0xC0)) ? 2
           : !_mm512_movepi8_mask((__m512i)any)                                 ? 4
                                                                                : 0;
#elif LEVEL == 1
    return _mm256_testz_si256((__m256i)any, _mm256_set1_epi8((char)0xE0));
#else
    return 0;
#endif
}

TARGET static int VARIANT(number)(const char *block, const uint8_t *ones, const columns_of *query, uint8_t *numbers)
{
    if (query->count < 16)
        return VARIANT(number_some)(block, ones, query, 4, numbers);
    if (query->count < 32)
        return VARIANT(number_some)(block, ones, query, 5, numbers);
    return VARIANT(number_some)(block, ones, query, 8, numbers);
}

/* The values of a block: those of the table at its numbers or, with `whole`, the numbers themselves. */
TARGET INLINE void VARIANT(value_some)(const bits_store *store, const uint8_t *numbers, const sweep_mode mode,
                                       float *out)
{
#if LEVEL >= 2
#pragma GCC unroll 2
    for (int j = 0; j < 8; j++)
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
            vu number = VARIANT(load)(numbers + j * BYTES) >> (8 * i);
            if (mode.whole || mode.tables != 1)
                number &= 0xFF;
            VARIANT(store)(out + (4 * j + i) * LANES,
                           mode.whole ? (vf)number : VARIANT(look_up)(store->table, number, mode.tables));
        }
#else
#if LEVEL == 1
    if (mode.tables == 1) {
        /* The bytes of 32 values, each looked up in two tables of 16 bytes. */
        __m256i low[4], high[4], part[4];
#pragma GCC unroll 4
        for (int b = 0; b < 4; b++) {
            low[b] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(store->split + 32 * b)));
            high[b] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(store->split + 32 * b + 16)));
        }
        for (int j = 0; j < 8; j++, out += 32) {
            const __m256i number = (__m256i)VARIANT(load)(numbers + j * BYTES);
#pragma GCC unroll 4
            for (int b = 0; b < 4; b++)
                part[b] = _mm256_blendv_epi8(_mm256_shuffle_epi8(low[b], number), _mm256_shuffle_epi8(high[b], number),
                                             _mm256_slli_epi16(number, 3));
            const __m256i first = _mm256_unpacklo_epi8(part[0], part[1]), second = _mm256_unpackhi_epi8(part[0], part[1]);
            const __m256i third = _mm256_unpacklo_epi8(part[2], part[3]), fourth = _mm256_unpackhi_epi8(part[2], part[3]);
            VARIANT(store)(out, (vf)_mm256_unpacklo_epi16(first, third));
            VARIANT(store)(out + 8, (vf)_mm256_unpackhi_epi16(first, third));
            VARIANT(store)(out + 16, (vf)_mm256_unpacklo_epi16(second, fourth));
            VARIANT(store)(out + 24, (vf)_mm256_unpackhi_epi16(second, fourth));
        }
        return;
    }
#endif
    for (int x = 0; x < EXAMPLES; x += 4)
#pragma GCC unroll 4
        for (int e = 0; e < 4; e++) {
            uint32_t number = numbers[VARIANT(place)(x) + e];
            APART(number);
            if (mode.whole)
                __builtin_memcpy(out + x + e, &number, sizeof number);
            else
                out[x + e] = store->table[number];
        }
#endif
}

TARGET static void VARIANT(value)(const bits_store *store, const uint8_t *numbers, int whole, int tables, float *out)
{
    if (whole)
        VARIANT(value_some)(store, numbers, (sweep_mode){.whole = 1}, out);
    else if (LEVEL >= 1 && tables == 1)
        VARIANT(value_some)(store, numbers, (sweep_mode){.tables = 1}, out);
    else if (LEVEL >= 2 && tables == 2)
        VARIANT(value_some)(store, numbers, (sweep_mode){.tables = 2}, out);
    else if (LEVEL >= 2 && tables == 4)
        VARIANT(value_some)(store, numbers, (sweep_mode){.tables = 4}, out);
    else
        VARIANT(value_some)(store, numbers, (sweep_mode){0}, out);
}

/* The values of the first query of a block. */
TARGET static void VARIANT(by_columns)(const bits_store *store, const kernel_params *kernel, const kernel_block *block)
{
    const int whole = kernel->kind == WHOLE_DISTANCE || kernel->kind == WHOLE_PRODUCT;
    const int distance = kernel->kind == KERNEL_GAUSSIAN || kernel->kind == WHOLE_DISTANCE;
    const ptrdiff_t first = block->first * TILE, last = block->last * TILE;
    const ptrdiff_t size = (store->features + 1) * BYTES;
    uint8_t numbers[EXAMPLES] __attribute__((aligned(64)));
    float values[EXAMPLES] __attribute__((aligned(64)));
    columns_of query;
    float *out = block->out;
    VARIANT(list_columns)(store, (const uint32_t *)block->queries, &query);
    for (ptrdiff_t b = first / EXAMPLES; b * EXAMPLES < last; b++) {
        const uint8_t *ones = distance ? store->ones + b * EXAMPLES : NULL;
        const int tables = VARIANT(number)((const char *)store->columns + b * size, ones, &query, numbers);
        if (b * EXAMPLES >= first && (b + 1) * EXAMPLES <= last) {
            VARIANT(value)(store, numbers, whole, tables, out + (b * EXAMPLES - first));
            continue;
        }
        const ptrdiff_t begin = b * EXAMPLES < first ? first : b * EXAMPLES;
        const ptrdiff_t end = (b + 1) * EXAMPLES < last ? (b + 1) * EXAMPLES : last;
        VARIANT(value)(store, numbers, whole, tables, values);
        __builtin_memcpy(out + (begin - first), values + (begin - b * EXAMPLES), (size_t)(end - begin) * sizeof *out);
    }
}

#if LEVEL == 3
/* Sums of values times coefficients in whole numbers: the table holds values, and `digits` coefficients, in units of a
 * 24-bit fraction, as three digits each: bytes, those of coefficients from -128 to 127. Eight of the nine products of
 * two digits are summed, by their weights 256, 256^2, 256^3 and 256^4; the ninth is too small to matter.
 *
 * Returns the sum of a query's values over the blocks first to last - 1, in units of the lowest digits. */
TARGET static double VARIANT(quick_some)(const bits_store *store, const uint8_t *ones, const columns_of *query,
                                         const uint8_t *table, const int8_t *digits, ptrdiff_t first, ptrdiff_t last)
{
    const ptrdiff_t size = (store->features + 1) * BYTES;
    __m512i low[3], high[3], sum[4];
    for (int t = 0; t < 3; t++) {
        low[t] = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(table + 32 * t)));
        high[t] = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(table + 32 * t + 16)));
    }
    for (int w = 0; w < 4; w++)
        sum[w] = _mm512_setzero_si512();
    for (ptrdiff_t b = first; b < last; b++) {
        uint8_t numbers[EXAMPLES] __attribute__((aligned(64)));
        VARIANT(number)((const char *)store->columns + b * size, ones ? ones + b * EXAMPLES : NULL, query, numbers);
        const int8_t *own = digits + b * 3 * EXAMPLES;
#pragma GCC unroll 2
        for (int j = 0; j < 8; j++) {
            const __m512i number = (__m512i)VARIANT(load)(numbers + j * BYTES);
            const __mmask64 above = _mm512_movepi8_mask(_mm512_slli_epi16(number, 3)); /* 16 to 31 */
            __m512i digit[3];
#pragma GCC unroll 3
            for (int c = 0; c < 3; c++)
                digit[c] = (__m512i)VARIANT(load)(own + c * EXAMPLES + j * BYTES);
#pragma GCC unroll 3
            for (int t = 0; t < 3; t++) {
                const __m512i value =
                    _mm512_mask_shuffle_epi8(_mm512_shuffle_epi8(low[t], number), above, high[t], number);
#pragma GCC unroll 3
                for (int c = t == 0; c < 3; c++)
                    sum[t + c - 1] = _mm512_dpbusd_epi32(sum[t + c - 1], value, digit[c]);
            }
        }
    }
    double total = 0.0;
    for (int w = 3; w >= 0; w--) {
        const __m512i lower = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(sum[w]));
        const __m512i upper = _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(sum[w], 1));
        total = 256.0 * (total + (double)_mm512_reduce_add_epi64(_mm512_add_epi64(lower, upper)));
    }
    return total;
}
#elif LEVEL == 1
/* Adds the values of a block at its numbers of common ones; with `ones`, those of examples with k ones only. */
TARGET INLINE void VARIANT(equal_add)(__m256i *sum, const vu *number, const uint8_t *table, const uint8_t *ones, int k,
                                      const int bits)
{
    const __m256i zero = _mm256_setzero_si256();
    __m256i low[3], high[3];
#pragma GCC unroll 3
    for (int t = 0; t < 3; t++) {
        low[t] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table + 32 * t)));
        high[t] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(table + 32 * t + 16)));
    }
#pragma GCC unroll 8
    for (int j = 0; j < 8; j++) {
        const __m256i c = (__m256i)number[j];
#pragma GCC unroll 3
        for (int t = 0; t < 3; t++) {
            __m256i value = _mm256_shuffle_epi8(low[t], c);
            if (bits > 4)
                value = _mm256_blendv_epi8(value, _mm256_shuffle_epi8(high[t], c), _mm256_slli_epi16(c, 3));
            if (ones != NULL) {
                const __m256i own = (__m256i)VARIANT(load)(ones + j * BYTES);
                value = _mm256_and_si256(value, _mm256_cmpeq_epi8(own, _mm256_set1_epi8((char)k)));
            }
            sum[t] = _mm256_add_epi64(sum[t], _mm256_sad_epu8(value, zero));
        }
    }
}

/* The sum of a query's values over the blocks first to last - 1, in units of the lowest digits. Most blocks have examples
 * with one number of ones only: then a value depends on the common ones alone. Others are summed for each number of ones
 * that occurs there. */
TARGET INLINE double VARIANT(quick_some)(const bits_store *store, const columns_of *query, const quick_sums *what,
                                         ptrdiff_t first, ptrdiff_t last, const int bits)
{
    const ptrdiff_t size = (store->features + 1) * BYTES;
    __m256i sum[3];
    for (int t = 0; t < 3; t++)
        sum[t] = _mm256_setzero_si256();
    for (ptrdiff_t b = first; b < last; b++) {
        const uint8_t *ones = store->ones + b * EXAMPLES;
        const ptrdiff_t left = what->n - b * EXAMPLES;
        const int most = ones[VARIANT(place)(left < EXAMPLES ? (int)left - 1 : EXAMPLES - 1)];
        vu number[8];
        VARIANT(sum_columns)((const char *)store->columns + b * size, query->at, query->count, bits, number);
        VARIANT(to_bytes)(number, bits);
        if (ones[0] == most && left >= EXAMPLES)
            VARIANT(equal_add)(sum, number, what->table + (query->ones + most) * 96, NULL, most, bits);
        else
            for (int k = ones[0]; k <= most; k++)
                VARIANT(equal_add)(sum, number, what->table + (query->ones + k) * 96, ones, k, bits);
    }
    double total = 0.0;
    for (int t = 2; t >= 0; t--)
        total = 256.0 * total + (double)(sum[t][0] + sum[t][1] + sum[t][2] + sum[t][3]);
    return total;
}
#endif

#if LEVEL == 1 || LEVEL == 3
/* sums[q] += the sum of each query. Blocks are processed in chunks: of one, the columns and digits stay in the
 * second-level cache, and the sums fit. */
TARGET static void VARIANT(quick)(const bits_store *store, const quick_sums *what, const char *queries,
                                  ptrdiff_t query_bytes, ptrdiff_t count, double *sums)
{
    enum { CHUNK_BLOCKS = 64 };
    const ptrdiff_t blocks = (what->n + EXAMPLES - 1) / EXAMPLES;
    for (ptrdiff_t first = 0; first < blocks; first += CHUNK_BLOCKS) {
        const ptrdiff_t last = blocks - first < CHUNK_BLOCKS ? blocks : first + CHUNK_BLOCKS;
        for (ptrdiff_t q = 0; q < count; q++) {
            columns_of query;
            VARIANT(list_columns)(store, (const uint32_t *)(queries + q * query_bytes), &query);
#if LEVEL == 3
            sums[q] += VARIANT(quick_some)(store, what->distance ? store->ones : NULL, &query, what->table,
                                           what->digits, first, last);
#else
            sums[q] += query.count < 16 || store->most < 16
                           ? VARIANT(quick_some)(store, &query, what, first, last, 4)
                           : VARIANT(quick_some)(store, &query, what, first, last, 5);
#endif
        }
    }
}
#endif
