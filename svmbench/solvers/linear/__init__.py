"""Solvers that keep the weight vector itself: problems with the linear kernel, one file each."""
