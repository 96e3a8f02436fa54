"""Adapters to programs that users have today, ``pip install 'svmbench[peers]'``: rivals of our solvers."""
