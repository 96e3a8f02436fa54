"""Cutting planes: cuts, the reduced problem, coordinates and pre-images."""
