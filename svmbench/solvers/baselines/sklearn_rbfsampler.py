r"""Fourier features in scikit-learn: ``sklearn.kernel_approximation.RBFSampler`` and a linear solver.

A. Rahimi and B. Recht, Random Features for Large-Scale Kernel Machines, NIPS 2007;
scikit-learn: F. Pedregosa et al., JMLR 12, 2011.

Features: :math:`\sqrt{2/s} \cos(\langle u_k, x \rangle + \phi_k)` of s random frequencies.

Problem: the regularised one on the features. Their inner products only approximate the Gaussian kernel, so
the kernel's optimum is not a bound, and there is no gap.

Points of a curve: fits from scratch, including the map, with growing limits on the passes of the linear
solver.

Answer: w on the features.
"""

from __future__ import annotations

from typing import Any

from svmbench.solvers.baselines._data import BaselineData
from svmbench.solvers.baselines._mapped import MappedBaseline


class SklearnRBFSampler(MappedBaseline):
    """The adapter; see the module."""

    name = "sklearn_rbfsampler"
    title = "Fourier features (scikit-learn)"
    kernels = ("gaussian",)
    inside = False

    def make_map(self, data: BaselineData, state: int) -> Any:
        """Return the unfitted transformer of scikit-learn."""
        from sklearn.kernel_approximation import RBFSampler

        return RBFSampler(gamma=data.kernel["gamma"], n_components=self.params.components, random_state=state)
