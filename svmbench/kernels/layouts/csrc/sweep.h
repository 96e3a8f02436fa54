/* The pass of a block of queries over tiles, the same for every tiled layout. Included by the layout's loops, once
 * per instruction set, after they have defined
 *
 *   STORE, SUM      the layout's store, and the type of a register of sums;
 *   COLUMNS(store)  32-bit words of an example in its tile; a query begins with as many;
 *   CHUNK           columns whose sums are computed in registers; longer sums continue in `out`, chunk by chunk;
 *   ROWS            queries whose sums fill the registers; if these are eight, the last ones go in groups of four;
 *   BORDER(store)   first column of the second kind; PTRDIFF_MAX if there is only one kind;
 *   add             the function that adds the terms of a column and a query's word to a sum;
 *   whole, argument functions from the sums of a chunk to the accumulated value, and from that to the argument of the
 *                   kernel: a squared distance or an inner product;
 *   UNFINISHED(mode) whether that argument itself is requested.
 *
 * Every structure here is a constant or a local variable of functions that are all inlined into one, so that its fields
 * are registers, and each mode whose sums differ gets specialised loops. */

/* The source of the values. */
typedef struct {
    const STORE *store;
    const kernel_params *kernel;
    sweep_mode mode;
} VARIANT(sweep_data);

/* Queries whose sums are computed together: one, or several packed ones. */
typedef struct {
    const char *queries;
    ptrdiff_t query_bytes;
    int rows;         /* how many */
    const vu *packed; /* NULL for one query */
    const int32_t *columns; /* if some are left out, the others of the piece, */
    ptrdiff_t listed;       /* and how many these are */
    float *out;       /* where their values for a tile go */
    ptrdiff_t stride;
    ptrdiff_t ahead;  /* with each column, `step` bytes of later data are prefetched, from `ahead` bytes on */
    ptrdiff_t step;
} VARIANT(sweep_group);

/* Tiles per panel: a chunk of them stays in the second-level cache while all queries pass over it. */
#define PANEL 32

/* Word k of the query in each lane. Broadcasting it occupies an arithmetic port (a third of the speed on Zen 4), while
 * loading a whole register does not; so a group of queries is packed, packed[k * rows + r]. */
TARGET INLINE vu VARIANT(word)(const char *query, const vu *packed, ptrdiff_t k)
{
    if (packed == NULL)
        return ((const uint32_t *)query)[k] - (vu){0};
    vu word = *packed;
    IN_REGISTER(word);
    return word;
}

TARGET INLINE void VARIANT(pack)(const VARIANT(sweep_group) group, const int skips, ptrdiff_t begin, ptrdiff_t end,
                                 vu *packed)
{
    for (ptrdiff_t i = skips ? 0 : begin; i < (skips ? group.listed : end); i++)
        for (int r = 0; r < group.rows; r++)
            *packed++ = ((const uint32_t *)(group.queries + r * group.query_bytes))[skips ? group.columns[i] : i] -
                        (vu){0};
}

/* Lists the columns from `begin` to `end` where the word of a query is not 0; returns how many. */
TARGET INLINE ptrdiff_t VARIANT(list)(const VARIANT(sweep_group) group, ptrdiff_t begin, ptrdiff_t end,
                                      int32_t *columns)
{
    ptrdiff_t count = 0;
    for (ptrdiff_t k = begin; k < end; k++) {
        uint32_t any = 0;
        for (int r = 0; r < group.rows; r++)
            any |= ((const uint32_t *)(group.queries + r * group.query_bytes))[k];
        columns[count] = (int32_t)k;
        count += any != 0;
    }
    return count;
}

/* Add the terms of columns of one kind to the sums; if some are left out, `from` and `to` are places in the list. */
TARGET INLINE void VARIANT(run)(SUM *sum, const VARIANT(sweep_group) group, const sweep_mode mode, const vu *x,
                                const sweep_piece piece, ptrdiff_t from, ptrdiff_t to)
{
    const int rows = group.rows;
    const char *later = (const char *)(x + piece.begin * SPLIT) + group.ahead;
    for (ptrdiff_t i = from; i < to; i++) {
        const ptrdiff_t k = mode.skips ? group.columns[i] : i, at = mode.skips ? i : i - piece.begin;
        if (group.packed != NULL)
            __builtin_prefetch(later + (k - piece.begin) * group.step, 0, 2);
        else if (mode.skips)
            for (ptrdiff_t byte = 0; byte < TILE * 4; byte += 64)
                __builtin_prefetch((const char *)(x + k * SPLIT) + group.ahead + byte, 0, 3);
#pragma GCC unroll 8
        for (int r = 0; r < rows; r++) {
            const vu q = VARIANT(word)(group.queries,
                                       group.packed == NULL ? NULL : group.packed + at * rows + r, k);
#pragma GCC unroll 8
            for (int v = 0; v < SPLIT; v++)
                sum[r * SPLIT + v] = VARIANT(add)(sum[r * SPLIT + v], x[k * SPLIT + v], q, mode);
        }
    }
}

