"""Small pieces that several solvers share: random numbers, the water level, small quadratic programs."""
