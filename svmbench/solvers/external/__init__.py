"""Adapters to programs that users have today, ``pip install 'svmbench[peers]'``: baselines of our solvers."""
