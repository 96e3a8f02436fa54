/* The way of a block of queries over tiles, the same for every layout in them. Included by the layout's loops, once
 * per instruction set, after they have defined
 *
 *   STORE, SUM      the layout's store, and the type of a register of sums;
 *   COLUMNS(store)  32-bit words of an example in its tile; a query begins with as many;
 *   CHUNK           columns whose sums are made in registers; longer sums go on in `out`, chunk after chunk;
 *   ROWS            queries whose sums fill the registers;
 *   BORDER(store)   column from which on they are of a second kind; PTRDIFF_MAX where there is but one;
 *   add             the function that adds the terms of a column and a query's word to a sum;
 *   whole, argument functions from the sums of a chunk to what is added up, and from all of it to the argument of
 *                   the kernel: a squared distance or an inner product;
 *   UNFINISHED(mode) whether that is what is wanted.
 *
 * `mode` is a constant of the layout's own, passed on to these functions; with SECOND for columns of that kind.
 * DISTANCE is its bit for a squared distance. */

/* Tiles of which a chunk stays in the second-level cache while all queries pass over it. */
#define PANEL 32

/* Word k of the query in each lane. Repeating it takes a place in the pipes of the arithmetic (Zen 4: a third of the
 * speed is lost), where reading a whole register does not; so a group of queries is packed, packed[k * ROWS + r]. */
TARGET INLINE vu VARIANT(word)(const char *query, const vu *packed, ptrdiff_t k)
{
    if (packed == NULL)
        return ((const uint32_t *)query)[k] - (vu){0};
    vu word = *packed;
    IN_REGISTER(word);
    return word;
}

TARGET INLINE void VARIANT(pack)(const char *queries, ptrdiff_t query_bytes, ptrdiff_t begin, ptrdiff_t end,
                                 vu *packed)
{
    for (ptrdiff_t k = begin; k < end; k++)
        for (int r = 0; r < ROWS; r++)
            *packed++ = ((const uint32_t *)(queries + r * query_bytes))[k] - (vu){0};
}

/* The terms of the columns [from, to) of a chunk that begins at `begin`. */
TARGET INLINE void VARIANT(run)(SUM *sum, const vu *x, const char *queries, const vu *packed, const int rows,
                                const int mode, ptrdiff_t begin, ptrdiff_t from, ptrdiff_t to, const char *later,
                                ptrdiff_t step)
{
    for (ptrdiff_t k = from; k < to; k++) {
        if (packed != NULL)
            __builtin_prefetch(later + (k - begin) * step, 0, 2);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            const vu q = VARIANT(word)(queries, packed == NULL ? NULL : packed + (k - begin) * ROWS + r, k);
#pragma GCC unroll 8
            for (int v = 0; v < SPLIT; v++)
                sum[r * SPLIT + v] = VARIANT(add)(sum[r * SPLIT + v], x[k * SPLIT + v], q, mode);
        }
    }
}

/* The sums of `rows` queries, one or, packed, ROWS, and a tile over the columns [begin, end); the kernel values after
 * the last. Beside each column `step` bytes of what is wanted later are fetched, from `ahead` bytes on. */
TARGET INLINE void VARIANT(micro)(const STORE *store, const kernel_params *kernel, const char *queries,
                                  ptrdiff_t query_bytes, const vu *packed, const int rows, const int mode,
                                  ptrdiff_t tile, ptrdiff_t begin, ptrdiff_t end, float *out, ptrdiff_t stride,
                                  ptrdiff_t ahead, ptrdiff_t step)
{
    const ptrdiff_t columns = COLUMNS(store);
    const vu *x = (const vu *)((const uint32_t *)store->tiles + tile * columns * TILE);
    const char *later = (const char *)(x + begin * SPLIT) + ahead;
    SUM sum[ROWS * SPLIT];
#pragma GCC unroll 16
    for (int a = 0; a < rows * SPLIT; a++)
        sum[a] = (SUM){0};
    const ptrdiff_t border = BORDER(store) < begin ? begin : BORDER(store) < end ? BORDER(store) : end;
    VARIANT(run)(sum, x, queries, packed, rows, mode, begin, begin, border, later, step);
    VARIANT(run)(sum, x, queries, packed, rows, mode | SECOND, begin, border, end, later, step);
    SUM total[ROWS * SPLIT];
#pragma GCC unroll 16
    for (int a = 0; a < rows * SPLIT; a++)
        total[a] = VARIANT(whole)(sum[a]);
    if (begin > 0)
#pragma GCC unroll 16
        for (int a = 0; a < rows * SPLIT; a++) {
            SUM before;
            __builtin_memcpy(&before, out + a / SPLIT * stride + a % SPLIT * LANES, sizeof before);
            total[a] += before;
        }
    if (end < columns) {
#pragma GCC unroll 16
        for (int a = 0; a < rows * SPLIT; a++)
            VARIANT(store)(out + a / SPLIT * stride + a % SPLIT * LANES, (vf)total[a]);
        return;
    }
    vf values[ROWS * SPLIT];
#pragma GCC unroll 16
    for (int a = 0; a < rows * SPLIT; a++)
        values[a] = VARIANT(argument)(store, (const uint32_t *)(queries + a / SPLIT * query_bytes), total[a],
                                      tile * TILE + a % SPLIT * LANES, mode);
    if (!UNFINISHED(mode))
        VARIANT(finish_all)(values, rows * SPLIT, kernel, mode & DISTANCE);
#pragma GCC unroll 16
    for (int a = 0; a < rows * SPLIT; a++)
        VARIANT(store)(out + a / SPLIT * stride + a % SPLIT * LANES, values[a]);
}

