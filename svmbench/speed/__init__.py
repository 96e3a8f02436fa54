"""Speed of the machine, of kernel rows, of solvers and of baselines, for `svmbench speed` only.

A module measures one thing, by `timing`, and `record` stores it::

    machine              limits of one core, by the loops in _limits
      `-- rows           kernel rows of each layout, relative to them
            `-- solvers      iterations of all solvers; scaling: as examples and threads grow
    baselines            seconds to equal accuracy, by jobs and a race of fits; prediction: seconds to score
    estimators           seconds to fit, beside those of scikit-learn and oneDAL
"""
