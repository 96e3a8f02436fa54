"""Adapters to third-party programs, the baselines: ``pip install 'svmbench[baselines]'``."""