/* A single query takes tile after tile, as they lie in memory. */
TARGET INLINE void VARIANT(sweep_row)(const STORE *store, const kernel_params *kernel, const char *query,
                                      const int mode, ptrdiff_t first, ptrdiff_t last, float *out)
{
    const ptrdiff_t columns = COLUMNS(store);
    if (columns <= CHUNK)
        for (ptrdiff_t tile = first; tile < last; tile++, out += TILE)
            VARIANT(micro)(store, kernel, query, 0, NULL, 1, mode, tile, 0, columns, out, 0, 0, 0);
    else
        for (ptrdiff_t tile = first; tile < last; tile++, out += TILE)
            for (ptrdiff_t begin = 0; begin < columns; begin += CHUNK)
                VARIANT(micro)(store, kernel, query, 0, NULL, 1, mode, tile, begin,
                               columns - begin < CHUNK ? columns : begin + CHUNK, out, 0, 0, 0);
}

/* Many take panel after panel of tiles, chunk after chunk of their columns, group after group of queries. Meanwhile
 * each group fetches its part of the next chunk: the processor does not see it coming, for it lies elsewhere. */
TARGET INLINE void VARIANT(sweep_panel)(const STORE *store, const kernel_params *kernel, const char *queries,
                                        ptrdiff_t query_bytes, ptrdiff_t count, const int mode, ptrdiff_t first,
                                        ptrdiff_t last, float *out, ptrdiff_t stride)
{
    enum { COLUMN = TILE * 4 }; /* bytes */
    const ptrdiff_t columns = COLUMNS(store), step = COLUMN * ROWS / count;
    vu packed[CHUNK * ROWS];
    ptrdiff_t begin = 0;
    do {
        const ptrdiff_t end = columns - begin < CHUNK ? columns : begin + CHUNK;
        const ptrdiff_t next = end < columns ? CHUNK : PANEL * columns - begin;
        ptrdiff_t r = 0;
        for (; ROWS > 1 && r + ROWS <= count; r += ROWS) {
            const char *group = queries + r * query_bytes;
            const ptrdiff_t ahead = next * COLUMN + r * COLUMN * CHUNK / count;
            VARIANT(pack)(group, query_bytes, begin, end, packed);
            for (ptrdiff_t tile = first; tile < last; tile++)
                VARIANT(micro)(store, kernel, group, query_bytes, packed, ROWS, mode, tile, begin, end,
                               out + r * stride + (tile - first) * TILE, stride, ahead, step);
        }
        for (; r < count; r++)
            for (ptrdiff_t tile = first; tile < last; tile++)
                VARIANT(micro)(store, kernel, queries + r * query_bytes, 0, NULL, 1, mode, tile, begin, end,
                               out + r * stride + (tile - first) * TILE, 0, 0, 0);
        begin = end;
    } while (begin < columns);
}

/* Store and kernel are copied, for the compiler to know that nothing written to `out` changes them. */
TARGET INLINE void VARIANT(sweep)(const STORE *shared, const kernel_params *given, const char *queries,
                                  ptrdiff_t query_bytes, ptrdiff_t count, const int mode, ptrdiff_t first,
                                  ptrdiff_t last, float *out, ptrdiff_t stride)
{
    const STORE store = *shared;
    const kernel_params kernel = *given;
    if (count == 1)
        VARIANT(sweep_row)(&store, &kernel, queries, mode, first, last, out);
    else
        for (ptrdiff_t tile = first; tile < last; tile += PANEL)
            VARIANT(sweep_panel)(&store, &kernel, queries, query_bytes, count, mode, tile,
                                 last - tile < PANEL ? last : tile + PANEL, out + (tile - first) * TILE, stride);
}
