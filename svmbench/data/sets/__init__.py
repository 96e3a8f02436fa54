"""How each set becomes matrices: a module per set with ``Params``, ``VERSION`` and ``prepare(params, raw)``.

``Params`` is a frozen dataclass, the schema of ``conf/dataset/<name>.yaml``; it refuses bad values and brings
each into one canonical form. ``VERSION`` is raised whenever the prepared arrays change, and is part of the
checksum.
"""
