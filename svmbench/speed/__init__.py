"""Performance: limits of the machine, what rows and solvers achieve, baselines; used by the command only."""
