"""Linear solvers, which maintain a weight vector; one file each."""
