"""The only place where a kernel is evaluated: layouts, row cache, oracle and its ledger.

A kernel solver asks an `Oracle` for rows of the kernel matrix, for blocks, or for single values, and
charges the published conventions to its `Ledger`. The oracle counts what it evaluates. It does not know the
algorithm, and the solver knows neither the kernel nor how the examples are stored::

    Solver           solvers/              asks for rows; charges kev_ondemand, kev_rowupdate, kev_iter
      |
    Oracle           _oracle.pyx           blocks, the diagonal, subsets, expansions for observation
      | is a
    KernelRows       _rows.pyx             one row: from the cache, or computed and counted (kev_computed)
      |-- Ledger     _ledger.pyx           all counters of one run
      |-- RowCache   _cache.pyx            rows within a byte budget; evicts the least recently used one
      |-- Prefetch   _prefetch.pyx         rows that the solver will probably need, made in one block
      `-- Layout     layouts/_layout.pyx   stores the examples and computes rows
            |-- SparseLayout               layouts/_sparse.pyx   CSR and CSC
            `-- TiledLayout                layouts/_tiled.pyx    blocks of queries against tiles of examples
                  |-- BitsLayout           0 or 1; popcount
                  |-- BytesLayout          integer multiples of one unit; exact integer products
                  |-- MixedLayout          groups of indicators beside numeric features
                  |-- DenseLayout          float32
                  `-- DoubleLayout         float64, where float32 would lose too much

`layouts.choice` selects the layout that is fastest for the data. The inner loops are in ``layouts/csrc``;
each C file is compiled once per instruction set, and `svmbench.simd.targets` selects one at import.

Rows are float32. Certificates and refinements need more: `layouts._double_expansion` evaluates expansions in
double precision from the examples as they are stored, `given` from the float64 examples before rounding
(`unrounded`), `decisions` makes scores whose signs are certain, and `double_values` evaluates single values
for other rooms. `expansion` evaluates expansions at training examples, `reduced_set` kernels at other points.

Two choices look unusual but have reasons:

* A solver keeps its responses up to date by adding whole rows to n sums. So rows are computed whole, and the
  cache holds whole rows.
* A kernel value depends only on its two examples, bit for bit, so that results do not depend on the block
  size, the number of threads or the cache. Tests compare them exactly, and an interrupted run continues
  exactly.

Linear methods read examples through `LinearData` (``_linear_data.pyx``), which counts inner products
instead.
"""
