"""Speed of the machine, of kernel rows, of solvers and of baselines, for `svmbench speed` only."""
