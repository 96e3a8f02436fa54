"""Adapters to third-party programs, the baselines: in the repository, ``pip install '.[baselines]'``."""
