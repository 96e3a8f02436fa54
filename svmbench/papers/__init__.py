"""Figures and tables of papers: their runs, published numbers and claims, and verdicts.

A function in ``documents/`` makes an `Artifact`; ``catalogue`` finds it by name. Its path to a verdict::

    Artifact         artifact.py     with its runs (runs.py) and its claims (claims.py)
      | matching.py                  planned runs and the store; making: the missing ones; checks: computed
    Material         material.py     an artifact with its stored runs
      |-- drawing.py                 pictures and tables (panels, grid_table, comparison, fronts)
      `-- Evidence   evidence.py     the runs of one panel under one convention
            | quantities.py          numbers with repetitions (samples, estimate); keys: arithmetic of axes
          Test       predicates.py   a number and the range in which the claim holds
            `-- Finding   claims.py  a verdict; pages: the page of all, keeping: what is committed

``method_costs``, ``summary`` and ``advice`` choose a solver by the comparison of the field, and
``entered_solver`` enters a user's own one.
"""
