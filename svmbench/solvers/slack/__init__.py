"""Water levels: the slack-constrained problem's inner step."""
