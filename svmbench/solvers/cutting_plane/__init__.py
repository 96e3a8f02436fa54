"""Cutting planes: cuts, the problem over them, coordinates and pre-images."""
