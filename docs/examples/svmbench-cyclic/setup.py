"""Compile the solver with the C-level interface of the installed svmbench (its .pxd and .h files)."""

from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

import svmbench

INCLUDE = str(Path(svmbench.__file__).parent.parent)
SOLVER = Extension("svmbench_cyclic.solver", ["svmbench_cyclic/solver.pyx"], include_dirs=[INCLUDE])

setup(ext_modules=cythonize([SOLVER], include_path=[INCLUDE], language_level=3))
