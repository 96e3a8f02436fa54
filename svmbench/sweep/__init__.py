"""Sweeps of many runs: completely planned in advance, made by reused worker processes, and recorded.

From words to ends of jobs::

    planning             the runs, without duplicates and impossible ones; stored: which of them there are
      |-- forecast       what the others take, by stored runs (pace) or short trial runs (calibrate)
      |-- launch         on this machine or on a cluster
      |     |-- pool         worker processes; worker: one of them
      |     `-- cluster      what engines share, slurm and on_ray; bundle: a job, with a pool of its own
      `-- record         the plan, and a line for each event; job_state: what a job does now

`status` and `view` show a sweep, and `probe` tries a folder from several machines. `select` finds the stored
runs that the words of a command mean; `parameter_grid` has the grids of ``tune``.
"""
