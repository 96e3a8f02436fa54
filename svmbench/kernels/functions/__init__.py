"""Kernel functions, one file each: parameters, and values in double precision, in numpy alone.

`base.Kernel` says what a kernel is; `registry` finds ours, the other files of this folder, and those of other
packages. `gaussian`, `linear` and `polynomial` are functions of a squared distance or an inner
product (`base.ScalarKernel`), which the layouts compute in C. The others are evaluated row by row.
"""
