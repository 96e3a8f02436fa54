"""Estimators with scikit-learn's interface; they need the extra ``svmbench[sklearn]``.

`KernelSVC` and the regressor `KernelSVR` are exact and stop at a certified relative duality gap,
`SBPClassifier` has a budget of kernel evaluations or seconds, and `LinearSVC` works on the features directly.
The last two are binary; `OneVsRestClassifier` and `OneVsOneClassifier` of scikit-learn extend them to more
classes. All of them check what they are given by `_base`::

    kernel_svc, kernel_svr
      |-- _kernel_machine    training rows and kernels as given; _expansions: decision values
      |-- _training          binary problems to a certified gap, few rows by _interior_point
      |     `-- _regression      the same for kernel_svr
      `-- _together          small problems of pairs of classes at once; _one_vs_one: the layout of `SVC`
    sbp_classifier
    linear_svc               ends with _linear_interior_point
"""

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:  # pragma: no cover - needs an environment without scikit-learn
    raise ImportError("svmbench.sklearn needs scikit-learn: pip install scikit-learn") from error

from svmbench.sklearn.kernel_svc import KernelSVC
from svmbench.sklearn.kernel_svr import KernelSVR
from svmbench.sklearn.linear_svc import LinearSVC
from svmbench.sklearn.sbp_classifier import SBPClassifier

__all__ = ["KernelSVC", "KernelSVR", "LinearSVC", "SBPClassifier"]
