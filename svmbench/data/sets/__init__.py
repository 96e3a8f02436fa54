"""Preparation of each set: one module per set with ``Params``, ``SUGGESTED``, ``VERSION`` and ``prepare``.

``Params`` is a frozen dataclass, the schema of ``dataset=<name>``. It rejects invalid values and converts the
others to a canonical form. ``VERSION`` is part of the checksum, and is increased whenever the
prepared arrays change.
"""