/* Kernel values from complete sums. */
TARGET INLINE void VARIANT(conclude_as)(const VARIANT(sweep_data) data, const VARIANT(sweep_group) group,
                                        const SUM *total, ptrdiff_t tile, const sweep_mode mode)
{
    const int count = group.rows * SPLIT;
    vf values[ROWS * SPLIT];
#pragma GCC unroll 16
    for (int a = 0; a < count; a++)
        values[a] = VARIANT(argument)(data.store, (const uint32_t *)(group.queries + a / SPLIT * group.query_bytes),
                                      total[a], tile * TILE + a % SPLIT * LANES, mode);
    if (!UNFINISHED(mode))
        VARIANT(finish_all)(values, count, data.kernel, mode.distance);
#pragma GCC unroll 16
    for (int a = 0; a < count; a++)
        VARIANT(store)(group.out + a / SPLIT * group.stride + a % SPLIT * LANES, values[a]);
}

/* Sums that are the same for several modes have one loop, and the mode is chosen here, once per group and tile. Loops
 * of their own would gain up to 6 %, for polynomial values of short examples, and would take twice as long to
 * compile. */
TARGET INLINE void VARIANT(conclude)(const VARIANT(sweep_data) data, const VARIANT(sweep_group) group,
                                     const SUM *total, ptrdiff_t tile, const int distance)
{
    if (LEVEL >= 1 && data.mode.tables == 1)
        VARIANT(conclude_as)(data, group, total, tile, (sweep_mode){.distance = distance, .tables = 1});
    else if (LEVEL >= 2 && data.mode.tables == 4)
        VARIANT(conclude_as)(data, group, total, tile, (sweep_mode){.distance = distance, .tables = 4});
    else if (data.mode.whole)
        VARIANT(conclude_as)(data, group, total, tile, (sweep_mode){.distance = distance, .whole = 1});
    else
        VARIANT(conclude_as)(data, group, total, tile, (sweep_mode){.distance = distance});
}

/* The micro-kernel: sums of a group of queries over some columns and, after the last column, kernel values. */
TARGET INLINE void VARIANT(micro)(const VARIANT(sweep_data) data, const VARIANT(sweep_group) group,
                                  const sweep_piece piece)
{
    const int rows = group.rows;
    const STORE *store = data.store;
    const ptrdiff_t columns = COLUMNS(store);
    const vu *x = (const vu *)((const uint32_t *)store->tiles + piece.tile * columns * TILE);
    sweep_mode second = data.mode;
    second.second = 1;
    SUM sum[ROWS * SPLIT];
#pragma GCC unroll 16
    for (int a = 0; a < rows * SPLIT; a++)
        sum[a] = (SUM){0};
    const ptrdiff_t border =
        BORDER(store) < piece.begin ? piece.begin : BORDER(store) < piece.end ? BORDER(store) : piece.end;
    if (data.mode.skips) {
        VARIANT(run)(sum, group, data.mode, x, piece, 0, group.listed);
    } else {
        VARIANT(run)(sum, group, data.mode, x, piece, piece.begin, border);
        VARIANT(run)(sum, group, second, x, piece, border, piece.end);
    }
    SUM total[ROWS * SPLIT];
#pragma GCC unroll 16
    for (int a = 0; a < rows * SPLIT; a++)
        total[a] = VARIANT(whole)(sum[a]);
    if (piece.begin > 0)
#pragma GCC unroll 16
        for (int a = 0; a < rows * SPLIT; a++) {
            SUM before;
            __builtin_memcpy(&before, group.out + a / SPLIT * group.stride + a % SPLIT * LANES, sizeof before);
            total[a] += before;
        }
    if (piece.end < columns)
#pragma GCC unroll 16
        for (int a = 0; a < rows * SPLIT; a++)
            VARIANT(store)(group.out + a / SPLIT * group.stride + a % SPLIT * LANES, (vf)total[a]);
    else if (data.mode.distance)
        VARIANT(conclude)(data, group, total, piece.tile, 1);
    else
        VARIANT(conclude)(data, group, total, piece.tile, 0);
}

/* A single query passes over the tiles, and its sums need no chunks, since they are exact. The columns of the next tile
 * are prefetched: the hardware cannot predict which they are. */
