"""What solvers of the dual problem share: selection, working sets and quadratic programs over the box."""
