"""Curves, tables and pictures of stored runs; nothing here trains, loads data or imports a solver."""

#: In what a figure can be written; the first is what the eye needs, the others are for print.
FORMATS = ("png", "svg", "pdf")
