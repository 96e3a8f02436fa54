"""Water levels: the inner step of the slack-constrained problem."""
