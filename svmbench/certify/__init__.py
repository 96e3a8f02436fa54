"""Duality gaps that are bounds, from coefficients alone: of a run's checkpoints, of optima and of estimators.

::

    certificate        training scores in double precision, both objectives, the gap; intervals of nu and norm
      `-- class_sums   sharper bounds of rounding: the sums of each class apart
    gap_bounds         bounds of the gap that compute few scores in double precision, between certificates
      |-- _terms       its passes over the examples
      `-- few_gaps     the same for problems of few examples, in one pass
            `-- few_pairs  such problems of pairs of classes, solved and certified in one loop
"""
