r"""Fourier features as users have them: ``sklearn.kernel_approximation.RBFSampler`` and a linear solver.

A. Rahimi and B. Recht, Random Features for Large-Scale Kernel Machines, NIPS 2007: features
:math:`\sqrt{2/s} \cos(\langle u_k, x \rangle + \phi_k)` of s random frequencies.

Problem: the regularised one on the features, whose kernel is near the Gaussian one and not the same: its
optimum is no bound, and there is no gap.

Points of a curve: fits from nothing, map included, with growing limits on the passes of the linear solver.

Answer: w on the features.
"""

from __future__ import annotations

from typing import Any

from svmbench.solvers.baselines._data import BaselineData
from svmbench.solvers.baselines._mapped import MappedBaseline, MappedParams


class SklearnRBFSampler(MappedBaseline):
    """The adapter; see the module."""

    name = "sklearn_rbfsampler"
    title = "Fourier features (scikit-learn)"
    citation = (
        "A. Rahimi, B. Recht. Random Features for Large-Scale Kernel Machines. NIPS 2007; "
        "sklearn.kernel_approximation.RBFSampler: F. Pedregosa et al. JMLR 12, 2011."
    )
    kernels = ("gaussian",)
    inside = False
    Params = MappedParams

    def make_map(self, data: BaselineData, state: int) -> Any:
        """Return the transformer of scikit-learn, not fitted."""
        from sklearn.kernel_approximation import RBFSampler

        return RBFSampler(gamma=data.kernel["gamma"], n_components=self.params.components, random_state=state)
