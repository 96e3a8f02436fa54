"""How each set becomes matrices: one module per set with ``Params``, ``VERSION`` and ``prepare(params, raw)``.

``Params`` is a frozen dataclass, the schema of ``conf/dataset/<name>.yaml``; it refuses bad values and brings each into
one canonical form. ``VERSION`` is raised whenever the prepared arrays change; it is part of a data set's checksum.
"""
