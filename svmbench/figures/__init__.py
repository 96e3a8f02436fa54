"""Curves, tables and pictures of stored runs; this room neither trains, loads data nor imports solvers.

A picture is a sheet of panels::

    request              what a user asks for: curves, or a heat map (heat)
      |-- selection      runs grouped into panels and curves, by their settings
      |     `-- series   one curve: the median over seeds; bounds: certified optima
      `-- sheet          panels with a legend and labels
            `-- panel    lines, bands, points and ticks, in the style of all pictures

`curves` and `against_key` draw for the other rooms: error against cost, and one number per run against a key.
`decision` draws regions in the `plane`. `tables` and `latex` write text.
"""

#: Formats of figures; the first is for the screen, the others are for print.
FORMATS = ("png", "svg", "pdf")
