"""Plan, execute, observe and stop runs."""
