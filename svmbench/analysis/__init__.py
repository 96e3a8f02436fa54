"""Comparisons of stored runs: costs to reach a target, two groups, profiles over problems.

Most of them compare the cost from which a run stays at or below a target::

    arrivals             that cost for one run
      `-- costs          for all runs: which problem, which method
            |-- compare      two groups of runs, problem by problem
            |-- cells        tables: a metric by keys of rows and columns; cell: the best of a row
            `-- profiles     the fraction of problems solved against cost; picture: drawn

`fronts` finds the least error by a cost with any settings, `choice` the method for a kind of problem, and
`forecast` its cost on new data. `ranks` has the tests that all of them use.
"""
