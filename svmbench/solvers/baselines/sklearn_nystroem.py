r"""Nyström features in scikit-learn: ``sklearn.kernel_approximation.Nystroem`` and a linear solver.

C. Williams and M. Seeger, Using the Nyström Method to Speed Up Kernel Machines, NIPS 2000;
scikit-learn: F. Pedregosa et al., JMLR 12, 2011.

Features: :math:`K_{ss}^{-1/2} k_s(x)` on s training examples drawn uniformly.

Problem: the regularised one on the features. Its predictors are also predictors of the kernel, so the
kernel's optimum is a lower bound on its objective.

Points of a curve: fits from scratch, including the map, with growing limits on the passes of the linear
solver.

Answer: w on the features, at most as many as there are examples.
"""

from __future__ import annotations

from typing import Any

from svmbench.solvers.baselines._baseline import KERNELS, kernel_options
from svmbench.solvers.baselines._data import BaselineData
from svmbench.solvers.baselines._mapped import MappedBaseline


class SklearnNystroem(MappedBaseline):
    """The adapter; see the module."""

    name = "sklearn_nystroem"
    title = "Nyström features (scikit-learn)"
    kernels = KERNELS
    inside = True

    def make_map(self, data: BaselineData, state: int) -> Any:
        """Return the unfitted transformer of scikit-learn."""
        from sklearn.kernel_approximation import Nystroem

        components = min(self.params.components, data.n)
        return Nystroem(n_components=components, random_state=state, **kernel_options(data.kernel))
