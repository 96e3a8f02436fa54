"""Linear solvers, which maintain the weight vector, one file each."""
