"""Preparation of each set: one module per set with ``Params``, ``VERSION`` and ``prepare(params, raw)``.

``Params`` is a frozen dataclass, the schema of ``conf/dataset/<name>.yaml``. It rejects invalid values and
converts the others to a canonical form. ``VERSION`` is part of the checksum, and is increased whenever the
prepared arrays change.
"""
