"""Prepare, execute, observe and end runs.

`execute.execute` takes a resolved configuration to a stored run. It asks `prepare` whether the solver can
solve the problem, finds in the store what is known, and drives a `training.Training`::

    execute          one run, from the configuration to the store
      |-- prepare         support, problem, memory, seeds; environment (_build), models
      |-- continuation, starting         from a stored run: continue it, or begin at its solution
      |-- optimum, certifier             the certified optimum, which nu=auto, R=auto and the observer need
      |-- folds                          cross-validation, a training for each fold
      `-- joint, joint_rows, joint_continuation      several binary problems in turn, observed together
            `-- training                 the examples (translation), the solver, an observer and the loop
                  |-- loop               advance, clock on (clock, load, memory, guard, signals); observe, off
                  |-- observe            the numbers of a checkpoint; held_out: scores of other examples
                  |     `-- svmbench.certify   bounds of gap and rounding
                  `-- end_states, outcome    how it ended, and what the caller gets

`progress` is what a run says meanwhile; `bar` and `block` show it on a terminal. `spawn` has the threads and
the environment of processes that make runs.
"""
