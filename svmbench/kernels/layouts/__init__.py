"""Storage layouts of training examples, and the computation of kernel rows."""
