"""Curves, tables and pictures of stored runs; this room neither trains, loads data nor imports solvers."""

#: Formats of figures; the first is for the screen, the others are for print.
FORMATS = ("png", "svg", "pdf")
