"""Prepare, execute, observe and end runs."""
