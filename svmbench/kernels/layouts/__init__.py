"""Storage layouts: how training examples lie in memory, and the kernel rows they give."""
