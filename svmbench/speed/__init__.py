"""The machine's limits, what rows and solvers reach of them, and rivals; nothing but the command uses it."""