TARGET INLINE void VARIANT(sweep_listed)(const VARIANT(sweep_data) data, const kernel_block block)
{
    enum { MOST = 1024 };
    const ptrdiff_t columns = COLUMNS(data.store);
    int32_t listed[MOST];
    VARIANT(sweep_group) query = {.queries = block.queries, .rows = 1, .columns = listed, .ahead = columns * TILE * 4};
    for (ptrdiff_t begin = 0; begin < columns; begin += MOST) {
        const ptrdiff_t end = columns - begin < MOST ? columns : begin + MOST;
        query.listed = VARIANT(list)(query, begin, end, listed);
        query.out = block.out;
        for (ptrdiff_t tile = block.first; tile < block.last; tile++, query.out += TILE)
            VARIANT(micro)(data, query, (sweep_piece){tile, begin, end});
    }
}

/* A single query passes over the tiles in memory order. */
TARGET INLINE void VARIANT(sweep_row)(const VARIANT(sweep_data) data, const kernel_block block)
{
    const ptrdiff_t columns = COLUMNS(data.store);
    VARIANT(sweep_group) query = {.queries = block.queries, .rows = 1, .out = block.out};
    if (columns <= CHUNK)
        for (ptrdiff_t tile = block.first; tile < block.last; tile++, query.out += TILE)
            VARIANT(micro)(data, query, (sweep_piece){tile, 0, columns});
    else
        for (ptrdiff_t tile = block.first; tile < block.last; tile++, query.out += TILE)
            for (ptrdiff_t begin = 0; begin < columns; begin += CHUNK)
                VARIANT(micro)(data, query,
                               (sweep_piece){tile, begin, columns - begin < CHUNK ? columns : begin + CHUNK});
}

/* The queries of a panel from `first` on in groups of `rows`, over the columns [begin, end). Meanwhile each group
 * prefetches its part of the next chunk, which the hardware prefetcher cannot predict. Returns the first query that is
 * left over. */
TARGET INLINE ptrdiff_t VARIANT(sweep_groups)(const VARIANT(sweep_data) data, const kernel_block panel, ptrdiff_t begin,
                                              ptrdiff_t end, ptrdiff_t first, const int rows)
{
    enum { COLUMN = TILE * 4 }; /* bytes */
    const ptrdiff_t columns = COLUMNS(data.store);
    const ptrdiff_t next = end < columns ? CHUNK : (panel.last - panel.first) * columns - begin;
    vu packed[CHUNK * ROWS];
    int32_t listed[CHUNK];
    ptrdiff_t r = first;
    for (; r + rows <= panel.count; r += rows) {
        VARIANT(sweep_group) group = {.queries = panel.queries + r * panel.query_bytes,
                                      .query_bytes = panel.query_bytes,
                                      .rows = rows,
                                      .out = panel.out + r * panel.stride,
                                      .stride = panel.stride};
        if (data.mode.skips) {
            group.listed = VARIANT(list)(group, begin, end, listed);
            group.columns = listed;
        }
        if (rows > 1) {
            VARIANT(pack)(group, data.mode.skips, begin, end, packed);
            group.packed = packed;
            group.ahead = next * COLUMN + r * COLUMN * (end - begin) / panel.count;
            group.step = COLUMN * rows / panel.count;
        }
        for (ptrdiff_t tile = panel.first; tile < panel.last; tile++, group.out += TILE)
            VARIANT(micro)(data, group, (sweep_piece){tile, begin, end});
    }
    return r;
}

/* Many queries pass over the tiles panel by panel, chunk by chunk of columns, group by group of queries. */
TARGET INLINE void VARIANT(sweep_panel)(const VARIANT(sweep_data) data, const kernel_block panel)
{
    const ptrdiff_t columns = COLUMNS(data.store);
    ptrdiff_t begin = 0;
    do {
        const ptrdiff_t end = columns - begin < CHUNK ? columns : begin + CHUNK;
        ptrdiff_t r = 0;
        if (ROWS > 1)
            r = VARIANT(sweep_groups)(data, panel, begin, end, r, ROWS);
        if (ROWS > 4)
            r = VARIANT(sweep_groups)(data, panel, begin, end, r, 4);
        VARIANT(sweep_groups)(data, panel, begin, end, r, 1);
        begin = end;
    } while (begin < columns);
}

/* The arguments are copied, so that the compiler knows that no write to `out` changes them. */
TARGET INLINE void VARIANT(sweep)(const STORE *shared, const kernel_params *given, const kernel_block *asked,
                                  const sweep_mode mode)
{
    const STORE store = *shared;
    const kernel_params kernel = *given;
    const kernel_block block = *asked;
    const VARIANT(sweep_data) data = {&store, &kernel, mode};
    kernel_block panel = block;
    if (block.count == 1 && mode.skips)
        VARIANT(sweep_listed)(data, block);
    else if (block.count == 1)
        VARIANT(sweep_row)(data, block);
    else
        for (ptrdiff_t tile = block.first; tile < block.last; tile += PANEL) {
            panel.first = tile;
            panel.last = block.last - tile < PANEL ? block.last : tile + PANEL;
            panel.out = block.out + (tile - block.first) * TILE;
            VARIANT(sweep_panel)(data, panel);
        }
}
