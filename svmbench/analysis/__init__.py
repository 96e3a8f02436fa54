"""Comparisons of stored runs: costs to reach a target, two groups, profiles over problems."""
