"""Solvers, one file per method in `kernel`, `linear` and `baselines`; the rest is shared code.

A method is a `Solver`, and makes runs::

    base                 the contract of solver, run, snapshot and model; registry: names and plug-ins
      |-- run            the compiled loop of a run; saved_state: what it continues from; stall: no progress
      |     `-- iterate_average      an average instead of the last iterate; averaging: its parameters
      `-- plain          a solver from one iteration in Python

`dual`, `slack` and `cutting_plane` have what methods of one family share; `line_search`, `merging`, `kmeans`
and `enclosing_ball` are tools of single methods.
"""
