"""Preparation of each set: one module per set with ``Params``, ``VERSION`` and ``prepare(params, raw)``.

``Params`` is a frozen dataclass, the schema of ``conf/dataset/<name>.yaml``; it rejects invalid values and
brings each into a canonical form. ``VERSION`` is increased whenever the prepared arrays change, and is part
of the checksum.
"""
