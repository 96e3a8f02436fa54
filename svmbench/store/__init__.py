"""Stored runs: identity, environment record, reading and writing."""
